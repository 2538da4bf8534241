/* The arithmetic of addresses, and what follows for a whole run from the decisions. */
#include "compiler/backend/nft/region.h"

#include "runtime/base/address_guard.h"

#include "compiler/backend/common/util.h"

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

/* Does the block lie in one guarded range? */
static bool is_guarded_block(const struct num_cidr *c)
{
	struct num_cidr outer;
	unsigned bits;

	for (size_t at = 0; guard_next_range(&at, outer.addr, &bits);) {
		outer.bits = (uint8_t)bits;
		if (bits <= c->bits && region_first(&outer) <= region_first(c) &&
		    region_last(&outer) >= region_last(c))
			return true;
	}
	return false;
}

/* Narrows *r, whose first address is in none of the guarded ranges inside of the block, to end
 * before the next of them; or moves it behind one that holds its first address. */
static bool skip_ranges(const struct num_cidr *c, struct region_range *r)
{
	struct num_cidr inner;
	unsigned bits;

	for (size_t at = 0; guard_next_range(&at, inner.addr, &bits);) {
		region_addr lo, hi;

		if (bits <= c->bits)
			continue;
		inner.bits = (uint8_t)bits;
		lo = region_first(&inner);
		hi = region_last(&inner);
		if (hi < r->lo || lo > r->hi)
			continue;
		if (lo > r->lo) {
			r->hi = lo - 1;
			continue;
		}
		r->lo = hi + 1;
		return true;
	}
	return false;
}

bool region_next_named(const struct num_cidr *c, region_addr *from, struct region_range *ret)
{
	struct region_range r = { *from, region_last(c) };

	if (*from < region_first(c) || *from > region_last(c))
		return false;
	while (skip_ranges(c, &r)) {
		if (r.lo > region_last(c) || r.lo < *from)
			return false;
		r.hi = region_last(c);
	}
	*from = r.hi + 1;
	*ret = r;
	/* a block that reaches beyond a guarded range names nothing in it, and nothing beside it */
	if (r.lo == region_first(c) && r.hi == region_last(c))
		return true;
	return is_guarded_block(c);
}

region_addr region_end(const struct region *r, size_t i)
{
	return i + 1 < r->slabs.n ? r->slabs.v[i + 1].lo - 1 : ~(region_addr)0;
}

bool region_same_statement(const struct ir *ir, uint32_t x, uint32_t y)
{
	const struct ir_rule *a = ir->rules.v[x], *b = ir->rules.v[y];

	return a->kind == IR_NET && b->kind == IR_NET && a->level == b->level &&
	       a->effect == b->effect && a->at.line == b->at.line &&
	       a->at.col == b->at.col && str_eq(a->at.file, b->at.file) &&
	       str_eq(a->id, b->id);
}

uint32_t region_statement(const struct ir *ir, uint32_t rule)
{
	uint32_t i = rule;

	/* rules of one statement are neighbours */
	while (i < ir->rules.n && i > 0 && region_same_statement(ir, i - 1, i))
		i--;
	return i;
}

bool region_is_loopback(region_addr a)
{
	return (a >= REGION_LOOP4_LO && a <= REGION_LOOP4_HI) || a == REGION_LOOP6;
}

bool region_is_fixed_bound(region_addr a)
{
	return a == 0 || a == REGION_V4_LO || a == REGION_V4_HI + 1 ||
	       a == REGION_LOOP4_LO || a == REGION_LOOP4_HI + 1 || a == REGION_LOOP6 ||
	       a == REGION_LOOP6 + 1;
}

enum ir_effect region_otherwise(const struct ir *ir, enum ir_scalar_id *ret_scalar)
{
	const struct ir_scalar *s = &ir->scalars[IR_S_NET_OTHERWISE];
	bool by_mode = ir->scalars[IR_S_NET_MODE].num == IR_NET_FULL &&
		       (!s->set || s->level == IR_DEFAULT);

	*ret_scalar = by_mode ? IR_S_NET_MODE : IR_S_NET_OTHERWISE;
	return by_mode ? IR_ALLOW : s->effect;
}

/* --- what the run needs --------------------------------------------------------------- */

bool region_denies_publishing(const struct ir *ir)
{
	for (size_t i = 0; i < ir->publish.n; i++)
		if (ir->publish.v[i].deny)
			return true;
	return false;
}

bool region_needs_gate(const struct ir *ir, const struct region *r)
{
	if (ir->scalars[IR_S_NET_MODE].num != IR_NET_FULL)
		return true;
	for (size_t i = 0; i < r->grants.n; i++) {
		const struct ir_grant *g = &r->grants.v[i].more;

		if (g->via.n || g->header.n || g->bytes || g->connections ||
		    g->peek != IR_PEEK_PORT)
			return true;
	}
	for (size_t i = 0; i < r->lists.n; i++)
		for (size_t k = 0; k < r->lists.v[i].n; k++)
			if (r->lists.v[i].v[k].effect != IR_ALLOW)
				return true;
	return false;
}

static bool list_reaches(const struct region_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->v[i].effect <= IR_ASK && !l->v[i].free)
			return true;
	return false;
}

bool region_reaches(const struct region *r)
{
	for (size_t i = 0; i < r->classes.n; i++)
		if (list_reaches(&r->lists.v[r->classes.v[i].list[0]]))
			return true;
	for (size_t i = 0; i < r->slabs.n; i++)
		if (!region_is_loopback(r->slabs.v[i].lo) &&
		    list_reaches(&r->lists.v[r->slabs.v[i].list[0]]))
			return true;
	return false;
}
