/* Finds the piece of egress.bin that decides a connection to an address or a name. */
#include <string.h>

#include "runtime/decide/egress.h"

/* For a member without classes: no writer makes one, and no check accepts one. */
static const struct pb_piece denied = { .hi = UINT16_MAX, .effect = PB_DENY };
static const struct pb_grant plain;

bool egress_is_loopback(const uint8_t addr[16])
{
	static const uint8_t mapped_127[13] = { [10] = 0xff, [11] = 0xff, [12] = 127 };
	static const uint8_t one[16] = { [15] = 1 };

	return memcmp(addr, mapped_127, sizeof(mapped_127)) == 0 ||
	       memcmp(addr, one, sizeof(one)) == 0;
}

static bool is_mapped(const uint8_t addr[16])
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	return memcmp(addr, mapped, sizeof(mapped)) == 0;
}

static uint32_t last_32(const uint8_t addr[16])
{
	return (uint32_t)addr[12] << 24 | (uint32_t)addr[13] << 16 |
	       (uint32_t)addr[14] << 8 | addr[15];
}

uint32_t egress_index(const uint8_t addr[16])
{
	static const uint8_t v6[12] = PB_POOL_V6;
	uint32_t low = last_32(addr);

	if (is_mapped(addr))
		low -= PB_POOL_V4;
	else if (memcmp(addr, v6, sizeof(v6)) != 0)
		return 0;
	return low < PB_POOL_SIZE ? low : 0;
}

/* --- names ------------------------------------------------------------------ */

static int compare(const struct pb_egress *e, const struct pb_host *h, const char *name,
		   size_t n, uint32_t below)
{
	size_t least = h->name.len < n ? h->name.len : n;
	int r = least ? memcmp(pb_strp(e, h->name), name, least) : 0;

	if (r == 0 && h->name.len != n)
		r = h->name.len < n ? -1 : 1;
	return r ? r : (h->below > below) - (h->below < below);
}

static const struct pb_host *find_host(const struct pb_egress *e, const char *name,
				       size_t n, uint32_t below)
{
	uint32_t lo = 0, hi = e->hosts.count;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		const struct pb_host *h = pb_at(e, e->hosts, sizeof(*h), mid);
		int r = compare(e, h, name, n, below);

		if (r == 0)
			return h;
		if (r < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

const struct pb_host *egress_host(const struct pb_egress *e, const char *name, size_t n)
{
	const struct pb_host *h = find_host(e, name, n, 0);

	/* a name is below what follows one of its dots, if something is before that dot */
	for (size_t i = 1; !h && i < n; i++)
		if (name[i] == '.')
			h = find_host(e, name + i + 1, n - i - 1, 1);
	return h;
}

uint32_t egress_class(const struct pb_egress *e, const char *name, size_t n)
{
	const struct pb_host *h = egress_host(e, name, n);

	return h ? h->class_ : e->other_class;
}

/* --- pieces ------------------------------------------------------------------- */

/* The last slab that begins at or before the address.  The first begins at 0.0.0.0. */
static uint32_t find_pair4(const struct pb_egress *e, uint32_t addr)
{
	const struct pb_slab4 *v = pb_at(e, e->slabs4, sizeof(*v), 0);
	uint32_t lo = 0, hi = e->slabs4.count;

	while (hi - lo > 1) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (v[mid].lo <= addr)
			lo = mid;
		else
			hi = mid;
	}
	return v[lo].pair;
}

/* The same for v6.  The first slab begins at ::. */
static uint32_t find_pair(const struct pb_egress *e, const uint8_t addr[16])
{
	uint32_t lo = 0, hi = e->slabs.count;

	while (hi - lo > 1) {
		uint32_t mid = lo + (hi - lo) / 2;
		const struct pb_slab *s = pb_at(e, e->slabs, sizeof(*s), mid);

		if (memcmp(s->lo, addr, sizeof(s->lo)) <= 0)
			lo = mid;
		else
			hi = mid;
	}
	return ((const struct pb_slab *)pb_at(e, e->slabs, sizeof(struct pb_slab), lo))->pair;
}

/* The first piece that ends at or after the port.  The last piece ends at 65535. */
static const struct pb_piece *find_piece(const struct pb_egress *e, uint32_t list,
					 uint16_t port)
{
	const struct pb_ports *l = pb_at(e, e->lists, sizeof(*l), list);
	uint32_t lo = l->first, hi = l->first + l->count - 1;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		const struct pb_piece *p = pb_at(e, e->pieces, sizeof(*p), mid);

		if (p->hi >= port)
			hi = mid;
		else
			lo = mid + 1;
	}
	return pb_at(e, e->pieces, sizeof(struct pb_piece), lo);
}

static const struct pb_class *class_at(const struct pb_egress *e, uint32_t class_)
{
	return class_ < e->classes.count ?
		       pb_at(e, e->classes, sizeof(struct pb_class), class_) : NULL;
}

const struct pb_piece *egress_name(const struct pb_egress *e, uint32_t class_, bool udp,
				   uint16_t port)
{
	const struct pb_class *c = class_at(e, class_);

	return c ? find_piece(e, udp ? c->udp : c->tcp, port) : &denied;
}

static const struct pb_pair *pair_of(const struct pb_egress *e, const uint8_t addr[16])
{
	uint32_t i = is_mapped(addr) ? find_pair4(e, last_32(addr)) : find_pair(e, addr);

	return pb_at(e, e->pairs, sizeof(struct pb_pair), i);
}

const struct pb_piece *egress_addr(const struct pb_egress *e, const uint8_t addr[16],
				   bool udp, uint16_t port)
{
	const struct pb_pair *p = pair_of(e, addr);

	return find_piece(e, udp ? p->udp : p->tcp, port);
}

const struct pb_piece *egress_reached(const struct pb_egress *e, const uint8_t addr[16],
				      uint16_t port)
{
	return find_piece(e, pair_of(e, addr)->reached, port);
}

/* --- grants and pools ------------------------------------------------------------ */

const struct pb_grant *egress_grant(const struct pb_egress *e, const struct pb_piece *p)
{
	return p->grant < e->grants.count ?
		       pb_at(e, e->grants, sizeof(struct pb_grant), p->grant) : &plain;
}

bool egress_within(const struct pb_egress *e, const struct pb_grant *g,
		   const uint8_t addr[16])
{
	for (uint32_t i = 0; i < g->within_count; i++) {
		const struct pb_range *r =
			pb_at(e, e->ranges, sizeof(*r), g->within_first + i);

		if (memcmp(addr, r->lo, sizeof(r->lo)) >= 0 &&
		    memcmp(addr, r->hi, sizeof(r->hi)) <= 0)
			return true;
	}
	return false;
}

bool egress_pool_reaches(const struct pb_egress *e, uint32_t class_)
{
	const struct pb_class *c = class_at(e, class_);
	const struct pb_ports *l = c ? pb_at(e, e->lists, sizeof(*l), c->tcp) : NULL;

	for (uint32_t i = 0; l && i < l->count; i++) {
		const struct pb_piece *p =
			pb_at(e, e->pieces, sizeof(*p), l->first + i);

		if (p->effect <= PB_ASK && !p->free)
			return true;
	}
	return false;
}

const struct pb_pool *egress_pool(const struct pb_egress *e, uint32_t class_)
{
	const struct pb_class *c = class_at(e, class_);

	return c && c->pool < e->pools.count ?
		       pb_at(e, e->pools, sizeof(struct pb_pool), c->pool) : NULL;
}
