/* Compares one piece of egress.bin with the evaluator's answer. */
#include "compiler/backend/nft/verify_piece.h"

#include <stdlib.h>

#include "compiler/backend/common/util.h"
#include "compiler/eval/grant.h"
#include "compiler/eval/levels.h"

/* --- free ------------------------------------------------------------------------- */

/*
 * Is it the run's own loopback, which is allowed because nothing else decides?  An ask of a
 * narrow-only level or below a lock only asks about that.
 */
static bool is_free(const struct ir *ir, const struct ir_request *q,
		    const struct eval_decision *d, struct arena *a)
{
	struct ir hard = *ir;
	struct eval_decision e = *d;
	enum ir_scalar_id s;

	if (!eval_is_own_loopback(q) || region_otherwise(ir, &s) == IR_ALLOW)
		return false;
	if (d->rule && !d->rule->soft)
		return false;
	if (d->rule) {
		hard.rules.v = NULL;
		hard.rules.n = hard.rules.cap = 0;
		for (size_t i = 0; i < ir->rules.n; i++)
			if (!ir->rules.v[i]->soft)
				VEC_PUSH(a, &hard.rules, ir->rules.v[i]);
		eval_decide(&hard, q, a, &e);
	}
	return !e.rule;
}

/* --- grants ----------------------------------------------------------------------- */

static bool is_text(const struct pb_egress *e, struct pb_str s, struct str want)
{
	return str_eq((struct str){ pb_strp(e, s), s.len }, want);
}

/* A limit is one for the whole statement, which is known by its first rule. */
static bool is_limit_of(const struct ir *ir, const struct ir_rule *by, uint32_t rule)
{
	const struct ir_rule *first = rule < ir->rules.n ? ir->rules.v[rule] : NULL;

	for (size_t i = 0; by && i < ir->rules.n; i++) {
		const struct ir_rule *x = ir->rules.v[i];

		if (x->kind == IR_NET && x->level == by->level && x->at.line == by->at.line &&
		    x->at.col == by->at.col && str_eq(x->at.file, by->at.file))
			return x == first;
	}
	return rule == 0;
}

/* --- within ---------------------------------------------------------------------- */

struct ranges {
	VEC(struct region_range) v;
};

static int by_first(const void *x, const void *y)
{
	const struct region_range *a = x, *b = y;

	return (a->lo > b->lo) - (a->lo < b->lo);
}

static void add_ranges(const struct num_cidr *c, bool all, struct arena *a, struct ranges *ret)
{
	region_addr from = region_first(c);
	struct region_range one;

	while (region_next_named(c, &from, &one)) {
		if (all && one.lo == region_first(c) && one.hi == region_last(c))
			one = (struct region_range){ 0, ~(region_addr)0 };
		VEC_PUSH(a, &ret->v, one);
	}
}

/* What the rules name.  Of one about a block of addresses all counts, if it names all of the
 * block: its destination is the address itself. */
static void find_ranges(const struct eval_grant *w, struct arena *a, struct ranges *ret)
{
	for (size_t i = 0; i < w->nblocks; i++)
		add_ranges(w->blocks[i], true, a, ret);
	for (size_t i = 0; i < w->nwithin; i++)
		add_ranges(w->within[i], false, a, ret);
	if (ret->v.n)
		qsort(ret->v.v, ret->v.n, sizeof(*ret->v.v), by_first);
}

/* Are the grant's ranges, ascending with gaps between them, the union of these? */
static bool same_ranges(const struct pb_egress *e, const struct pb_grant *g,
			const struct ranges *w)
{
	uint32_t k = 0;

	for (size_t i = 0; i < w->v.n;) {
		region_addr lo = w->v.v[i].lo, hi = w->v.v[i].hi;
		const struct pb_range *r;

		for (i++; i < w->v.n && (hi == ~(region_addr)0 || w->v.v[i].lo <= hi + 1); i++)
			hi = w->v.v[i].hi > hi ? w->v.v[i].hi : hi;
		if (k == g->within_count)
			return false;
		r = pb_at(e, e->ranges, sizeof(*r), g->within_first + k++);
		if (region_of(r->lo) != lo || region_of(r->hi) != hi)
			return false;
	}
	return k == g->within_count;
}

static const char *compare_grant(const struct ir *ir, const struct pb_egress *e,
				 const struct pb_grant *g, const struct ir_request *q,
				 const struct eval_decision *d, struct arena *a)
{
	struct ranges within = { { NULL, 0, 0 } };
	struct eval_grant all;
	const struct ir_grant *w = &all.more;

	eval_grant(ir, q, d, a, &all);
	find_ranges(&all, a, &within);
	if (g->bytes != w->bytes || g->connections != w->connections ||
	    !is_limit_of(ir, all.bytes_by, g->bytes_rule) ||
	    !is_limit_of(ir, all.connections_by, g->connections_rule))
		return "the limits are not those of the rules";
	if (!is_text(e, g->via, w->via) || !is_text(e, g->via_secret, w->via_secret))
		return "the proxy is not that of the rules";
	if (!is_text(e, g->header, w->header) || !is_text(e, g->prefix, w->prefix) ||
	    !is_text(e, g->secret, w->secret) || g->dial != w->dial)
		return "what is injected is not what the rules say";
	if (g->peek != (uint8_t)w->peek)
		return "what is looked at is not what the rules say";
	return same_ranges(e, g, &within) ? NULL :
					    "the addresses are not those that the rules name";
}

const char *nft_verify_piece(const struct ir *ir, const struct pb_egress *e,
			     const struct pb_piece *p, const struct ir_request *q,
			     const struct eval_decision *d, struct arena *a)
{
	if (p->effect != (uint8_t)d->effect)
		return PB_EGRESS " has another effect";
	if (p->rule != (d->rule ? region_statement(ir, d->rule->index) :
				  bk_rule_of_scalar(ir, d->scalar)))
		return PB_EGRESS " names another rule";
	if ((p->free == 1) != is_free(ir, q, d, a))
		return PB_EGRESS " takes it for another machine's";
	return compare_grant(ir, e, pb_at(e, e->grants, sizeof(struct pb_grant), p->grant), q,
			     d, a);
}

/* --- reached ---------------------------------------------------------------------- */

const char *nft_verify_reached(const struct ir *ir, const struct pb_piece *p,
			       const struct eval_decision *d)
{
	if (p->effect != (uint8_t)d->effect)
		return PB_EGRESS " has another effect for a name that leads there";
	if (p->rule != (d->rule ? region_statement(ir, d->rule->index) :
				  bk_rule_of_scalar(ir, d->scalar)))
		return PB_EGRESS " names another rule for a name that leads there";
	return NULL;
}
