/*
 * Computes the decision for every address and port by two sweeps: one over the
 * addresses where a block begins or ends, and in each slab one over the ports (sweep.c).
 */
#include "compiler/backend/nft/region_make.h"

#include <stdlib.h>

#include "compiler/backend/nft/region_names.h"
#include "compiler/backend/nft/sweep.h"
#include "compiler/backend/common/util.h"

/* Steps that the sweeps may take; about a second. */
#define BUDGET ((uint64_t)1 << 27)

/* --- the sweep over the addresses ------------------------------------------------- */

struct line {
	struct sweep *s;
	VEC(region_addr) bounds;
	VEC(struct sweep_block) spans; /* sorted by `lo` */
};

static void add_bounds(struct line *l, const struct num_cidr *c)
{
	VEC_PUSH(l->s->cells.a, &l->bounds, region_first(c));
	if (region_last(c) != ~(region_addr)0)
		VEC_PUSH(l->s->cells.a, &l->bounds, region_last(c) + 1);
}

/* Collects the rules that can match an address, and where their blocks begin and end. */
static void take_rules(struct line *l)
{
	static const region_addr fixed[] = { 0, REGION_V4_LO, REGION_V4_HI + 1,
					     REGION_LOOP4_LO, REGION_LOOP4_HI + 1,
					     REGION_LOOP6, REGION_LOOP6 + 1 };
	const struct ir *ir = l->s->cells.ir;

	for (size_t i = 0; i < POL_LEN(fixed); i++)
		VEC_PUSH(l->s->cells.a, &l->bounds, fixed[i]);
	for (size_t i = 0; i < ir->rules.n; i++) {
		const struct ir_rule *r = ir->rules.v[i];
		struct sweep_block span = { 0, ~(region_addr)0, r };

		if (!region_is_rule(r) || region_is_name(&r->set.u.net))
			continue;
		if (r->set.u.net.host == IR_HOST_CIDR) {
			span.lo = region_first(&r->set.u.net.cidr);
			span.hi = region_last(&r->set.u.net.cidr);
			add_bounds(l, &r->set.u.net.cidr);
		}
		for (size_t k = 0; k < r->nexcept; k++)
			if (r->except[k].u.net.host == IR_HOST_CIDR)
				add_bounds(l, &r->except[k].u.net.cidr);
		VEC_PUSH(l->s->cells.a, &l->spans, span);
	}
}

static int by_addr(const void *x, const void *y)
{
	region_addr a = *(const region_addr *)x, b = *(const region_addr *)y;

	return (a > b) - (a < b);
}

/* Compares spans; `lo` is the first member of a span. */
static int by_lo_addr(const void *x, const void *y)
{
	const struct sweep_block *a = x, *b = y;

	if (a->lo != b->lo)
		return a->lo < b->lo ? -1 : 1;
	return (a->rule->index > b->rule->index) - (a->rule->index < b->rule->index);
}

static void move_active(struct line *l, size_t *next, region_addr at)
{
	struct sweep *s = l->s;
	size_t kept = 0;

	for (size_t i = 0; i < s->nactive; i++)
		if (s->active[i].hi >= at)
			s->active[kept++] = s->active[i];
	for (; *next < l->spans.n && l->spans.v[*next].lo <= at; ++*next) {
		const struct sweep_block *new = &l->spans.v[*next];
		size_t k = kept++;

		for (; k > 0 && s->active[k - 1].rule->index > new->rule->index; k--)
			s->active[k] = s->active[k - 1];
		s->active[k] = *new;
	}
	s->nactive = kept;
}

static bool sweep_slab(struct line *l, size_t *next, region_addr at)
{
	struct cell_subject subject = { .kind = CELL_ADDR, .addr = at,
					 .loopback = region_is_loopback(at) };
	struct region *out = l->s->cells.out;
	struct region_slab slab = { .lo = at };
	const struct region_slab *last = out->slabs.n ? VEC_LAST(&out->slabs) : NULL;
	const struct region_reached *before =
		out->reached.n ? VEC_LAST(&out->reached) : NULL;
	struct region_reached reached = { .lo = at };
	uint32_t lists[SWEEP_LISTS];

	if (!sweep_pay(l->s, l->s->nactive + 1))
		return false;
	move_active(l, next, at);
	if (!sweep_ports(l->s, &subject, lists))
		return false;
	slab.list[0] = lists[SWEEP_TCP];
	slab.list[1] = lists[SWEEP_UDP];
	reached.list = lists[SWEEP_REACHED];
	if (!last || region_is_fixed_bound(at) || last->list[0] != slab.list[0] ||
	    last->list[1] != slab.list[1])
		VEC_PUSH(l->s->cells.a, &out->slabs, slab);
	if (!before || region_is_fixed_bound(at) || before->list != reached.list)
		VEC_PUSH(l->s->cells.a, &out->reached, reached);
	return true;
}

static bool sweep_addresses(struct sweep *s)
{
	struct line l = { .s = s };
	size_t next = 0;

	take_rules(&l);
	qsort(l.bounds.v, l.bounds.n, sizeof(*l.bounds.v), by_addr);
	if (l.spans.n)
		qsort(l.spans.v, l.spans.n, sizeof(*l.spans.v), by_lo_addr);
	s->nactive = 0;
	for (size_t i = 0; i < l.bounds.n; i++)
		if ((i == 0 || l.bounds.v[i] != l.bounds.v[i - 1]) &&
		    !sweep_slab(&l, &next, l.bounds.v[i]))
			return false;
	return true;
}

/* --- the whole ----------------------------------------------------------------------- */

bool region_make(const struct ir *ir, struct arena *a, struct region *ret)
{
	struct sweep s = { .cells = { .ir = ir, .a = a, .out = ret }, .left = BUDGET };
	struct region_grant plain = { .within = { NULL, 0, 0 } };
	size_t nports = 1, nrules = 0;

	*ret = (struct region){ .slabs = { NULL, 0, 0 } };
	map_init(&s.lists, a);
	map_init(&s.cells.grants, a);
	VEC_PUSH(a, &ret->grants, plain);
	for (size_t i = 0; i < ir->rules.n; i++)
		if (region_is_rule(ir->rules.v[i])) {
			nports += 2 + 2 * ir->rules.v[i]->nexcept;
			nrules++;
		}
	s.ports = arena_array(a, nports, sizeof(*s.ports));
	s.active = arena_array(a, nrules + 1, sizeof(*s.active));
	s.in = arena_array(a, nrules + 1, sizeof(*s.in));
	/* sweep_ports() uses the second half: the rules by their first port */
	s.match = arena_array(a, ir->rules.n + nrules + 1, sizeof(*s.match));
	return sweep_addresses(&s) && region_names(&s);
}
