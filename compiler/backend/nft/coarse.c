/*
 * Makes a region coarser in two steps.  First each list of ports says only what the kernel
 * does (accept, reject, the rest), and no longer for which statement.  If there are still
 * too many blocks, addresses are taken together in units of 2^k, with the smallest k
 * that suffices: a unit in which a block begins or ends has what its parts have together.
 */
#include "compiler/backend/nft/coarse.h"

#include "compiler/backend/common/util.h"
#include "compiler/base/map.h"

struct coarse {
	const struct ir *ir;
	const struct region *from;
	struct arena *a;
	struct region *out;
	struct map lists;  /* of `out`, keyed by their bytes */
	struct map joined; /* lists of `out`, keyed by struct pair */
	uint32_t *plain[2]; /* tcp, udp: by list of `from`, what the kernel does */
	struct region_piece rest;
	unsigned bits[2];   /* v4, v6: the k of the units */
	size_t blocks[2];   /* what that has led to */
};

struct pair {
	uint32_t x, y, proto;
};

/* --- what the kernel does ------------------------------------------------------- */

/*
 * The kernel cannot ask: outside of the loopback the gateway asks about a connection, and on
 * the loopback an ask is a deny.  A datagram never leaves, so that what is allowed outside
 * of the loopback is left to the last rules.
 */
enum coarse_outcome coarse_outcome(const struct ir *ir, const struct region_piece *p,
				   unsigned proto, bool loopback)
{
	if (p->rule >= ir->rules.n && p->rule != REGION_MANY)
		return COARSE_REST;
	if (p->effect > IR_ASK)
		return COARSE_REJECT;
	if (loopback)
		return p->effect == IR_ALLOW ? COARSE_ACCEPT : COARSE_REJECT;
	return proto == 0 ? COARSE_ACCEPT : COARSE_REST;
}

static uint32_t list_of(struct coarse *c, struct region_piece *v, size_t n)
{
	struct str key = { (const char *)v, n * sizeof(*v) };
	uint32_t *at = map_get(&c->lists, key);

	if (!at) {
		struct region_list l = { v, n };

		at = ARENA_NEW(c->a, uint32_t);
		*at = (uint32_t)c->out->lists.n;
		VEC_PUSH(c->a, &c->out->lists, l);
		(void)map_put(&c->lists, key, at);
	}
	return *at;
}

static struct region_piece piece_of(const struct coarse *c, enum coarse_outcome o)
{
	struct region_piece p = c->rest;

	if (o != COARSE_REST) {
		p.effect = o == COARSE_ACCEPT ? IR_ALLOW : IR_DENY;
		p.rule = REGION_MANY;
	}
	return p;
}

/* Adds what happens up to port `hi`. */
static void add_piece(const struct coarse *c, struct region_piece *v, size_t *n,
		      enum coarse_outcome o, uint16_t hi)
{
	struct region_piece p = piece_of(c, o);

	if (*n && v[*n - 1].rule == p.rule && v[*n - 1].effect == p.effect)
		--*n;
	p.hi = hi;
	v[(*n)++] = p;
}

static uint32_t plain_list(struct coarse *c, uint32_t list, unsigned proto)
{
	const struct region_list *l = &c->from->lists.v[list];
	uint32_t *at = &c->plain[proto][list];
	struct region_piece *v;
	size_t n = 0;

	if (*at != UINT32_MAX)
		return *at;
	v = arena_array(c->a, l->n, sizeof(*v));
	for (size_t i = 0; i < l->n; i++)
		add_piece(c, v, &n, coarse_outcome(c->ir, &l->v[i], proto, false),
			  l->v[i].hi);
	*at = list_of(c, v, n);
	return *at;
}

/* What a unit has in which some addresses have `x` and some `y`. */
static enum coarse_outcome join(const struct coarse *c, enum coarse_outcome x,
				enum coarse_outcome y, unsigned proto)
{
	enum coarse_outcome rest = c->rest.effect <= IR_ASK ? COARSE_ACCEPT : COARSE_REJECT;

	if (x == y)
		return x;
	/* all datagrams are rejected, by one rule or another */
	if (proto == 1)
		return COARSE_REJECT;
	x = x == COARSE_REST ? rest : x;
	y = y == COARSE_REST ? rest : y;
	return x == COARSE_ACCEPT || y == COARSE_ACCEPT ? COARSE_ACCEPT : COARSE_REJECT;
}

static uint32_t join_lists(struct coarse *c, uint32_t x, uint32_t y, unsigned proto)
{
	struct pair pair = { x < y ? x : y, x < y ? y : x, proto }, *own;
	struct str key = { (const char *)&pair, sizeof(pair) };
	uint32_t *at = map_get(&c->joined, key);
	const struct region_list *lx = &c->out->lists.v[x], *ly = &c->out->lists.v[y];
	struct region_piece *v;
	size_t n = 0, i = 0, k = 0;

	if (at || x == y)
		return at ? *at : x;
	v = arena_array(c->a, lx->n + ly->n, sizeof(*v));
	while (i < lx->n && k < ly->n) {
		uint16_t xhi = lx->v[i].hi, yhi = ly->v[k].hi;
		uint16_t hi = xhi < yhi ? xhi : yhi;

		add_piece(c, v, &n, join(c, coarse_outcome(c->ir, &lx->v[i], proto, false),
					 coarse_outcome(c->ir, &ly->v[k], proto, false),
					 proto), hi);
		i += xhi == hi;
		k += yhi == hi;
	}
	own = arena_dup(c->a, &pair, sizeof(pair));
	at = ARENA_NEW(c->a, uint32_t);
	*at = list_of(c, v, n);
	(void)map_put(&c->joined, (struct str){ (const char *)own, sizeof(*own) }, at);
	return *at;
}

/* --- addresses ------------------------------------------------------------------- */

static unsigned family_of(region_addr a)
{
	return a >= REGION_V4_LO && a <= REGION_V4_HI ? 0 : 1;
}

static void add_slab(struct coarse *c, struct region_slab s)
{
	const struct region_slab *last =
		c->out->slabs.n ? VEC_LAST(&c->out->slabs) : NULL;

	if (last && !region_is_fixed_bound(s.lo) && last->list[0] == s.list[0] &&
	    last->list[1] == s.list[1])
		return;
	VEC_PUSH(c->a, &c->out->slabs, s);
	for (unsigned proto = 0; proto < 2; proto++) {
		const struct region_list *l = &c->out->lists.v[s.list[proto]];

		for (size_t i = 0; i < l->n; i++)
			c->blocks[family_of(s.lo)] +=
				coarse_outcome(c->ir, &l->v[i], proto, false) != COARSE_REST;
	}
}

static struct region_slab plain_slab(struct coarse *c, size_t i, region_addr lo)
{
	struct region_slab s = c->from->slabs.v[i];

	s.lo = lo;
	for (unsigned proto = 0; proto < 2; proto++)
		s.list[proto] = plain_list(c, s.list[proto], proto);
	return s;
}

/* Slabs `i` to `end`, between two bounds of region_is_fixed_bound(). */
static void add_segment(struct coarse *c, size_t i, size_t end)
{
	const struct region *r = c->from;
	region_addr at = r->slabs.v[i].lo, last = region_end(r, end - 1);
	unsigned k = c->bits[family_of(at)];
	region_addr unit = k >= 128 ? ~(region_addr)0 : ((region_addr)1 << k) - 1;

	/* `at` lies in slab `i`, and where a unit or the segment begins */
	for (;;) {
		region_addr bound = region_end(r, i) + 1, from = bound & ~unit;
		struct region_slab s = plain_slab(c, i, at);

		if (i + 1 == end || !(bound & unit)) {
			add_slab(c, s);
			if (++i == end)
				return;
			at = bound;
			continue;
		}
		if (from > at)
			add_slab(c, s);
		s.lo = from > at ? from : at;
		at = last < (bound | unit) ? last : bound | unit;
		while (region_end(r, i) < at) {
			struct region_slab more = plain_slab(c, ++i, at);

			for (unsigned proto = 0; proto < 2; proto++)
				s.list[proto] = join_lists(c, s.list[proto],
							   more.list[proto], proto);
		}
		add_slab(c, s);
		if (at == last)
			return;
		i += region_end(r, i) == at;
		at++;
	}
}

static void build(struct coarse *c)
{
	const struct region *r = c->from;
	size_t end;

	c->out->slabs.n = c->blocks[0] = c->blocks[1] = 0;
	for (size_t i = 0; i < r->slabs.n; i = end) {
		for (end = i + 1; end < r->slabs.n; end++)
			if (region_is_fixed_bound(r->slabs.v[end].lo))
				break;
		if (!region_is_loopback(r->slabs.v[i].lo)) {
			add_segment(c, i, end);
			continue;
		}
		for (size_t k = i; k < end; k++)
			VEC_PUSH(c->a, &c->out->slabs, r->slabs.v[k]);
	}
}

/* --- the whole ------------------------------------------------------------------- */

static size_t count_statements(const struct ir *ir, const struct region *r, struct arena *a)
{
	bool *seen = arena_array(a, ir->rules.n + 1, sizeof(*seen));
	bool *looked = arena_array(a, r->lists.n, sizeof(*looked));
	size_t n = 0;

	for (size_t i = 0; i < r->slabs.n; i++)
		for (unsigned proto = 0; proto < 2; proto++) {
			const struct region_slab *s = &r->slabs.v[i];
			const struct region_list *l = &r->lists.v[s->list[proto]];

			if (region_is_loopback(s->lo) || looked[s->list[proto]])
				continue;
			looked[s->list[proto]] = true;
			for (size_t k = 0; k < l->n; k++) {
				uint32_t first;

				if (l->v[k].rule >= ir->rules.n)
					continue;
				first = region_statement(ir, l->v[k].rule);
				n += !seen[first];
				seen[first] = true;
			}
		}
	return n;
}

void coarse_make(const struct ir *ir, const struct region *r, size_t blocks,
		 struct arena *a, struct region *ret)
{
	static const unsigned most[2] = { 32, 128 };
	struct coarse c = { .ir = ir, .from = r, .a = a, .out = ret };
	enum ir_scalar_id otherwise;

	*ret = *r;
	if (r->slabs.n <= 2 * blocks && count_statements(ir, r, a) <= COARSE_STATEMENTS)
		return;
	c.rest.effect = region_otherwise(ir, &otherwise);
	c.rest.rule = bk_rule_of_scalar(ir, otherwise);
	map_init(&c.lists, a);
	map_init(&c.joined, a);
	for (unsigned proto = 0; proto < 2; proto++) {
		c.plain[proto] = arena_array(a, r->lists.n, sizeof(*c.plain[proto]));
		memset(c.plain[proto], 0xff, r->lists.n * sizeof(*c.plain[proto]));
	}
	/* classes and the loopback keep the numbers of their lists */
	ret->lists.v = arena_dup(a, r->lists.v, r->lists.n * sizeof(*r->lists.v));
	ret->lists.cap = r->lists.n;
	ret->slabs.v = NULL;
	ret->slabs.cap = 0;
	build(&c);
	for (unsigned family = 0; family < 2; family++) {
		unsigned lo = 0, hi = most[family]; /* `lo` does not suffice */

		if (c.blocks[family] <= blocks)
			continue;
		while (hi - lo > 1) {
			c.bits[family] = lo + (hi - lo) / 2;
			build(&c);
			if (c.blocks[family] <= blocks)
				hi = c.bits[family];
			else
				lo = c.bits[family];
		}
		c.bits[family] = hi;
		build(&c);
	}
}
