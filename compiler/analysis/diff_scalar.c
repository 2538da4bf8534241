/*
 * Scalars.  A scalar that decides requests is examined with requests that probably
 * match no rule; if none of them reaches it, that is a doubt.  Limits and similar
 * scalars have an order of their own.
 */
#include "compiler/analysis/diff_scalar.h"

#include "compiler/analysis/diff_ask.h"
#include "compiler/analysis/diff_key.h"
#include "compiler/analysis/diff_off.h"
#include "compiler/analysis/diff_witness.h"
#include "compiler/analysis/diff_word.h"

struct asked {
	struct diff *d;
	struct arena *tmp;
	struct diff_told told;
};

static void ask(struct asked *q, struct ir_request *req)
{
	(void)diff_ask(q->d, NULL, req, IR_ALL_SCOPES, q->tmp, &q->told);
}

/* --- requests that nobody names ------------------------------------------ */

static const char *const names[] = { "x", "x0", "qqq", "unheard-of" };

static void ask_words(struct asked *q, enum ir_kind kind)
{
	struct diff *d = q->d;
	size_t i, k, n;

	for (i = 0; i < POL_LEN(names); i++) {
		struct ir_request r = diff_request(d, kind);
		struct str name = str_from(names[i]);

		r.argv = &name;
		r.nargv = 1;
		r.tool = name;
		ask(q, &r);
	}
	/* by risk: one command or tool of each class that the policies distinguish */
	for (i = 0; i < d->items[kind].n; i++) {
		struct diff_item *it = d->items[kind].v[i];
		struct ir_request reqs[DIFF_WITNESS_REQUESTS];
		struct set_tagged x;
		struct str word;

		if (!diff_risk(it))
			continue;
		x = diff_word_requests_of(d, q->tmp, it, DIFF_WORDS, NULL);
		if (set_member(q->tmp, x.re, x.minus, SET_DEFAULT_BUDGET, &word) !=
		    SET_WITNESS)
			continue;
		n = diff_witness_requests(d, q->tmp, it, word, reqs);
		for (k = 0; k < n; k++)
			ask(q, &reqs[k]);
	}
}

static void ask_opaque(struct asked *q)
{
	/* a command that is not known, and a text that is none */
	static const char *const lines[] = { "$x", "if" };
	struct ir_request r = diff_request(q->d, IR_COMMAND);
	size_t i;

	r.unparsed = true;
	r.text = STR("$x");
	ask(q, &r);
	for (i = 0; i < POL_LEN(lines); i++) {
		r = diff_request(q->d, IR_COMMAND);
		r.line = str_from(lines[i]);
		ask(q, &r);
	}
}

static void ask_paths(struct asked *q, enum ir_kind kind, enum ir_op op)
{
	static const enum ir_root roots[] = { IR_ROOT_PROJECT, IR_ROOT_HOME, IR_ROOT_FS,
					     IR_ROOT_TMP};
	size_t i, k;

	for (i = 0; i < POL_LEN(roots); i++) {
		for (k = 0; k < POL_LEN(names); k++) {
			struct ir_request r = diff_request(q->d, kind);
			struct str dir = r.roots.dir[roots[i]];

			if (!dir.p)
				continue;
			r.op = op;
			r.path = str_printf(q->tmp, "%.*s/%s",
					    str_eqz(dir, "/") ? 0 : (int)dir.n, dir.p,
					    names[k]);
			ask(q, &r);
		}
	}
	for (k = 0; kind == IR_UNIX && k < POL_LEN(names); k++) {
		struct ir_request r = diff_request(q->d, kind);

		r.abstract = true;
		r.path = str_from(names[k]);
		ask(q, &r);
	}
}

static void ask_hosts(struct asked *q)
{
	static const uint8_t addrs[][16] = {
		{ [10] = 0xff, [11] = 0xff, [12] = 192, [13] = 0, [14] = 2, [15] = 1 },
		{ [10] = 0xff, [11] = 0xff, [12] = 127, [15] = 1 },
		{ 0x20, 0x01, 0x0d, 0xb8, [15] = 1 },
	};
	size_t i;

	for (i = 0; i < POL_LEN(names) + POL_LEN(addrs); i++) {
		struct ir_request r = diff_request(q->d, IR_NET);

		r.proto = IR_TCP;
		r.port = 443;
		r.is_addr = i >= POL_LEN(names);
		if (r.is_addr)
			memcpy(r.addr, addrs[i - POL_LEN(names)], sizeof(r.addr));
		else
			r.host = str_printf(q->tmp, "%s.invalid", names[i]);
		ask(q, &r);
	}
}

static void ask_calls(struct asked *q)
{
	/* read, write, brk, sched_yield, getpid, uname, getuid, time */
	static const uint32_t numbers[] = { 0, 1, 12, 24, 39, 63, 102, 201 };
	size_t i;

	for (i = 0; i < POL_LEN(numbers); i++) {
		struct ir_request r = diff_request(q->d, IR_SYSCALL);

		r.nr = numbers[i];
		r.nr_known = true;
		ask(q, &r);
	}
}

/*
 * Asks about requests that the scalar decides; false if it decides none of those we
 * tried.
 */
static bool ask_about(struct asked *q, enum ir_scalar_id id)
{
	switch ((int)id) {
	case IR_S_COMMAND_OTHERWISE:
	case IR_S_SANDBOX_OTHERWISE:
		ask_words(q, IR_COMMAND);
		ask_opaque(q);
		return true;
	case IR_S_COMMAND_OPAQUE:
	case IR_S_SANDBOX_OPAQUE:
		ask_opaque(q);
		return true;
	case IR_S_FILE_READ:
		ask_paths(q, IR_FILE, IR_READ);
		return true;
	case IR_S_FILE_WRITE:
		ask_paths(q, IR_FILE, IR_WRITE);
		return true;
	case IR_S_FILE_EXEC:
		ask_paths(q, IR_FILE, IR_EXEC);
		return true;
	case IR_S_NET_MODE:
	case IR_S_NET_OTHERWISE:
		ask_hosts(q);
		return true;
	case IR_S_UNIX_OTHERWISE:
		ask_paths(q, IR_UNIX, IR_READ);
		return true;
	case IR_S_SYSCALL_OTHERWISE:
		ask_calls(q);
		return true;
	case IR_S_TOOL_OTHERWISE:
		ask_words(q, IR_TOOL);
		return true;
	default:
		return false;
	}
}

/* --- values ---------------------------------------------------------------- */

/* What counts for the scalar on this side: in scope sandbox what a statement says about that scope,
 * and without one what holds in both. */
static const struct ir_scalar *value(const struct diff *d, int side, enum ir_scalar_id id)
{
	const struct ir *ir = d->ir[side];

	if (ir->scalars[id].set)
		return &ir->scalars[id];
	return &ir->scalars[id == IR_S_SANDBOX_OTHERWISE ? IR_S_COMMAND_OTHERWISE :
			    id == IR_S_SANDBOX_OPAQUE	 ? IR_S_COMMAND_OPAQUE :
							   id];
}

/* Does neither side say anything about the scope alone? */
static bool is_unsaid(const struct diff *d, enum ir_scalar_id id)
{
	return ir_is_of_sandbox(id) && !d->ir[DIFF_OLD]->scalars[id].set && !d->ir[DIFF_NEW]->scalars[id].set;
}

/* --- order --------------------------------------------------------------- */

static int by_size(uint64_t o, uint64_t n)
{
	return n < o ? -1 : n > o;
}

/* The effect for a class: with a map the class's own, else the common one. */
static enum ir_effect effect_of(const struct ir_scalar *s, int class)
{
	return s->by_risk ? s->effects[class] : s->effect;
}

static bool is_effect(enum ir_scalar_type t)
{
	return t == IR_T_EFFECT || t == IR_T_OTHERWISE;
}

/* Does the value differ, and may the new value permit more? */
static bool differs(enum ir_scalar_id id, const struct ir_scalar *o,
		    const struct ir_scalar *n, bool *ret_looser)
{
	bool limit = strcmp(ir_scalar_section(id), "limits") == 0, differs = false;
	enum ir_scalar_type t = ir_scalar_type(id);
	int i;

	*ret_looser = false;
	if (!DIFF_ON_EACH(ir_scalar_section(id), ir_scalar_key(id)))
		return false;
	if (t == IR_T_NAME) {
		/* `base none` removes all the base's denies at once */
		*ret_looser = str_eqz(n->text, "none");
		return !str_eq(o->text, n->text);
	}
	for (i = 0; is_effect(t) && i < IR_RISK_COUNT; i++) {
		differs |= effect_of(o, i) != effect_of(n, i);
		*ret_looser |= effect_of(n, i) < effect_of(o, i);
	}
	/* mode `full` takes precedence over an `otherwise` that only a default sets */
	if (id == IR_S_NET_OTHERWISE &&
	    (o->set && o->level != IR_DEFAULT) != (n->set && n->level != IR_DEFAULT))
		differs = *ret_looser = true;
	if (is_effect(t))
		return differs;
	if (limit && o->set != n->set && DIFF_ON("limit-set")) {
		*ret_looser = !n->set;
		return true;
	}
	*ret_looser = by_size(o->num, n->num) > 0;
	return (!limit || o->set) && o->num != n->num;
}

/*
 * Do the two differ only for classes that no command or tool of these policies has?  Those of
 * a level that is not compared may have them.
 */
static bool is_for_no_class(const struct diff *d, enum ir_scalar_id id)
{
	enum ir_kind kind = id == IR_S_TOOL_OTHERWISE ? IR_TOOL : IR_COMMAND;
	bool there[IR_RISK_COUNT] = { [IR_RISK_MEDIUM] = true };
	size_t i;
	int s, class;

	if (id != IR_S_COMMAND_OTHERWISE && id != IR_S_TOOL_OTHERWISE && id != IR_S_SANDBOX_OTHERWISE)
		return false;
	for (i = 0; i < d->items[kind].n; i++)
		for (s = 0; s < 2; s++)
			if (d->items[kind].v[i]->risk[s])
				there[d->items[kind].v[i]->risk[s]->risk] = true;
	for (class = 0; class < IR_RISK_COUNT; class++)
		if (there[class] && effect_of(value(d, DIFF_OLD, id), class) !=
					    effect_of(value(d, DIFF_NEW, id), class))
			return false;
	return true;
}

static struct diff_said said(enum ir_scalar_id id, const struct ir_scalar *s)
{
	struct diff_said v = diff_said_scalar(s);

	v.scalar = s;
	v.scalar_id = id;
	return v;
}

static void add(struct diff *d, enum ir_scalar_id id, enum diff_change change,
		bool widening)
{
	struct diff_finding f = {
		.kind = ir_scalar_section(id), .change = change, .widening = widening};
	int s;

	for (s = 0; s < 2; s++)
		f.side[s] = said(id, value(d, s, id));
	VEC_PUSH(d->a, &d->ret->findings, f);
}

static void compare_lock(struct diff *d, enum ir_scalar_id id)
{
	const struct ir_scalar *o = value(d, DIFF_OLD, id);
	const struct ir_scalar *n = value(d, DIFF_NEW, id);

	if (!DIFF_ON("scalar-locks"))
		return;
	if (o->locked && (!n->locked || n->level > o->level))
		add(d, id, DIFF_LOCK_LOST, true);
	else if (n->locked && (!o->locked || n->level < o->level))
		add(d, id, DIFF_LOCK_ADDED, false);
}

/*
 * The same value of another level: one that is not compared here may come between, and set
 * another value.  Nothing comes between the user's level and the library's.
 */
static void compare_level(struct diff *d, enum ir_scalar_id id)
{
	const struct ir_scalar *o = value(d, DIFF_OLD, id);
	const struct ir_scalar *n = value(d, DIFF_NEW, id);
	enum ir_level x = o->set && o->level ? o->level : IR_DEFAULT;
	enum ir_level y = n->set && n->level ? n->level : IR_DEFAULT;

	if (x != y && (x < IR_USER || y < IR_USER) && DIFF_ON("scalar-levels"))
		add(d, id, DIFF_LEVEL, true);
}

static void compare(struct diff *d, enum ir_scalar_id id)
{
	struct diff_doubt doubt = { .why = STR("no request was found that it decides "
					      "differently")};
	struct asked q = { .d = d, .told = { .value = d->ir[DIFF_NEW]->scalars[id].id } };
	struct arena tmp;
	bool looser, decides;
	int s;

	if (is_unsaid(d, id))
		return;
	compare_lock(d, id);
	if (!differs(id, value(d, DIFF_OLD, id), value(d, DIFF_NEW, id), &looser)) {
		compare_level(d, id);
		return;
	}
	arena_init(&tmp, ARENA_DEFAULT_BUDGET);
	q.tmp = &tmp;
	decides = ask_about(&q, id);
	arena_release(&tmp);
	/* the mode does more than decide requests: it chooses which network there is */
	if (!decides || id == IR_S_NET_MODE) {
		add(d, id, looser ? DIFF_LOOSER : DIFF_TIGHTER, looser);
		return;
	}
	if (q.told.changes && (q.told.widening || !looser))
		return;
	if (is_for_no_class(d, id)) {
		add(d, id, looser ? DIFF_LOOSER : DIFF_TIGHTER, looser);
		return;
	}
	/* the finding about the mode says more: a mode that is tighter permits nothing more */
	if (id == IR_S_NET_OTHERWISE && d->ir[DIFF_OLD]->scalars[IR_S_NET_MODE].num !=
						d->ir[DIFF_NEW]->scalars[IR_S_NET_MODE].num)
		return;
	for (s = 0; s < 2; s++)
		doubt.side[s] = said(id, value(d, s, id));
	diff_doubt_add(d, doubt);
}

void diff_scalars(struct diff *d)
{
	int i;

	for (i = 0; i < IR_SCALAR_COUNT; i++)
		compare(d, (enum ir_scalar_id)i);
}
