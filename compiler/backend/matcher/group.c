/*
 * Decides to which automaton a rule of files, sockets or tools belongs: there is one
 * group for each input that a request has (clause.c does the same for commands).  An
 * exception under the root of its rule is subtracted from the rule's language; an
 * exception under another root becomes a language of its own.
 */
#include <assert.h>

#include "compiler/backend/matcher/internal.h"
#include "compiler/sets/lang.h"

struct rule_view {
	enum ir_kind kind;
	enum set_side side;
	const struct ir_set *set;
	const struct ir_set *except;
	size_t nexcept;
	uint32_t tag;
	uint8_t pb_kind;
};

static enum set_side opposite(enum set_side s)
{
	return s == SET_BROAD ? SET_NARROW : SET_BROAD;
}

static int key_cmp(const struct matcher_key *x, const struct matcher_key *y)
{
	return memcmp(x, y, sizeof(*x));
}

static struct matcher_group *group_of(struct matcher_groups *gs, struct matcher_key key)
{
	size_t i = 0, k;
	struct matcher_group new = { .key = key };

	while (i < gs->v.n && key_cmp(&gs->v.v[i].key, &key) < 0)
		i++;
	if (i < gs->v.n && key_cmp(&gs->v.v[i].key, &key) == 0)
		return &gs->v.v[i];
	VEC_PUSH(gs->a, &gs->v, new);
	for (k = gs->v.n - 1; k > i; k--)
		gs->v.v[k] = gs->v.v[k - 1];
	gs->v.v[i] = new;
	return &gs->v.v[i];
}

static void add(struct matcher_groups *gs, struct matcher_key key, struct set_re *re,
		struct set_re *minus, uint32_t tag, bool floating)
{
	struct matcher_group *g = group_of(gs, key);
	struct set_tagged t = { .re = re, .minus = minus, .tag = tag };

	if (floating)
		VEC_PUSH(gs->a, &g->floating, t);
	else
		VEC_PUSH(gs->a, &g->langs, t);
}

/*
 * A path pattern with "**" may begin to match at any component and then keeps on
 * matching.  So k of them together need two to the k states, multiplied by the states
 * of every other pattern in the same automaton.
 */
static bool is_floating(enum ir_kind kind, const struct ir_set *s)
{
	const struct ir_glob *g = kind == IR_FILE ? &s->u.file.path.glob :
						    &s->u.unix_path.glob;
	size_t i;

	if (kind != IR_FILE && kind != IR_UNIX)
		return false;
	for (i = 0; i < g->n; i++)
		if (g->v[i].op == IR_G_DIRS || g->v[i].op == IR_G_DEEP)
			return true;
	return false;
}

static struct set_re *re_of(struct arena *a, const struct rule_view *r,
			    const struct ir_set *s, enum set_side side)
{
	switch (r->kind) {
	case IR_TOOL:
		return set_from_word(a, &s->u.tool.glob, side);
	case IR_FILE:
		return set_from_path(a, &s->u.file.path);
	case IR_UNIX:
		return s->u.unix_path.abstract ?
			       set_from_word(a, &s->u.unix_path.glob, side) :
			       set_from_path(a, &s->u.unix_path);
	case IR_COMMAND:
	case IR_NET:
	case IR_SYSCALL:
	case IR_KIND_COUNT:
		break;
	}
	return set_none(a);
}

static struct matcher_key key_of(const struct rule_view *r, const struct ir_set *s)
{
	struct matcher_key k = { .kind = r->pb_kind };
	const struct ir_path *p = ir_set_path(r->kind, s);

	if (r->kind != IR_FILE && r->kind != IR_UNIX)
		return k;
	k.abstract = p->abstract;
	k.root = p->abstract ? 0 : (uint8_t)p->root;
	return k;
}

/* The operations of the rule to which the exception applies; 1 for other kinds. */
static uint8_t except_ops(const struct rule_view *r, const struct ir_set *e)
{
	if (r->kind != IR_FILE)
		return 1;
	return (uint8_t)(r->set->u.file.ops & e->u.file.ops);
}

/* Adds the exceptions that cannot be subtracted: one language for each set of
 * operations and root. */
static void add_separate(struct matcher_groups *gs, const struct rule_view *r,
			 const bool *separate)
{
	struct matcher_key own = key_of(r, r->set), key, k;
	bool *done = arena_array(gs->a, r->nexcept + 1, sizeof(*done));
	size_t i, n;

	for (i = 0; i < r->nexcept; i++) {
		struct set_re **v = arena_array(gs->a, r->nexcept, sizeof(*v));
		size_t nv = 0;
		bool floating = false;

		if (!separate[i] || done[i])
			continue;
		key = key_of(r, &r->except[i]);
		key.except = except_ops(r, &r->except[i]);
		for (n = i; n < r->nexcept; n++) {
			k = key_of(r, &r->except[n]);
			k.except = except_ops(r, &r->except[n]);
			if (!separate[n] || key_cmp(&k, &key) != 0)
				continue;
			done[n] = true;
			floating |= is_floating(r->kind, &r->except[n]);
			v[nv++] = re_of(gs->a, r, &r->except[n], opposite(r->side));
		}
		assert(key.abstract == own.abstract);
		add(gs, key, set_or_all(gs->a, v, nv), NULL, r->tag, floating);
	}
}

static void add_view(struct matcher_groups *gs, const struct rule_view *r)
{
	struct matcher_key own = key_of(r, r->set), key;
	struct set_re **minus = arena_array(gs->a, r->nexcept + 1, sizeof(*minus));
	size_t nminus = 0;
	bool *separate = arena_array(gs->a, r->nexcept + 1, sizeof(*separate));
	uint8_t all = except_ops(r, r->set), ops;
	size_t i;

	for (i = 0; i < r->nexcept; i++) {
		key = key_of(r, &r->except[i]);
		ops = except_ops(r, &r->except[i]);
		if (!ops || key.abstract != own.abstract)
			continue;
		separate[i] = key.root != own.root || ops != all;
		if (!separate[i])
			minus[nminus++] = re_of(gs->a, r, &r->except[i],
						opposite(r->side));
	}
	add_separate(gs, r, separate);
	add(gs, own, re_of(gs->a, r, r->set, r->side),
	    set_or_all(gs->a, minus, nminus), r->tag, is_floating(r->kind, r->set));
}

static void add_risks(struct matcher_groups *gs, const struct ir *ir)
{
	size_t i;

	for (i = 0; i < ir->risks.n; i++) {
		const struct ir_risk_fact *f = &ir->risks.v[i];
		struct rule_view v = { .kind = f->kind,
				       .side = f->risk == IR_RISK_LOW ? SET_NARROW :
									SET_BROAD,
				       .set = &f->set, .except = f->except,
				       .nexcept = f->nexcept, .pb_kind = PB_RISK };

		v.tag = (uint32_t)(ir->rules.n + IR_SCALAR_COUNT + i);
		if (f->kind == IR_TOOL)
			add_view(gs, &v);
	}
}

static void join(struct arena *a, struct matcher_group *g)
{
	size_t i;

	g->nanchored = g->langs.n;
	for (i = 0; i < g->floating.n; i++)
		VEC_PUSH(a, &g->langs, g->floating.v[i]);
	g->floating.n = 0;
}

void matcher_group(struct arena *a, const struct ir *ir, struct matcher_groups *ret)
{
	struct matcher_groups gs = { .a = a };
	size_t i;

	for (i = 0; i < ir->rules.n; i++) {
		const struct ir_rule *r = ir->rules.v[i];
		struct rule_view v = { .kind = r->kind, .side = set_side_of(r->effect),
				       .set = &r->set, .except = r->except,
				       .nexcept = r->nexcept, .tag = (uint32_t)i,
				       .pb_kind = (uint8_t)r->kind };

		if (r->scopes && (r->kind == IR_FILE || r->kind == IR_UNIX ||
				  r->kind == IR_TOOL))
			add_view(&gs, &v);
	}
	add_risks(&gs, ir);
	for (i = 0; i < gs.v.n; i++)
		join(a, &gs.v.v[i]);
	*ret = gs;
}
