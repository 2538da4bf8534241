/*
 * Computes the decision for every address and port by two sweeps: one over the
 * addresses where a block begins or ends, and in each slab one over the ports.
 * Semantics 3.1 is written here for the few rules that match in one cell; verify.c
 * compares the result with the evaluator.
 */
#include "compiler/backend/nft/region.h"

#include <stdlib.h>

#include "compiler/backend/common/util.h"

/* Steps that the sweeps may take; about a second. */
#define BUDGET ((uint64_t)1 << 27)

region_addr region_of(const uint8_t addr[16])
{
	region_addr a = 0;

	for (size_t i = 0; i < 16; i++)
		a = a << 8 | addr[i];
	return a;
}

void region_bytes(region_addr a, uint8_t out[16])
{
	for (size_t i = 16; i-- > 0; a >>= 8)
		out[i] = (uint8_t)a;
}

region_addr region_first(const struct num_cidr *c)
{
	return region_of(c->addr);
}

region_addr region_last(const struct num_cidr *c)
{
	region_addr host = c->bits ? ((region_addr)1 << (128 - c->bits)) - 1 :
				     ~(region_addr)0;

	return region_of(c->addr) | host;
}

region_addr region_end(const struct region *r, size_t i)
{
	return i + 1 < r->slabs.n ? r->slabs.v[i + 1].lo - 1 : ~(region_addr)0;
}

uint32_t region_statement(const struct ir *ir, uint32_t rule)
{
	const struct ir_rule *const *v = (const struct ir_rule *const *)ir->rules.v;
	uint32_t i = rule;

	if (rule >= ir->rules.n)
		return rule;
	/* rules of one statement are neighbours */
	while (i > 0 && v[i - 1]->kind == IR_NET && v[i - 1]->level == v[rule]->level &&
	       v[i - 1]->effect == v[rule]->effect &&
	       v[i - 1]->at.line == v[rule]->at.line &&
	       v[i - 1]->at.col == v[rule]->at.col &&
	       str_eq(v[i - 1]->at.file, v[rule]->at.file) &&
	       str_eq(v[i - 1]->id, v[rule]->id))
		i--;
	return i;
}

/* --- 3.1 over the rules that match ------------------------------------------- */

struct matched {
	const struct ir_rule **v; /* in the IR's order */
	size_t n;
};

struct cell {
	enum ir_effect effect;
	uint32_t rule;
};

static bool is_locked_out(const struct ir *ir, const struct ir_rule *r)
{
	enum ir_level lock = ir->locked[IR_NET].level;

	return r->effect == IR_ALLOW && lock != 0 && r->level > lock;
}

/* Step 1: the last level that counts; rules of lower levels do not. */
static enum ir_level last_level(const struct ir *ir, const struct matched *m)
{
	enum ir_level n = IR_USER;

	for (size_t i = 0; i < m->n; i++) {
		if (!m->v[i]->final)
			continue;
		if (m->v[i]->level == IR_MANAGED)
			return IR_MANAGED;
		if (m->v[i]->level == IR_MANAGED_FILE && !is_locked_out(ir, m->v[i]))
			n = IR_MANAGED_FILE;
	}
	return n;
}

static bool counts(const struct ir *ir, const struct ir_rule *r, enum ir_level n)
{
	return r->level <= n && !is_locked_out(ir, r);
}

/* Step 2: is this a default that an allow left by step 1 lifts? */
static bool is_lifted(const struct ir *ir, const struct ir_rule *r,
		      const struct matched *m, enum ir_level n)
{
	for (size_t i = 0; i < m->n; i++) {
		if (m->v[i]->effect != IR_ALLOW || !counts(ir, m->v[i], n))
			continue;
		for (size_t k = 0; k < r->nlifted_by; k++)
			if (r->lifted_by[k] == m->v[i]->index)
				return true;
	}
	return false;
}

/* Step 3: the first of the strictest rules; soft asks count only if `soft` is set. */
static const struct ir_rule *strictest(const struct ir *ir, const struct matched *m,
				       enum ir_level n, bool soft)
{
	const struct ir_rule *best = NULL;

	for (size_t i = 0; i < m->n; i++) {
		const struct ir_rule *r = m->v[i];
		bool in = r->level == IR_DEFAULT ?
				  r->effect != IR_ALLOW && !is_lifted(ir, r, m, n) :
				  counts(ir, r, n);

		if (in && (soft || !r->soft) && (!best || r->effect > best->effect))
			best = r;
	}
	return best;
}

/* Steps 4 and 5. */
static struct cell without_rules(const struct ir *ir, const struct matched *m)
{
	const struct ir_scalar *s = &ir->scalars[IR_S_NET_OTHERWISE];

	for (size_t i = 0; i < m->n && ir->locked[IR_NET].level == 0; i++)
		if (m->v[i]->level == IR_DEFAULT && m->v[i]->effect == IR_ALLOW)
			return (struct cell){ IR_ALLOW, m->v[i]->index };
	if (ir->scalars[IR_S_NET_MODE].num == IR_NET_FULL &&
	    (!s->set || s->level == IR_DEFAULT))
		return (struct cell){ IR_ALLOW, bk_rule_of_scalar(ir, IR_S_NET_MODE) };
	return (struct cell){ s->effect, bk_rule_of_scalar(ir, IR_S_NET_OTHERWISE) };
}

static struct cell decide(const struct ir *ir, const struct matched *m)
{
	enum ir_level n = last_level(ir, m);
	const struct ir_rule *hard = strictest(ir, m, n, false);
	const struct ir_rule *any = strictest(ir, m, n, true);
	struct cell c;

	if (!hard) {
		c = without_rules(ir, m);
		/* a soft ask alone does not turn a deny of `otherwise` into ask */
		if (!any || c.effect > IR_ASK)
			return c;
	}
	return (struct cell){ any->effect, any->index };
}

/* --- the sweeps ------------------------------------------------------------------ */

/* A rule during the addresses of its block. */
struct block {
	region_addr lo, hi;
	const struct ir_rule *rule;
};

struct sweep {
	const struct ir *ir;
	struct arena *a;
	struct region *out;
	struct map seen; /* lists, keyed by their bytes */
	VEC(region_addr) bounds;
	VEC(struct block) spans; /* sorted by `lo` */
	struct block *active;    /* in the order of the rules' indexes */
	size_t nactive;
	const struct ir_rule **in, **match; /* room for all rules */
	uint32_t *ports;
	uint64_t left; /* steps left of the budget */
};

static bool pay(struct sweep *s, uint64_t steps)
{
	if (steps > s->left)
		return false;
	s->left -= steps;
	return true;
}

/* Do the rule's exceptions take this cell away? */
static bool is_excepted(const struct ir_rule *r, region_addr at, unsigned proto,
			uint32_t port)
{
	for (size_t i = 0; i < r->nexcept; i++) {
		const struct ir_net *x = &r->except[i].u.net;

		if (!(x->protos & proto) || port < x->port_lo || port > x->port_hi)
			continue;
		if (x->host == IR_HOST_ANY ||
		    (x->host == IR_HOST_CIDR && at >= region_first(&x->cidr) &&
		     at <= region_last(&x->cidr)))
			return true;
	}
	return false;
}

static uint32_t list_of(struct sweep *s, const struct region_piece *v, size_t n)
{
	struct region_piece *own = arena_dup(s->a, v, n * sizeof(*v));
	struct str key = { (const char *)own, n * sizeof(*v) };
	uint32_t *at = map_get(&s->seen, key);

	if (!at) {
		struct region_list l = { own, n };

		at = ARENA_NEW(s->a, uint32_t);
		*at = (uint32_t)s->out->lists.n;
		VEC_PUSH(s->a, &s->out->lists, l);
		(void)map_put(&s->seen, key, at);
	}
	return *at;
}

static int by_number(const void *x, const void *y)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

	return (a > b) - (a < b);
}

static int by_port(const void *x, const void *y)
{
	const struct ir_rule *a = *(const struct ir_rule *const *)x;
	const struct ir_rule *b = *(const struct ir_rule *const *)y;

	return (a->set.u.net.port_lo > b->set.u.net.port_lo) -
	       (a->set.u.net.port_lo < b->set.u.net.port_lo);
}

/* Ports where a range of an active rule or of one of its exceptions begins or ends. */
static size_t port_bounds(struct sweep *s)
{
	size_t n = 0, kept = 1;

	s->ports[n++] = 0;
	for (size_t i = 0; i < s->nactive; i++) {
		const struct ir_rule *r = s->active[i].rule;

		s->ports[n++] = r->set.u.net.port_lo;
		s->ports[n++] = r->set.u.net.port_hi + 1u;
		for (size_t k = 0; k < r->nexcept; k++) {
			s->ports[n++] = r->except[k].u.net.port_lo;
			s->ports[n++] = r->except[k].u.net.port_hi + 1u;
		}
	}
	qsort(s->ports, n, sizeof(*s->ports), by_number);
	for (size_t i = 1; i < n; i++)
		if (s->ports[i] != s->ports[kept - 1] && s->ports[i] <= UINT16_MAX)
			s->ports[kept++] = s->ports[i];
	return kept;
}

/* Adds the rules that begin by `port` to `in`, in the order of their indexes, and
 * removes those that have ended. */
static size_t move_window(struct sweep *s, const struct ir_rule **by_lo, size_t *next,
			  size_t n, uint32_t port)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (s->in[i]->set.u.net.port_hi >= port)
			s->in[kept++] = s->in[i];
	for (; *next < s->nactive && by_lo[*next]->set.u.net.port_lo <= port; ++*next) {
		size_t at = kept++;

		for (; at > 0 && s->in[at - 1]->index > by_lo[*next]->index; at--)
			s->in[at] = s->in[at - 1];
		s->in[at] = by_lo[*next];
	}
	return kept;
}

/* Makes the two lists of the slab that begins at `lo`. */
static bool sweep_ports(struct sweep *s, region_addr lo, uint32_t ret[2])
{
	const struct ir_rule **by_lo = s->match + s->ir->rules.n;
	size_t nbounds = port_bounds(s), next = 0, n = 0;
	VEC(struct region_piece) out[2] = { { NULL, 0, 0 }, { NULL, 0, 0 } };

	for (size_t i = 0; i < s->nactive; i++)
		by_lo[i] = s->active[i].rule;
	if (s->nactive)
		qsort(by_lo, s->nactive, sizeof(*by_lo), by_port);
	if (!pay(s, s->nactive))
		return false;
	for (size_t b = 0; b < nbounds; b++) {
		uint16_t hi = b + 1 < nbounds ? (uint16_t)(s->ports[b + 1] - 1) :
						UINT16_MAX;

		n = move_window(s, by_lo, &next, n, s->ports[b]);
		if (!pay(s, 2 * n + 1))
			return false;
		for (unsigned p = 0; p < 2; p++) {
			struct matched m = { s->match, 0 };
			struct region_piece piece = { .hi = hi };
			struct cell c;

			for (size_t i = 0; i < n; i++)
				if ((s->in[i]->set.u.net.protos & (IR_TCP << p)) &&
				    !is_excepted(s->in[i], lo, IR_TCP << p,
						 s->ports[b]))
					m.v[m.n++] = s->in[i];
			c = decide(s->ir, &m);
			piece.effect = c.effect;
			piece.rule = c.rule;
			if (out[p].n && VEC_LAST(&out[p])->rule == c.rule &&
			    VEC_LAST(&out[p])->effect == c.effect)
				VEC_LAST(&out[p])->hi = hi;
			else
				VEC_PUSH(s->a, &out[p], piece);
		}
	}
	for (unsigned p = 0; p < 2; p++)
		ret[p] = list_of(s, out[p].v, out[p].n);
	return true;
}

static void add_bounds(struct sweep *s, const struct num_cidr *c)
{
	VEC_PUSH(s->a, &s->bounds, region_first(c));
	if (region_last(c) != ~(region_addr)0)
		VEC_PUSH(s->a, &s->bounds, region_last(c) + 1);
}

/* Collects the rules that can match an address, and where their blocks begin and end. */
static size_t take_rules(struct sweep *s)
{
	size_t nports = 1;

	VEC_PUSH(s->a, &s->bounds, (region_addr)0);
	VEC_PUSH(s->a, &s->bounds, REGION_V4_LO);
	VEC_PUSH(s->a, &s->bounds, REGION_V4_HI + 1);
	for (size_t i = 0; i < s->ir->rules.n; i++) {
		const struct ir_rule *r = s->ir->rules.v[i];
		struct block span = { 0, ~(region_addr)0, r };

		if (r->kind != IR_NET || !(r->scopes & IR_SANDBOX) ||
		    r->set.u.net.host == IR_HOST_NAME ||
		    r->set.u.net.host == IR_HOST_BELOW)
			continue;
		if (r->set.u.net.host == IR_HOST_CIDR) {
			span.lo = region_first(&r->set.u.net.cidr);
			span.hi = region_last(&r->set.u.net.cidr);
			add_bounds(s, &r->set.u.net.cidr);
		}
		for (size_t k = 0; k < r->nexcept; k++)
			if (r->except[k].u.net.host == IR_HOST_CIDR)
				add_bounds(s, &r->except[k].u.net.cidr);
		nports += 2 + 2 * r->nexcept;
		VEC_PUSH(s->a, &s->spans, span);
	}
	return nports;
}

static int by_addr(const void *x, const void *y)
{
	region_addr a = *(const region_addr *)x, b = *(const region_addr *)y;

	return (a > b) - (a < b);
}

/* Compares spans; `lo` is the first member of a span. */
static int by_lo_addr(const void *x, const void *y)
{
	const struct block *a = x, *b = y;

	if (a->lo != b->lo)
		return a->lo < b->lo ? -1 : 1;
	return (a->rule->index > b->rule->index) - (a->rule->index < b->rule->index);
}

static void move_active(struct sweep *s, size_t *next, region_addr at)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->nactive; i++)
		if (s->active[i].hi >= at)
			s->active[kept++] = s->active[i];
	for (; *next < s->spans.n && s->spans.v[*next].lo <= at; ++*next) {
		const struct block *new = &s->spans.v[*next];
		size_t k = kept++;

		for (; k > 0 && s->active[k - 1].rule->index > new->rule->index; k--)
			s->active[k] = s->active[k - 1];
		s->active[k] = *new;
	}
	s->nactive = kept;
}

static bool sweep_addresses(struct sweep *s)
{
	size_t next = 0;

	for (size_t i = 0; i < s->bounds.n; i++) {
		region_addr at = s->bounds.v[i];
		struct region_slab slab = { .lo = at };
		const struct region_slab *last;

		if (i > 0 && at == s->bounds.v[i - 1])
			continue;
		if (!pay(s, s->nactive + 1))
			return false;
		move_active(s, &next, at);
		if (!sweep_ports(s, at, slab.list))
			return false;
		last = s->out->slabs.n ? VEC_LAST(&s->out->slabs) : NULL;
		if (last && last->list[0] == slab.list[0] &&
		    last->list[1] == slab.list[1] && at != REGION_V4_LO &&
		    at != REGION_V4_HI + 1)
			continue;
		VEC_PUSH(s->a, &s->out->slabs, slab);
	}
	return true;
}

bool region_make(const struct ir *ir, struct arena *a, struct region *ret)
{
	struct sweep s = { .ir = ir, .a = a, .out = ret, .left = BUDGET };
	size_t nports;

	*ret = (struct region){ .slabs = { NULL, 0, 0 } };
	map_init(&s.seen, a);
	nports = take_rules(&s);
	s.ports = arena_array(a, nports, sizeof(*s.ports));
	s.active = arena_array(a, s.spans.n + 1, sizeof(*s.active));
	s.in = arena_array(a, s.spans.n + 1, sizeof(*s.in));
	/* sweep_ports() uses the second half: the rules by their first port */
	s.match = arena_array(a, ir->rules.n + s.spans.n + 1, sizeof(*s.match));
	qsort(s.bounds.v, s.bounds.n, sizeof(*s.bounds.v), by_addr);
	if (s.spans.n)
		qsort(s.spans.v, s.spans.n, sizeof(*s.spans.v), by_lo_addr);
	return sweep_addresses(&s);
}
