/* Decides which addresses lead back into the host or its networks.  One table of ranges
 * for both families, and one of the v6 forms that carry a v4 address. */
#include "runtime/base/address_guard.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/address_bits.h"

struct range {
	uint8_t addr[16];
	uint8_t bits;
	uint8_t kind; /* enum guard_kind */
};

#define V4(a, b, c, d) { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, a, b, c, d }

/* The first that holds the address counts.  From the IANA special-purpose registries
 * (RFC 6890 and updates) and the clouds' own documents (metadata).  The ranges for
 * documentation lead nowhere, and tests use them: they are not guarded. */
static const struct range ranges[] = {
	/* the first V4_RANGES rows are v4 addresses, for each form below again */
	{ V4(169, 254, 169, 254), 128, GUARD_METADATA },
	{ V4(169, 254, 170, 2), 128, GUARD_METADATA },   /* container credentials */
	{ V4(100, 100, 100, 200), 128, GUARD_METADATA },
	{ V4(192, 0, 0, 192), 128, GUARD_METADATA },
	{ V4(168, 63, 129, 16), 128, GUARD_METADATA },   /* looks public */
	{ V4(0, 0, 0, 0), 128, GUARD_UNSPECIFIED },
	{ V4(0, 0, 0, 0), 104, GUARD_RESERVED },
	{ V4(10, 0, 0, 0), 104, GUARD_PRIVATE },
	{ V4(100, 64, 0, 0), 106, GUARD_CGNAT },
	{ V4(127, 0, 0, 0), 104, GUARD_LOOPBACK },
	{ V4(169, 254, 0, 0), 112, GUARD_LINK_LOCAL },
	{ V4(172, 16, 0, 0), 108, GUARD_PRIVATE },
	{ V4(192, 0, 0, 0), 120, GUARD_RESERVED },
	{ V4(192, 88, 99, 0), 120, GUARD_RESERVED },
	{ V4(192, 168, 0, 0), 112, GUARD_PRIVATE },
	{ V4(198, 18, 0, 0), 111, GUARD_RESERVED },
	{ V4(224, 0, 0, 0), 100, GUARD_MULTICAST },
	{ V4(240, 0, 0, 0), 100, GUARD_RESERVED }, /* and the broadcast address */
#define V4_RANGES 18
	{ { 0xfd, 0x00, 0x0e, 0xc2, [14] = 0x02, [15] = 0x54 }, 128, GUARD_METADATA },
	{ { 0xfd, 0x20, 0x00, 0xce, [14] = 0x02, [15] = 0x54 }, 128, GUARD_METADATA },
	{ { 0 }, 128, GUARD_UNSPECIFIED },
	{ { [15] = 1 }, 128, GUARD_LOOPBACK },
	{ { 0x00, 0x64, 0xff, 0x9b, 0x00, 0x01 }, 48, GUARD_RESERVED }, /* local NAT64 */
	{ { 0x01, 0x00 }, 64, GUARD_RESERVED }, /* discard */
	{ { 0x20, 0x01, 0x00, 0x02 }, 48, GUARD_RESERVED }, /* benchmarks */
	{ { 0x20, 0x01, 0x00, 0x10 }, 28, GUARD_RESERVED }, /* ORCHID */
	{ { 0x20, 0x01, 0x00, 0x20 }, 28, GUARD_RESERVED }, /* ORCHIDv2 */
	{ { 0x5f, 0x00 }, 16, GUARD_RESERVED },             /* segment routing */
	{ { 0xfc, 0x00 }, 7, GUARD_PRIVATE },
	{ { 0xfe, 0x80 }, 10, GUARD_LINK_LOCAL },
	{ { 0xfe, 0xc0 }, 10, GUARD_PRIVATE }, /* site local, deprecated */
	{ { 0xff, 0x00 }, 8, GUARD_MULTICAST },
};

static const struct guard_name names[] = {
	{ "localhost", V4(127, 0, 0, 1), true }, /* RFC 6761, 6.3; the first row */
	{ "localhost.localdomain", V4(127, 0, 0, 1), false },
	{ "ip6-localhost", { [15] = 1 }, false },
	{ "ip6-loopback", { [15] = 1 }, false },
	{ "metadata.google.internal", V4(169, 254, 169, 254), false },
};

/* Where a v6 address carries a v4 one, which is guarded as if it were dialled itself. */
static const struct form {
	uint8_t addr[16], mask[16];
	uint8_t at, flip; /* offset of the v4 address; the byte that it is xored with */
	bool block;       /* the mask is all that is in front of the v4 address */
} forms[] = {
	/* NAT64 64:ff9b::/96 */
	{ { 0x00, 0x64, 0xff, 0x9b },
	  { 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255 }, 12, 0, true },
	/* v4-compatible ::a.b.c.d */
	{ { 0 },
	  { 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255 }, 12, 0, true },
	/* v4-translated ::ffff:0:a.b.c.d */
	{ { [8] = 0xff, [9] = 0xff },
	  { 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255 }, 12, 0, true },
	/* 6to4 2002:a.b.c.d::/48 */
	{ { 0x20, 0x02 }, { 255, 255 }, 2, 0, true },
	/* Teredo 2001:0:SERVER:…:CLIENT, the client's address inverted */
	{ { 0x20, 0x01 }, { 255, 255, 255, 255 }, 4, 0, true },
	{ { 0x20, 0x01 }, { 255, 255, 255, 255 }, 12, 255, false },
	/* ISATAP …:0:5efe:a.b.c.d and …:200:5efe:a.b.c.d */
	{ { [10] = 0x5e, [11] = 0xfe }, { [8] = 0xfd, 255, 255, 255 }, 12, 0, false },
};

static bool in_range(const struct range *r, const uint8_t addr[16])
{
	return address_same_bits(r->addr, addr, r->bits);
}

static enum guard_kind by_range(const uint8_t addr[16])
{
	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		if (in_range(&ranges[i], addr))
			return (enum guard_kind)ranges[i].kind;
	return GUARD_PUBLIC;
}

/* Writes the v4 address that the form carries, v4-mapped. */
static bool unwrap(const struct form *f, const uint8_t addr[16], uint8_t ret[16])
{
	static const uint8_t mapped[16] = V4(0, 0, 0, 0);

	for (size_t i = 0; i < 16; i++)
		if ((addr[i] & f->mask[i]) != f->addr[i])
			return false;
	memcpy(ret, mapped, 16);
	for (size_t i = 0; i < 4; i++)
		ret[12 + i] = addr[f->at + i] ^ f->flip;
	return true;
}

enum guard_kind guard_kind(const uint8_t addr[16])
{
	enum guard_kind kind = by_range(addr);
	uint8_t v4[16];

	for (size_t i = 0; kind == GUARD_PUBLIC && i < sizeof(forms) / sizeof(forms[0]);
	     i++)
		if (unwrap(&forms[i], addr, v4) && by_range(v4) != GUARD_PUBLIC)
			kind = GUARD_EMBEDDED;
	return kind;
}

size_t guard_form_count(void)
{
	return sizeof(forms) / sizeof(forms[0]);
}

bool guard_form_read(size_t i, const uint8_t addr[16], uint8_t ret[16])
{
	return unwrap(&forms[i], addr, ret);
}

bool guard_next_range(size_t *at, uint8_t ret_addr[16], unsigned *ret_bits)
{
	const size_t n = sizeof(ranges) / sizeof(ranges[0]);
	const size_t nforms = sizeof(forms) / sizeof(forms[0]);

	while (*at < n + nforms * V4_RANGES) {
		size_t i = (*at)++;
		const struct range *r = &ranges[i < n ? i : (i - n) % V4_RANGES];
		const struct form *f = i < n ? NULL : &forms[(i - n) / V4_RANGES];

		if (!f) {
			memcpy(ret_addr, r->addr, 16);
			*ret_bits = r->bits;
			return true;
		}
		if (!f->block)
			continue;
		memcpy(ret_addr, f->addr, 16);
		for (size_t k = 0; k < 4; k++)
			ret_addr[f->at + k] = r->addr[12 + k] ^ f->flip;
		*ret_bits = f->at * 8u + r->bits - 96u;
		return true;
	}
	return false;
}

bool guard_is_named(const uint8_t block[16], unsigned bits, const uint8_t addr[16])
{
	struct range own = { .bits = (uint8_t)bits }, r;
	bool inside = false, has_ranges = false;
	/* a block of v4 addresses meets the rows of v4 alone */
	bool is_v4 = bits >= 96 && address_same_bits(block, ranges[0].addr, 96);
	unsigned width;

	memcpy(own.addr, block, 16);
	if (!in_range(&own, addr))
		return false;
	for (size_t at = 0; (!is_v4 || at < V4_RANGES) && guard_next_range(&at, r.addr, &width);) {
		r.bits = (uint8_t)width;
		if (r.bits <= own.bits) {
			inside |= in_range(&r, own.addr);
		} else if (in_range(&own, r.addr)) {
			if (in_range(&r, addr))
				return false;
			has_ranges = true;
		}
	}
	return inside || !has_ranges;
}

static bool is_name(const struct guard_name *g, const char *name, size_t n)
{
	size_t len = strlen(g->name);

	return n >= len && memcmp(name + n - len, g->name, len) == 0 &&
	       (n == len || (g->below && name[n - len - 1] == '.'));
}

const struct guard_name *guard_names(size_t *n)
{
	*n = sizeof(names) / sizeof(names[0]);
	return names;
}

const uint8_t *guard_name_address(const char *name, size_t n)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (is_name(&names[i], name, n))
			return names[i].addr;
	return NULL;
}

bool guard_is_localhost(const char *name, size_t n)
{
	return is_name(&names[0], name, n);
}

static bool is_listed(const struct guard *g, const uint8_t addr[16])
{
	for (uint32_t i = 0; i < g->own_count; i++)
		if (memcmp(g->own[i], addr, 16) == 0)
			return true;
	return false;
}

static bool is_own(const struct guard *g, const uint8_t addr[16])
{
	return is_listed(g, addr) || (g->is_local && g->is_local(g->routes, addr));
}

enum guard_kind guard_ask(const struct guard *g, const uint8_t addr[16])
{
	enum guard_kind kind = guard_kind(addr);
	uint8_t v4[16];

	/* these are known by their bits; to connect() most are this host */
	if (kind != GUARD_LOOPBACK && kind != GUARD_UNSPECIFIED && is_own(g, addr))
		return GUARD_OWN;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		if (unwrap(&forms[i], addr, v4) &&
		    (is_own(g, v4) || by_range(v4) == GUARD_LOOPBACK))
			return GUARD_EMBEDDED;
	if (!g->on && kind != GUARD_LOOPBACK && kind != GUARD_UNSPECIFIED)
		return GUARD_PUBLIC;
	return kind;
}

const char *guard_text(enum guard_kind kind)
{
	static const char *const text[GUARD_KIND_COUNT] = {
		[GUARD_PUBLIC] = "a public address",
		[GUARD_LOOPBACK] = "a loopback address",
		[GUARD_UNSPECIFIED] = "the unspecified address",
		[GUARD_PRIVATE] = "a private address",
		[GUARD_CGNAT] = "an address of a provider's own network",
		[GUARD_LINK_LOCAL] = "a link-local address",
		[GUARD_METADATA] = "an address of a metadata service",
		[GUARD_MULTICAST] = "a multicast address",
		[GUARD_RESERVED] = "a reserved address",
		[GUARD_EMBEDDED] = "a v6 address that carries such a v4 address",
		[GUARD_OWN] = "an address of this host",
	};

	return kind < GUARD_KIND_COUNT ? text[kind] : "an unknown address";
}

int guard_add_own(struct guard *g, const uint8_t addr[16])
{
	uint8_t(*more)[16];

	if (is_listed(g, addr))
		return 0;
	if (g->own_count == GUARD_MAX_OWN)
		return -E2BIG;
	if (g->own_count == g->own_room) {
		more = reallocarray(g->own, g->own_room ? g->own_room * 2 : 16, 16);
		if (!more)
			return -ENOMEM;
		g->own = more;
		g->own_room = g->own_room ? g->own_room * 2 : 16;
	}
	memcpy(g->own[g->own_count++], addr, 16);
	return 0;
}

void guard_release(struct guard *g)
{
	free(g->own);
	g->own = NULL;
	g->own_count = g->own_room = 0;
}
