/*
 * Host names: a class for each name that a rule or an exception mentions, decided like a
 * slab of addresses, and one for every other name.  Then the pools: which classes share
 * an interval of synthetic addresses, so that the kernel itself refuses the ports that
 * none of them may use.
 */
#include "compiler/backend/nft/region_names.h"

#include <stdlib.h>

#include "compiler/backend/common/util.h"
#include "runtime/base/address_guard.h"

#define INDICES (PB_POOL_SIZE - 1) /* index 0 is never given out */

struct names {
	struct sweep *s;
	struct map hosts;   /* entries, keyed by 'n' or 'b' and the name */
	struct map classes; /* numbers, keyed by their lists and is_local */
	VEC(struct ir_rule *) any; /* the rules without a host */
	size_t exact[PB_MAX_POOLS], wide[PB_MAX_POOLS]; /* entries of each pool */
};

/* One entry, and the rules that name it. */
struct entry {
	struct region_host host;
	VEC(const struct ir_rule *) rules;
};

static struct str key_of(struct arena *a, struct str name, bool below)
{
	return str_printf(a, "%c%.*s", below ? 'b' : 'n', STR_ARG(name));
}

static struct entry *add_entry(struct names *n, struct str name, bool below)
{
	struct str key = key_of(n->s->cells.a, name, below);
	struct entry *e = map_get(&n->hosts, key);

	if (e)
		return e;
	e = ARENA_NEW(n->s->cells.a, struct entry);
	e->host = (struct region_host){ .name = name, .below = below };
	VEC_PUSH(n->s->cells.a, &n->s->cells.out->hosts, e->host);
	(void)map_put(&n->hosts, key, e);
	return e;
}

static void take_rules(struct names *n)
{
	const struct ir *ir = n->s->cells.ir;

	(void)add_entry(n, STR("localhost"), false);
	(void)add_entry(n, STR("localhost"), true);
	for (size_t i = 0; i < ir->rules.n; i++) {
		const struct ir_rule *r = ir->rules.v[i];
		const struct ir_net *net = &r->set.u.net;

		if (!region_is_rule(r) || net->host == IR_HOST_CIDR)
			continue;
		if (region_is_name(net))
			VEC_PUSH(n->s->cells.a, &add_entry(n, net->name,
						     net->host == IR_HOST_BELOW)->rules, r);
		else
			VEC_PUSH(n->s->cells.a, &n->any, ir->rules.v[i]);
		for (size_t k = 0; k < r->nexcept; k++) {
			const struct ir_net *x = &r->except[k].u.net;

			if (region_is_name(x))
				(void)add_entry(n, x->name, x->host == IR_HOST_BELOW);
		}
	}
}

static int by_name(const void *x, const void *y)
{
	const struct region_host *a = x, *b = y;
	int r = str_cmp(a->name, b->name);

	return r ? r : (int)a->below - (int)b->below;
}

/* --- classes ------------------------------------------------------------------- */

static void activate(struct sweep *s, const struct ir_rule *r)
{
	s->active[s->nactive++] = (struct sweep_block){ .rule = r };
}

static int by_index(const void *x, const void *y)
{
	uint32_t a = ((const struct sweep_block *)x)->rule->index;
	uint32_t b = ((const struct sweep_block *)y)->rule->index;

	return (a > b) - (a < b);
}

static void activate_entry(struct names *n, struct str name, bool below)
{
	const struct entry *e = map_get(&n->hosts, key_of(n->s->cells.a, name, below));

	for (size_t i = 0; e && i < e->rules.n; i++)
		activate(n->s, e->rules.v[i]);
}

/* Makes the rules active that match a name of this entry; no rule is in two places. */
static void find_rules(struct names *n, const struct cell_subject *at)
{
	struct sweep *s = n->s;

	s->nactive = 0;
	for (size_t i = 0; i < n->any.n; i++)
		activate(s, n->any.v[i]);
	if (at->kind == CELL_NAME)
		activate_entry(n, at->name, false);
	if (at->kind == CELL_BELOW)
		activate_entry(n, at->name, true);
	for (size_t i = 1; at->kind != CELL_OTHER && i < at->name.n; i++)
		if (at->name.p[i] == '.')
			activate_entry(n, str_sub(at->name, i + 1, at->name.n - i - 1),
				       true);
	if (s->nactive)
		qsort(s->active, s->nactive, sizeof(*s->active), by_index);
}

static bool class_of(struct names *n, const struct cell_subject *at, uint32_t *ret)
{
	struct region_class c = {
		.pool = PB_NO_POOL,
		.is_local = at->kind == CELL_NAME && str_eqz(at->name, "localhost"),
	};
	uint32_t lists[SWEEP_LISTS];
	struct str key;
	uint32_t *number;

	find_rules(n, at);
	if (!sweep_pay(n->s, n->s->nactive + 1) || !sweep_ports(n->s, at, lists))
		return false;
	c.list[0] = lists[SWEEP_TCP];
	c.list[1] = lists[SWEEP_UDP];
	key = str_printf(n->s->cells.a, "%u %u %d", c.list[0], c.list[1], c.is_local);
	number = map_get(&n->classes, key);
	if (!number) {
		number = ARENA_NEW(n->s->cells.a, uint32_t);
		*number = (uint32_t)n->s->cells.out->classes.n;
		VEC_PUSH(n->s->cells.a, &n->s->cells.out->classes, c);
		(void)map_put(&n->classes, key, number);
	}
	*ret = *number;
	return true;
}

/* --- pools ------------------------------------------------------------------------ */

/* The ports of a list that lead out of the run, joined. */
static void reach_of(struct sweep *s, const struct region_list *l, struct region_pool *ret)
{
	VEC(struct region_ports) v = { NULL, 0, 0 };
	uint32_t lo = 0;

	for (size_t i = 0; i < l->n; lo = l->v[i].hi + 1u, i++) {
		struct region_ports p = { (uint16_t)lo, l->v[i].hi };

		if (l->v[i].effect > IR_ASK || l->v[i].free)
			continue;
		if (v.n && VEC_LAST(&v)->hi + 1u == lo)
			VEC_LAST(&v)->hi = p.hi;
		else
			VEC_PUSH(s->cells.a, &v, p);
	}
	ret->ports = v.v;
	ret->nports = v.n;
}

/* Adds the ports of `more` to the pool. */
static void widen(struct sweep *s, struct region_pool *pool, const struct region_pool *more)
{
	bool *in = arena_array(s->cells.a, UINT16_MAX + 2, sizeof(*in));
	VEC(struct region_ports) v = { NULL, 0, 0 };

	for (unsigned k = 0; k < 2; k++) {
		const struct region_pool *p = k ? more : pool;

		for (size_t i = 0; i < p->nports; i++)
			memset(in + p->ports[i].lo, true,
			       p->ports[i].hi - p->ports[i].lo + 1u);
	}
	for (uint32_t i = 0; i <= UINT16_MAX; i++) {
		struct region_ports p = { (uint16_t)i, (uint16_t)i };

		if (in[i] && i && in[i - 1])
			VEC_LAST(&v)->hi = p.hi;
		else if (in[i])
			VEC_PUSH(s->cells.a, &v, p);
	}
	pool->ports = v.v;
	pool->nports = v.n;
}

/*
 * Gives each class that reaches something a pool.  Classes with the same ports share one.
 * If there are too many, the last pool takes the rest, with the ports of all of them: the
 * gateway still decides each connection by its class.
 */
static void make_pools(struct names *n)
{
	struct region *out = n->s->cells.out;
	struct map seen; /* numbers of pools, keyed by their ports */

	map_init(&seen, n->s->cells.a);
	for (size_t i = 0; i < out->classes.n; i++) {
		struct region_class *c = &out->classes.v[i];
		struct region_pool p = { .first = 0 };
		uint32_t *number;
		struct str key;

		if (c->is_local)
			continue;
		reach_of(n->s, &out->lists.v[c->list[0]], &p);
		if (!p.nports)
			continue;
		key = (struct str){ (const char *)p.ports, p.nports * sizeof(*p.ports) };
		number = map_get(&seen, key);
		if (!number) {
			number = ARENA_NEW(n->s->cells.a, uint32_t);
			*number = (uint32_t)out->pools.n;
			if (out->pools.n < PB_MAX_POOLS)
				VEC_PUSH(n->s->cells.a, &out->pools, p);
			else
				widen(n->s, &out->pools.v[--*number], &p);
			(void)map_put(&seen, key, number);
		}
		c->pool = *number;
	}
}

static void count_entry(struct names *n, uint32_t class_, bool wide)
{
	uint32_t pool = n->s->cells.out->classes.v[class_].pool;

	if (pool != PB_NO_POOL)
		++*(wide ? &n->wide[pool] : &n->exact[pool]);
}

/*
 * Divides the synthetic addresses: one for each name that stands in a rule, the rest to
 * the pools with entries that cover many names.
 */
static void divide(struct names *n)
{
	struct region *out = n->s->cells.out;
	size_t exact = 0, wide = 0;
	uint64_t next = 1, rest;

	for (size_t i = 0; i < out->hosts.n; i++)
		count_entry(n, out->hosts.v[i].class_, out->hosts.v[i].below);
	count_entry(n, out->other_class, true);
	for (size_t k = 0; k < out->pools.n; k++) {
		exact += n->exact[k];
		wide += n->wide[k];
	}
	rest = exact < INDICES ? INDICES - exact : 0;
	for (size_t k = 0; k < out->pools.n; k++) {
		struct region_pool *p = &out->pools.v[k];
		uint64_t size = n->exact[k];

		if (exact + out->pools.n > INDICES) /* too many: each gets its share */
			size = size * (INDICES - out->pools.n) / exact + 1;
		else if (wide)
			size += rest * n->wide[k] / wide;
		p->first = (uint32_t)next;
		p->count = size ? (uint32_t)size : 1;
		next += p->count;
	}
}

bool region_names(struct sweep *s)
{
	struct names n = { .s = s };
	struct cell_subject other = { .kind = CELL_OTHER };
	struct region *out = s->cells.out;

	map_init(&n.hosts, s->cells.a);
	map_init(&n.classes, s->cells.a);
	take_rules(&n);
	qsort(out->hosts.v, out->hosts.n, sizeof(*out->hosts.v), by_name);
	for (size_t i = 0; i < out->hosts.n; i++) {
		struct region_host *h = &out->hosts.v[i];
		struct cell_subject at = { .kind = h->below ? CELL_BELOW : CELL_NAME,
					    .name = h->name,
					    .loopback = guard_is_localhost(h->name.p, h->name.n) };

		if (!class_of(&n, &at, &h->class_))
			return false;
	}
	if (!class_of(&n, &other, &out->other_class))
		return false;
	make_pools(&n);
	divide(&n);
	return true;
}
