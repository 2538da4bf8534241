/* Blocks are nested or disjoint, so a block is halved until a half has none of the
 * others. */
#include "compiler/analysis/diff_free.h"

#include <stdlib.h>

#include "runtime/base/address_bits.h"

/* Limit for the pieces of blocks examined for one changed rule. */
#define MAX_SEARCHED 200000

/* --- addresses ----------------------------------------------------------- */

/* The blocks in which no address is looked for, sorted: each before those inside it. */
struct blocks {
	const struct num_cidr *v;
	size_t n;
};

static int by_place(const void *x, const void *y)
{
	const struct num_cidr *p = x, *q = y;
	int d = memcmp(p->addr, q->addr, sizeof(p->addr));

	return d ? d : (int)p->bits - (int)q->bits;
}

/* Those of the rules with at least `bits` bits. */
static struct blocks blocks_of(const struct diff_free *f, struct arena *tmp,
			       unsigned bits)
{
	struct num_cidr *v = arena_array(tmp, f->rules.n + 1, sizeof(*v));
	size_t i, n = 0, o = 0;

	for (i = 0; i < f->rules.n; i++)
		if (f->rules.v[i]->host == IR_HOST_CIDR &&
		    f->rules.v[i]->cidr.bits >= bits)
			v[n++] = f->rules.v[i]->cidr;
	if (n)
		qsort(v, n, sizeof(*v), by_place);
	for (i = 0; i < n; i++)
		if (!o || by_place(&v[o - 1], &v[i]))
			v[o++] = v[i];
	return (struct blocks){ v, o };
}

/* The first of the blocks that begins at the address or behind it. */
static size_t first_at(struct blocks b, const uint8_t addr[16])
{
	size_t lo = 0, hi = b.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (memcmp(b.v[mid].addr, addr, 16) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Finds an address in the piece `c` that is in none of the blocks `b`, which lie in
 * `c`. */
DIFF_MUST_READ static enum diff_seek free_in(struct diff_free *f, struct num_cidr c,
					     struct blocks b, uint8_t ret[16])
{
	enum diff_seek first, second;
	struct num_cidr half = c;
	size_t cut;

	if (f->searched++ >= MAX_SEARCHED)
		return DIFF_SEEK_OPEN;
	if (!b.n) {
		memcpy(ret, c.addr, 16);
		return DIFF_SEEK_FOUND;
	}
	if (b.v[0].bits <= c.bits) /* it is the piece */
		return DIFF_SEEK_NONE;
	half.bits++;
	half.addr[c.bits / 8] |= (uint8_t)(0x80u >> (c.bits % 8));
	cut = first_at(b, half.addr);
	c.bits++;
	first = free_in(f, c, (struct blocks){ b.v, cut }, ret);
	if (first == DIFF_SEEK_FOUND)
		return DIFF_SEEK_FOUND;
	second = free_in(f, half, (struct blocks){ b.v + cut, b.n - cut }, ret);
	if (second == DIFF_SEEK_FOUND)
		return DIFF_SEEK_FOUND;
	return first == DIFF_SEEK_NONE && second == DIFF_SEEK_NONE ? DIFF_SEEK_NONE
								   : DIFF_SEEK_OPEN;
}

static bool is_inside(const struct num_cidr *x, const struct num_cidr *y)
{
	return x->bits >= y->bits && address_same_bits(x->addr, y->addr, y->bits);
}

enum diff_seek diff_free_address(struct diff_free *f, struct num_cidr c, unsigned bits,
				 uint8_t ret[16])
{
	struct blocks all, in;
	struct arena tmp;
	enum diff_seek seek = DIFF_SEEK_NONE;
	size_t i;

	arena_init(&tmp, ARENA_DEFAULT_BUDGET);
	all = blocks_of(f, &tmp, bits);
	for (i = 0; i < all.n && !is_inside(&c, &all.v[i]); i++)
		;
	if (i == all.n) {
		in.v = all.v + first_at(all, c.addr);
		for (in.n = 0;
		     in.v + in.n < all.v + all.n && is_inside(&in.v[in.n], &c); in.n++)
			;
		seek = free_in(f, c, in, ret);
	}
	arena_release(&tmp);
	return seek;
}

/* --- names --------------------------------------------------------------- */

static bool is_below(struct str name, struct str apex)
{
	return name.n > apex.n + 1 && str_ends(name, apex) &&
	       name.p[name.n - apex.n - 1] == '.';
}

static bool is_taken(const struct diff_free *f, struct str name, struct str apex)
{
	size_t i;

	for (i = 0; i < f->rules.n; i++) {
		const struct ir_net *n = f->rules.v[i];

		if (n->host == IR_HOST_NAME && str_eq(n->name, name))
			return true;
		if (n->host == IR_HOST_BELOW && !str_eq(n->name, apex) &&
		    is_below(name, n->name) && !is_below(apex, n->name))
			return true;
	}
	return false;
}

enum diff_seek diff_free_name(const struct diff_free *f, struct str apex,
			      struct arena *a, struct str *ret)
{
	size_t i;

	for (i = 0; i <= f->rules.n; i++) {
		*ret = str_printf(a, "x%zu.%.*s", i,
				  STR_ARG(apex.n ? apex : STR("invalid")));
		if (!is_taken(f, *ret, apex))
			return DIFF_SEEK_FOUND;
	}
	for (i = 0; !apex.n && i <= f->rules.n; i++) {
		*ret = str_printf(a, "x%zu", i);
		if (!is_taken(f, *ret, apex))
			return DIFF_SEEK_FOUND;
	}
	return DIFF_SEEK_OPEN;
}
