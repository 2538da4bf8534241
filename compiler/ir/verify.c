/*
 * Checks what ir.h promises of a whole IR.  Decides nothing about policies:
 * whatever is found here is a fault of the compiler, and ends it with 70.
 */
#include <stdarg.h>

#include "compiler/ir/ir.h"
#include "compiler/ir/value.h"
#include "compiler/ir/verify_set.h"

/* The first broken invariant; the rest of a check is skipped after it. */
struct check {
	const struct ir *ir;
	struct arena *a;
	const char *broken;
};

static bool fail(struct check *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static bool fail(struct check *c, const char *fmt, ...)
{
	char text[400];
	va_list ap;

	if (c->broken)
		return false;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	c->broken = arena_printf(c->a, "%s", text);
	return false;
}

static bool is_level(enum ir_level l)
{
	return l >= IR_MANAGED && l <= IR_DEFAULT;
}

static bool is_placed(const struct ir_place *p)
{
	return p->file.n && p->line >= 1 && p->col >= 1;
}

/* --- rules ----------------------------------------------------------------- */

/* By level, of one file by line, the floor last: the "first" of 3.1.  A file
 * that full and narrow-only files of one level use speaks twice. */
static bool in_order(const struct ir_rule *x, const struct ir_rule *y)
{
	if (x->floor != y->floor)
		return y->floor;
	if (x->level != y->level)
		return x->level < y->level;
	return !str_eq(x->at.file, y->at.file) || x->full != y->full ||
	       x->at.line <= y->at.line;
}

static bool check_head(struct check *c, const struct ir_rule *r, size_t i)
{
	if (r->index != i)
		return fail(c, "rule %zu has index %u", i, r->index);
	if (r->kind >= IR_KIND_COUNT || r->effect >= IR_EFFECT_COUNT ||
	    !is_level(r->level))
		return fail(c, "rule %zu: kind, effect or level out of range", i);
	if (!r->id.n || !r->text.n || !is_placed(&r->at))
		return fail(c, "rule %zu has no id, text or place", i);
	if (i > 0 && !in_order(c->ir->rules.v[i - 1], r))
		return fail(c, "rule %zu is out of order", i);
	if (r->scopes & ~(unsigned)IR_ALL_SCOPES)
		return fail(c, "rule %zu: scopes %u", i, r->scopes);
	return true;
}

static bool check_flags(struct check *c, const struct ir_rule *r)
{
	bool syscall_deny = r->kind == IR_SYSCALL && r->effect == IR_DENY;

	if (r->effect == IR_HIDE && r->kind != IR_FILE)
		return fail(c, "rule %u hides what is no file", r->index);
	if (r->final && (r->level > IR_MANAGED_FILE || r->effect == IR_ASK))
		return fail(c, "rule %u: final at %s, %s", r->index,
			    ir_level_name(r->level), ir_effect_name(r->effect));
	if (r->floor && (r->level != IR_DEFAULT || r->effect == IR_ALLOW))
		return fail(c, "rule %u of the floor is no default deny", r->index);
	if (r->scratch && (r->kind != IR_FILE || r->effect != IR_ALLOW ||
			   (r->scopes & IR_HOST)))
		return fail(c, "rule %u: scratch that is no allow in the sandbox",
			    r->index);
	if (r->soft && (r->effect != IR_ASK || r->level == IR_MANAGED))
		return fail(c, "rule %u is soft", r->index);
	if (r->effect == IR_ALLOW && !r->full && r->level != IR_DEFAULT)
		return fail(c, "rule %u: an allow of a narrow-only level", r->index);
	if (r->may_yes && r->effect != IR_ASK)
		return fail(c, "rule %u: may yes, and asks nothing", r->index);
	if (r->until.n && r->until.n != strlen("YYYY-MM-DD"))
		return fail(c, "rule %u: until is no date", r->index);
	if (r->role.n && !str_eq(r->role, c->ir->role))
		return fail(c, "rule %u: of a role that was not chosen", r->index);
	if (syscall_deny ? r->err < 1 || r->err > 4095 : r->err != 0)
		return fail(c, "rule %u: errno %u", r->index, r->err);
	return true;
}

static bool check_rule_sets(struct check *c, const struct ir_rule *r)
{
	bool broad = r->effect != IR_ALLOW;
	const char *why = ir_verify_set(r->kind, &r->set, broad);
	unsigned ops = r->kind == IR_FILE ? r->set.u.file.ops : 0;
	size_t i;

	if (r->kind == IR_FILE &&
	    (r->effect == IR_HIDE ? ops != IR_ALL_OPS :
	     ops != IR_READ && ops != IR_WRITE && ops != IR_EXEC))
		return fail(c, "rule %u: operations %u", r->index, ops);
	for (i = 0; i < r->nexcept && !why; i++)
		why = ir_verify_set(r->kind, &r->except[i], !broad);
	return why ? fail(c, "rule %u: %s", r->index, why) : true;
}

static bool check_lifted(struct check *c, const struct ir_rule *r)
{
	size_t i;

	if (!r->nlifted_by)
		return true;
	if (!c->ir->lifted || r->level != IR_DEFAULT || r->effect == IR_ALLOW)
		return fail(c, "rule %u: lifted, but no default deny or ask",
			    r->index);
	for (i = 0; i < r->nlifted_by; i++) {
		uint32_t by = r->lifted_by[i];
		const struct ir_rule *l;

		if (by >= c->ir->rules.n || (i > 0 && by <= r->lifted_by[i - 1]))
			return fail(c, "rule %u: lifted by %u, out of order",
				    r->index, by);
		l = c->ir->rules.v[by];
		if (l->effect != IR_ALLOW || l->kind != r->kind ||
		    l->level == IR_DEFAULT)
			return fail(c, "rule %u: rule %u lifts it but cannot",
				    r->index, by);
		if (r->floor && !(l->final && l->level <= IR_MANAGED_FILE) &&
		    !(r->kind == IR_FILE && l->full))
			return fail(c, "rule %u of the floor: rule %u lifts it",
				    r->index, by);
	}
	return true;
}

static void check_rules(struct check *c)
{
	size_t i;

	for (i = 0; i < c->ir->rules.n && !c->broken; i++) {
		const struct ir_rule *r = c->ir->rules.v[i];

		if (check_head(c, r, i) && check_flags(c, r) &&
		    check_rule_sets(c, r))
			check_lifted(c, r);
	}
}

/* --- scalars ----------------------------------------------------------------- */

static bool check_effects(struct check *c, const char *id, enum ir_scalar_type t,
			  const struct ir_scalar *s)
{
	int i;

	if (t != IR_T_EFFECT && t != IR_T_OTHERWISE)
		return s->by_risk ? fail(c, "scalar %s is by risk", id) : true;
	if (s->effect > IR_DENY)
		return fail(c, "scalar %s: effect out of range", id);
	if (!s->by_risk)
		return true;
	if (t != IR_T_OTHERWISE)
		return fail(c, "scalar %s is by risk", id);
	for (i = 0; i < IR_RISK_COUNT; i++)
		if (s->effects[i] > IR_DENY ||
		    (i > 0 && s->effects[i] < s->effects[i - 1]))
			return fail(c, "scalar %s: %s is milder than the class below",
				    id, ir_risk_name((enum ir_risk)i));
	return true;
}

static bool check_value(struct check *c, enum ir_scalar_id n,
			const struct ir_scalar *s)
{
	const char *id = arena_printf(c->a, "%s-%s", ir_scalar_section(n),
				      ir_scalar_key(n));
	enum ir_scalar_type t = ir_scalar_type(n);

	if (!is_level(s->level))
		return fail(c, "scalar %s: level out of range", id);
	if (s->locked && s->level > IR_MANAGED_FILE)
		return fail(c, "scalar %s: locked by %s", id, ir_level_name(s->level));
	if (!s->id.n)
		return fail(c, "scalar %s has no id", id);
	if (s->set && !is_placed(&s->at))
		return fail(c, "scalar %s is set nowhere", id);
	if (t == IR_T_MODE && s->num > IR_NET_FULL)
		return fail(c, "scalar %s: mode out of range", id);
	return check_effects(c, id, t, s);
}

static void check_scalars(struct check *c)
{
	const struct ir_scalar *base = &c->ir->scalars[IR_S_BASE];
	size_t i, k;

	for (i = 0; i < IR_SCALAR_COUNT; i++) {
		const struct ir_scalar *s = &c->ir->scalars[i];

		if (!check_value(c, (enum ir_scalar_id)i, s))
			return;
		for (k = 0; k < s->nover; k++) {
			if (!check_value(c, (enum ir_scalar_id)i, &s->over[k]))
				return;
			if (k > 0 && s->over[k].level < s->over[k - 1].level) {
				fail(c, "scalar %zu: overrides out of order", i);
				return;
			}
		}
	}
	if (c->ir->base_none != str_eqz(base->text, "none") ||
	    (!c->ir->base_none && !str_eqz(base->text, "std")))
		fail(c, "base is '%.*s'", STR_ARG(base->text));
}

/* --- the rest ------------------------------------------------------------------- */

static void check_dropped(struct check *c)
{
	for (size_t i = 0; i < c->ir->dropped.n; i++)
		if (!c->ir->dropped.v[i].why.n || !is_placed(&c->ir->dropped.v[i].at))
			fail(c, "dropped statement %zu: no reason or place", i);
}

static bool is_env_name(struct str s)
{
	return s.n && !memchr(s.p, '=', s.n) && !memchr(s.p, 0, s.n);
}

static void check_env(struct check *c)
{
	size_t i;

	for (i = 0; i < c->ir->keep.n; i++)
		if (!is_env_name(c->ir->keep.v[i].name) ||
		    !is_level(c->ir->keep.v[i].level))
			fail(c, "env keep %zu: name or level", i);
	for (i = 0; i < c->ir->env.n; i++) {
		const struct ir_env_set *e = &c->ir->env.v[i];

		if (!is_env_name(e->name) || !is_level(e->level) ||
		    (e->value.n && memchr(e->value.p, 0, e->value.n)))
			fail(c, "env set %zu: name, value or level", i);
	}
	for (i = 0; i < c->ir->secrets.n; i++) {
		const struct ir_env_secret *e = &c->ir->secrets.v[i];

		if (!is_env_name(e->name) || !is_level(e->level) || !e->from.n ||
		    memchr(e->from.p, 0, e->from.n) || !is_placed(&e->at))
			fail(c, "env secret %zu: name, source, level or place", i);
	}
}

static void check_env_locks(struct check *c)
{
	size_t i;

	for (i = 0; i < c->ir->env_locks.n; i++) {
		const struct ir_env_lock *k = &c->ir->env_locks.v[i];

		if ((k->keep ? k->name.n != 0 : !is_env_name(k->name)) ||
		    (k->level != IR_MANAGED && k->level != IR_MANAGED_FILE) ||
		    !is_placed(&k->at))
			fail(c, "env lock %zu: name, level or place", i);
	}
}

static bool check_setting(struct check *c, const struct ir_setting *s)
{
	const char *why = ir_value_verify(&s->value);

	if (s->part >= IR_PART_COUNT || !s->key.n || memchr(s->key.p, 0, s->key.n))
		return fail(c, "a setting: part or key");
	if (why)
		return fail(c, "setting '%.*s': %s", STR_ARG(s->key), why);
	if (!is_level(s->level) || !is_placed(&s->at) || !s->id.n)
		return fail(c, "setting '%.*s': level, place or id", STR_ARG(s->key));
	if (s->locked && s->level > IR_MANAGED_FILE)
		return fail(c, "setting '%.*s': locked by %s", STR_ARG(s->key),
			    ir_level_name(s->level));
	return true;
}

static int setting_order(const struct ir_setting *x, const struct ir_setting *y)
{
	if (x->part != y->part)
		return x->part < y->part ? -1 : 1;
	return str_cmp(x->key, y->key);
}

static void check_settings(struct check *c)
{
	size_t i, k;

	for (i = 0; i < c->ir->settings.n && !c->broken; i++) {
		const struct ir_setting *s = &c->ir->settings.v[i];

		if (!check_setting(c, s))
			return;
		if (i > 0 && setting_order(s - 1, s) >= 0)
			fail(c, "setting '%.*s' is out of order", STR_ARG(s->key));
		for (k = 0; k < s->nover && check_setting(c, &s->over[k]); k++)
			if (setting_order(s, &s->over[k]) != 0 || s->over[k].nover ||
			    (k > 0 && s->over[k].level < s->over[k - 1].level))
				fail(c, "setting '%.*s': overrides", STR_ARG(s->key));
	}
	for (i = 0; i < c->ir->roles.n; i++)
		if (!c->ir->roles.v[i].name.n || !is_placed(&c->ir->roles.v[i].at) ||
		    (i > 0 && str_cmp(c->ir->roles.v[i - 1].name,
				      c->ir->roles.v[i].name) >= 0))
			fail(c, "role %zu: name, place or order", i);
}

static void check_case(struct check *c, const struct ir_test_case *k)
{
	const struct ir_request *q = &k->request;
	size_t i;

	if (q->kind >= IR_KIND_COUNT || k->want >= IR_EFFECT_COUNT)
		fail(c, "a test case: kind or effect");
	if (q->kind == IR_COMMAND && !q->line.p && !q->unparsed && q->nargv == 0)
		fail(c, "a test case: a command without words");
	if (q->kind == IR_FILE && q->op != IR_READ && q->op != IR_WRITE &&
	    q->op != IR_EXEC)
		fail(c, "a test case: operation %u", (unsigned)q->op);
	for (i = 0; i < q->nargv; i++)
		if (q->argv[i].n && memchr(q->argv[i].p, 0, q->argv[i].n))
			fail(c, "a test case: a word with a NUL");
}

static void check_rest(struct check *c)
{
	size_t i, k;

	for (i = 0; i < IR_KIND_COUNT; i++)
		if ((unsigned)c->ir->locked[i].level > IR_MANAGED_FILE)
			fail(c, "section %s: locked by %s",
			     ir_kind_name((enum ir_kind)i),
			     ir_level_name(c->ir->locked[i].level));
	for (i = 0; i < c->ir->files.n; i++) {
		if (!is_level(c->ir->files.v[i].level) || !c->ir->files.v[i].name.n)
			fail(c, "file %zu: level or name", i);
		if (i > 0 && c->ir->files.v[i].level < c->ir->files.v[i - 1].level)
			fail(c, "file %zu is out of order", i);
	}
	for (i = 0; i < c->ir->tests.n; i++)
		for (k = 0; k < c->ir->tests.v[i].ncases; k++)
			check_case(c, &c->ir->tests.v[i].cases[k]);
}

/* A tree that has a name, and a place where a name can be. */
static bool check_mount(struct check *c, size_t i)
{
	const struct ir_mount *m = &c->ir->mounts.v[i];
	const struct ir_rule *r = m->rule < c->ir->rules.n ? c->ir->rules.v[m->rule] : NULL;
	const struct ir_glob *g;

	if (!r || r->kind != IR_FILE || r->effect != IR_ALLOW || r->scratch ||
	    !r->set.u.file.path.below)
		return fail(c, "mount %zu names no allow rule of a tree", i);
	g = &r->set.u.file.path.glob;
	if (g->n == 0 && r->set.u.file.path.root == IR_ROOT_FS)
		return fail(c, "mount %zu is of everything", i);
	for (size_t k = 0; k < g->n; k++)
		if (g->v[k].op != IR_G_BYTE)
			return fail(c, "mount %zu is of a pattern", i);
	if (m->place.n < 2 || m->place.p[0] != '/' || m->place.p[m->place.n - 1] == '/' ||
	    memchr(m->place.p, 0, m->place.n))
		return fail(c, "mount %zu has no place", i);
	if (i > 0 && str_cmp(c->ir->mounts.v[i - 1].place, m->place) >= 0)
		return fail(c, "mount %zu is out of order", i);
	if (ir_mount_at(c->ir, m->place) != m)
		return fail(c, "mount %zu lies in another", i);
	return true;
}

static void check_mounts(struct check *c)
{
	for (size_t i = 0; i < c->ir->mounts.n && !c->broken; i++)
		check_mount(c, i);
}

const char *ir_verify(const struct ir *ir, struct arena *a)
{
	struct check c = { .ir = ir, .a = a };

	check_rules(&c);
	check_mounts(&c);
	check_scalars(&c);
	if (!c.broken)
		c.broken = ir_verify_facts(ir, a);
	check_dropped(&c);
	check_env(&c);
	check_env_locks(&c);
	check_settings(&c);
	check_rest(&c);
	return c.broken;
}
