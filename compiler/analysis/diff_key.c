/*
 * Decides which rules two policies share.  A rule is identified by what it means: its
 * key leaves out place, name and spelling.  A shared rule counts as changed if
 * something else on which its effect depends has changed: locks, the rules that lift
 * it, the order of errnos and asks.
 */
#include <stdlib.h>

#include "compiler/analysis/diff_glob_key.h"
#include "compiler/analysis/diff_guard_key.h"
#include "compiler/analysis/diff_key.h"
#include "compiler/analysis/diff_off.h"

const struct ir_rule *diff_rule(const struct diff_item *it)
{
	return it->rule[DIFF_OLD] ? it->rule[DIFF_OLD] : it->rule[DIFF_NEW];
}

struct str diff_item_id(const struct diff_item *it, int side)
{
	if (it->rule[side])
		return it->rule[side]->id;
	return it->risk[side] ? it->risk[side]->id : STR("");
}

const struct ir_risk_fact *diff_risk(const struct diff_item *it)
{
	return it->risk[DIFF_OLD] ? it->risk[DIFF_OLD] : it->risk[DIFF_NEW];
}

const struct ir_set *diff_set(const struct diff_item *it)
{
	return diff_rule(it) ? &diff_rule(it)->set : &diff_risk(it)->set;
}

const struct ir_set *diff_excepts(const struct diff_item *it, size_t *ret_n)
{
	*ret_n = diff_rule(it) ? diff_rule(it)->nexcept : diff_risk(it)->nexcept;
	return diff_rule(it) ? diff_rule(it)->except : diff_risk(it)->except;
}

bool diff_names_block(const struct ir_rule *r)
{
	return r->kind == IR_NET && r->set.u.net.host == IR_HOST_CIDR && r->effect <= IR_ASK;
}

bool diff_is_narrow(const struct diff_item *it)
{
	return diff_rule(it) ? diff_rule(it)->effect == IR_ALLOW :
			       diff_risk(it)->risk == IR_RISK_LOW;
}

unsigned diff_scopes(const struct diff_item *it)
{
	return diff_rule(it) ? diff_rule(it)->scopes : (unsigned)IR_ALL_SCOPES;
}

static bool has(const struct diff_item *it, int side)
{
	return it->rule[side] || it->risk[side];
}

/* --- keys ---------------------------------------------------------------- */

static void bare_words(struct arena *a, struct ir_command *c)
{
	c->words = arena_dup(a, c->words, c->nwords * sizeof(*c->words));
	for (size_t i = 0; i < c->nwords; i++)
		if (!c->words[i].any_words)
			c->words[i].glob = diff_glob_bare(a, &c->words[i].glob);
	if (!c->regex)
		c->text = STR_NULL;
}

static void bare_path(struct arena *a, struct ir_path *p)
{
	p->text = STR_NULL;
	p->glob = diff_glob_bare(a, &p->glob);
}

/* All of it counts. */
static void bare_net(struct ir_net *n)
{
	struct ir_grant *g = &n->grant;

	n->protos = DIFF_ON("key-protos") ? n->protos : IR_ANY_PROTO;
	n->port_lo = DIFF_ON("key-port") ? n->port_lo : 1;
	n->port_hi = DIFF_ON("key-port-end") ? n->port_hi : UINT16_MAX;
	n->cidr.bits = DIFF_ON("key-bits") ? n->cidr.bits : 128;
	n->name = DIFF_ON("key-name") ? n->name : STR("x");
	n->nwithin = DIFF_ON("key-within") ? n->nwithin : 0;
	g->via = DIFF_ON("key-via") ? g->via : STR_NULL;
	g->via_secret = DIFF_ON("key-via-secret") ? g->via_secret : STR_NULL;
	g->header = DIFF_ON("key-header") ? g->header : STR_NULL;
	g->prefix = DIFF_ON("key-prefix") ? g->prefix : STR_NULL;
	g->secret = DIFF_ON("key-secret") ? g->secret : STR_NULL;
	g->dial = DIFF_ON("key-dial") ? g->dial : 0;
	g->bytes = DIFF_ON("key-bytes") ? g->bytes : 0;
	g->connections = DIFF_ON("key-connections") ? g->connections : 0;
	g->peek = DIFF_ON("key-peek") ? g->peek : IR_PEEK_PORT;
}

/* The set without its spelling; a regex is its text. */
static struct ir_set bare(struct arena *a, enum ir_kind kind, const struct ir_set *s)
{
	struct ir_set c = *s;

	if (kind == IR_COMMAND) {
		diff_guard_bare(a, &c.u.command);
		if (!DIFF_ON("key-guards"))
			c.u.command.nguards = 0;
		bare_words(a, &c.u.command);
	} else if (kind == IR_FILE) {
		if (!DIFF_ON("key-ops"))
			c.u.file.ops = IR_READ;
		if (!DIFF_ON("key-below"))
			c.u.file.path.below = true;
		bare_path(a, &c.u.file.path);
	} else if (kind == IR_UNIX) {
		bare_path(a, &c.u.unix_path);
	} else if (kind == IR_NET) {
		bare_net(&c.u.net);
	} else if (kind == IR_SYSCALL) {
		if (!DIFF_ON("key-cond"))
			c.u.syscall.cond = NULL;
	} else if (kind == IR_TOOL) {
		c.u.tool.text = STR_NULL;
		c.u.tool.glob = diff_glob_bare(a, &c.u.tool.glob);
	}
	return c;
}

static void put_sets(struct buf *b, enum ir_kind kind, const struct ir_set *set,
		     const struct ir_set *except, size_t n)
{
	struct ir_set one = bare(b->a, kind, set);

	ir_json_set(b, kind, &one);
	for (size_t i = 0; i < n && DIFF_ON("key-except"); i++) {
		one = bare(b->a, kind, &except[i]);
		ir_json_set(b, kind, &one);
	}
}

struct str diff_sets_key(struct arena *a, enum ir_kind kind, const struct ir_set *set,
			 const struct ir_set *except, size_t n)
{
	struct buf b;

	buf_init(&b, a);
	put_sets(&b, kind, set, except, n);
	return buf_view(&b);
}

/* As "%u " does, which was most of the time that a key takes. */
static void put_number(struct buf *b, unsigned v)
{
	char text[12];
	size_t at = sizeof(text);

	text[--at] = ' ';
	do
		text[--at] = (char)('0' + v % 10);
	while (v /= 10);
	buf_add(b, text + at, sizeof(text) - at);
}

/* Writes what decides how a rule acts on a request that it matches. */
static void put_acts(struct buf *b, const struct ir_rule *r)
{
	const struct {
		const char *name;
		unsigned value;
	} acts[] = {
		{ "effect", r->effect }, { "level", r->level },	   { "scopes", r->scopes },
		{ "final", r->final },	 { "floor", r->floor },	   { "scratch", r->scratch },
		{ "soft", r->soft },	 { "full", r->full },	   { "may-yes", r->may_yes },
		{ "errno", r->err },
	};

	for (size_t i = 0; i < POL_LEN(acts); i++)
		put_number(b, DIFF_ON_EACH("acts", acts[i].name) ? acts[i].value : 0);
	if (DIFF_ON("acts-until"))
		buf_str(b, r->until);
	buf_ch(b, ' ');
}

struct str diff_rule_key(struct arena *a, const struct ir_rule *r)
{
	struct buf b;

	buf_init(&b, a);
	put_acts(&b, r);
	put_sets(&b, r->kind, &r->set, r->except, r->nexcept);
	return buf_view(&b);
}

/* The same with sets whose key is known. */
static struct str key_with(struct arena *a, const struct ir_rule *r, struct str sets)
{
	struct buf b;

	buf_init(&b, a);
	put_acts(&b, r);
	buf_str(&b, sets);
	return buf_view(&b);
}

struct str diff_rule_key_if(struct diff *d, int side, const struct ir_rule *r,
			    const struct ir_rule *acts)
{
	return key_with(d->a, acts, d->sets[side][r->index]);
}

static struct str risk_key(struct arena *a, const struct ir_risk_fact *f)
{
	struct buf b;

	buf_init(&b, a);
	buf_printf(&b, "risk %d ", DIFF_ON("key-risk") ? (int)f->risk : 0);
	put_sets(&b, f->kind, &f->set, f->except, f->nexcept);
	return buf_view(&b);
}

/* --- items --------------------------------------------------------------- */

/* Maps each rule, by index, to its item. */
struct identity {
	struct diff *d;
	struct map keys[IR_KIND_COUNT];
	struct map acts;
	struct diff_item **of[2];
	bool *lifts[2]; /* items that lift, or are lifted */
};

static struct diff_item *item_of(struct identity *id, enum ir_kind kind, struct str key)
{
	struct diff_item *it = map_get(&id->keys[kind], key);

	if (it)
		return it;
	it = ARENA_NEW(id->d->a, struct diff_item);
	it->kind = kind;
	map_put(&id->keys[kind], key, it);
	VEC_PUSH(id->d->a, &id->d->items[kind], it);
	return it;
}

/*
 * The item of a rule of this side.  The first of equal rules stands for the others, which do
 * the same, unless only one of them is lifted: the rule of an assertion is lifted by none.
 */
static struct diff_item *item_of_rule(struct identity *id, int side, const struct ir_rule *r)
{
	struct str sets = diff_sets_key(id->d->a, r->kind, &r->set, r->except, r->nexcept);
	struct str key = key_with(id->d->a, r, sets);
	struct diff_item *it = item_of(id, r->kind, key);

	id->d->sets[side][r->index] = sets;

	if (it->rule[side] && !it->rule[side]->nlifted_by != !r->nlifted_by)
		it = item_of(id, r->kind,
			     str_cat(id->d->a, key,
				     r->nlifted_by ? STR(" lifted") : STR(" stays")));
	if (!it->rule[side])
		it->rule[side] = r;
	return it;
}

static void collect(struct identity *id, int side)
{
	const struct ir *ir = id->d->ir[side];
	struct arena *a = id->d->a;
	size_t i, k;

	id->of[side] = arena_array(a, ir->rules.n + 1, sizeof(**id->of));
	id->d->sets[side] = arena_array(a, ir->rules.n + 1, sizeof(**id->d->sets));
	id->lifts[side] = arena_array(a, ir->rules.n + 1, sizeof(**id->lifts));
	for (i = 0; i < ir->rules.n; i++) {
		const struct ir_rule *r = ir->rules.v[i];

		id->of[side][i] = item_of_rule(id, side, r);
		for (k = 0; k < r->nlifted_by; k++)
			id->lifts[side][r->lifted_by[k]] = id->lifts[side][i] = true;
	}
	for (i = 0; i < ir->risks.n && DIFF_ON("risks"); i++) {
		const struct ir_risk_fact *f = &ir->risks.v[i];
		struct diff_item *it = item_of(id, f->kind, risk_key(a, f));

		if (!it->risk[side])
			it->risk[side] = f;
	}
}

/* --- what acts alike ----------------------------------------------------- */

static bool is_lifting(const struct identity *id, const struct diff_item *it)
{
	int s;

	for (s = 0; s < 2; s++)
		if (it->rule[s] && id->lifts[s][it->rule[s]->index])
			return true;
	return false;
}

static void number(struct identity *id, struct diff_item *it)
{
	const struct ir_rule *r = diff_rule(it);
	struct buf b;
	uint32_t *n;

	buf_init(&b, id->d->a);
	if (!r) {
		buf_printf(&b, "%d risk %d", it->kind, diff_risk(it)->risk);
	} else {
		buf_printf(&b, "%d ", it->kind);
		put_acts(&b, r);
		if (r->kind == IR_FILE)
			buf_printf(&b, "%u %d ", r->set.u.file.ops,
				   ir_rule_shows_host(r));
		if (r->kind == IR_NET)
			buf_printf(&b, "%d ", diff_names_block(r));
		/* a rule that lifts or is lifted acts like no other; nor does a name
		   with its own addresses to which it may resolve */
		if (is_lifting(id, it) || (r->kind == IR_NET && r->set.u.net.nwithin))
			buf_printf(&b, "%p", (const void *)it);
	}
	n = map_get(&id->acts, buf_view(&b));
	if (!n) {
		n = ARENA_NEW(id->d->a, uint32_t);
		*n = (uint32_t)id->acts.n + 1;
		map_put(&id->acts, buf_view(&b), n);
	}
	it->acts = *n;
}

static int by_number(const void *x, const void *y)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

	return a < b ? -1 : a > b;
}

static size_t numbers(struct diff_item *const *items, const uint32_t *tags, size_t n,
		      int side, uint32_t *ret)
{
	size_t i, k = 0, o = 0;

	for (i = 0; i < n; i++)
		if (has(items[tags[i]], side))
			ret[k++] = items[tags[i]]->acts;
	if (!k)
		return 0;
	qsort(ret, k, sizeof(*ret), by_number);
	for (i = 0; i < k; i++)
		if (!i || ret[i] != ret[i - 1])
			ret[o++] = ret[i];
	return o;
}

bool diff_acts_alike(struct diff_item *const *items, const uint32_t *tags, size_t n,
		     struct arena *tmp)
{
	uint32_t *old = arena_array(tmp, n + 1, sizeof(*old));
	uint32_t *new = arena_array(tmp, n + 1, sizeof(*new));
	size_t i, k;

	/* shared, and yet changed: its effect depends on more than itself */
	for (i = 0; i < n; i++)
		if (items[tags[i]]->changed && has(items[tags[i]], DIFF_OLD) &&
		    has(items[tags[i]], DIFF_NEW))
			return false;
	k = numbers(items, tags, n, DIFF_OLD, old);

	return numbers(items, tags, n, DIFF_NEW, new) == k &&
	       (k == 0 || memcmp(old, new, k * sizeof(*old)) == 0);
}

bool diff_may_widen(const struct diff_item *it)
{
	const struct ir_rule *r = diff_rule(it);
	bool removed = !has(it, DIFF_NEW);

	if (!r || has(it, DIFF_OLD) == has(it, DIFF_NEW) || r->final ||
	    r->effect == IR_ASK)
		return true;
	return r->effect == IR_ALLOW ? !removed : removed;
}

/* --- shared rules that are changed --------------------------------------- */

static int by_address(const void *x, const void *y)
{
	const struct diff_item *a = *(struct diff_item *const *)x;
	const struct diff_item *b = *(struct diff_item *const *)y;

	return a < b ? -1 : a > b;
}

/* The items that lift it on this side and that both policies have, sorted. */
static size_t lifters(const struct identity *id, const struct diff_item *it, int side,
		      struct diff_item **ret)
{
	const struct ir_rule *r = it->rule[side];
	size_t i, n = 0, o = 0;

	for (i = 0; i < r->nlifted_by; i++) {
		struct diff_item *by = id->of[side][r->lifted_by[i]];

		if (by->rule[DIFF_OLD] && by->rule[DIFF_NEW])
			ret[n++] = by;
	}
	if (!n)
		return 0;
	qsort(ret, n, sizeof(struct diff_item *), by_address);
	for (i = 0; i < n; i++)
		if (!i || ret[i] != ret[i - 1])
			ret[o++] = ret[i];
	return o;
}

static bool lifts_differ(const struct identity *id, const struct diff_item *it)
{
	struct diff_item **old, **new;
	size_t n;

	if (!DIFF_ON("changed-lifts"))
		return false;
	if (!it->rule[DIFF_OLD]->nlifted_by && !it->rule[DIFF_NEW]->nlifted_by)
		return false;
	old = arena_array(id->d->a, it->rule[DIFF_OLD]->nlifted_by + 1, sizeof(*old));
	new = arena_array(id->d->a, it->rule[DIFF_NEW]->nlifted_by + 1, sizeof(*new));
	n = lifters(id, it, DIFF_OLD, old);
	return lifters(id, it, DIFF_NEW, new) != n ||
	       (n && memcmp(old, new, n * sizeof(*old)) != 0);
}

/*
 * Does the order of the two rules matter?  Of several errnos, of several asks, and of
 * several things that the gateway may do, the first rule's counts.
 */
static bool order_matters(const struct diff_item *x, const struct diff_item *y)
{
	const struct ir_rule *r = diff_rule(x), *s = diff_rule(y);

	if (!DIFF_ON("changed-order"))
		return false;
	if (!r || !s || r->level != s->level || r->effect != s->effect)
		return false;
	if (r->kind == IR_SYSCALL)
		return r->effect == IR_DENY && r->err != s->err &&
		       r->set.u.syscall.nr == s->set.u.syscall.nr;
	if (r->kind == IR_NET && r->effect != IR_DENY &&
	    !ir_grant_equal(&r->set.u.net.grant, &s->set.u.net.grant))
		return true;
	return r->effect == IR_ASK && r->may_yes != s->may_yes;
}

static bool is_common(const struct diff_item *it)
{
	return it->rule[DIFF_OLD] && it->rule[DIFF_NEW];
}

static void mark_order(struct diff *d, enum ir_kind kind)
{
	size_t i, k, n = d->items[kind].n;
	uint32_t last = 0;
	bool sorted = true;

	for (i = 0; i < n; i++) {
		const struct diff_item *it = d->items[kind].v[i];

		if (!is_common(it))
			continue;
		sorted &= it->rule[DIFF_NEW]->index >= last;
		last = it->rule[DIFF_NEW]->index;
	}
	for (i = 0; i < n && !sorted; i++) {
		struct diff_item *x = d->items[kind].v[i];

		for (k = i + 1; k < n; k++) {
			struct diff_item *y = d->items[kind].v[k];

			if (!is_common(x) || !is_common(y) || !order_matters(x, y) ||
			    (x->rule[DIFF_OLD]->index < y->rule[DIFF_OLD]->index) ==
				    (x->rule[DIFF_NEW]->index <
				     y->rule[DIFF_NEW]->index))
				continue;
			x->changed = y->changed = true;
		}
	}
}

/* Below a lock, the allow rules of lower levels do not count. */
static bool is_locked_differently(const struct diff *d, const struct diff_item *it)
{
	const struct ir_rule *r = diff_rule(it);
	enum ir_level x = d->ir[DIFF_OLD]->locked[it->kind].level;
	enum ir_level y = d->ir[DIFF_NEW]->locked[it->kind].level;

	return DIFF_ON("changed-locks") && r && r->effect == IR_ALLOW && x != y &&
	       ((x && r->level > x) || (y && r->level > y));
}

/* The network's mode takes precedence over network rules. */
static uint64_t mode_of(const struct diff *d, int side)
{
	return d->ir[side]->scalars[IR_S_NET_MODE].num;
}

void diff_identify(struct diff *d)
{
	struct identity id = { .d = d };
	int kind;
	size_t i;

	map_init(&id.acts, d->a);
	for (kind = 0; kind < IR_KIND_COUNT; kind++)
		map_init(&id.keys[kind], d->a);
	collect(&id, DIFF_OLD);
	collect(&id, DIFF_NEW);
	for (kind = 0; kind < IR_KIND_COUNT; kind++) {
		bool mode =
			DIFF_ON("changed-mode") && kind == IR_NET &&
			mode_of(d, DIFF_OLD) != mode_of(d, DIFF_NEW);

		d->context_differs[kind] =
			mode || d->ir[DIFF_OLD]->locked[kind].level !=
					d->ir[DIFF_NEW]->locked[kind].level;
		for (i = 0; i < d->items[kind].n; i++) {
			struct diff_item *it = d->items[kind].v[i];

			number(&id, it);
			it->changed = mode || has(it, DIFF_OLD) != has(it, DIFF_NEW) ||
				      is_locked_differently(d, it) ||
				      (is_common(it) && lifts_differ(&id, it));
		}
		mark_order(d, (enum ir_kind)kind);
	}
}
