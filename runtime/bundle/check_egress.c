/* Checks egress.bin: the decision for every address, protocol and port. */
#include <string.h>

#include "runtime/bundle/check.h"

#define MAX_SLABS (1024u * 1024)
#define MAX_PIECES (4u * 1024 * 1024)

static int check_pieces(const struct check *c, const struct pb_egress *h,
			const struct pb_ports *l, uint32_t nrules)
{
	const struct pb_piece *v = (const void *)(c->data + h->pieces.off);

	for (uint32_t i = l->first; i < l->first + l->count; i++) {
		if (v[i].effect > PB_DENY || v[i].zero || v[i].rule >= nrules)
			return check_bad(c, "a range of ports has an unknown effect or "
					    "rule");
		if (i > l->first && v[i].hi <= v[i - 1].hi)
			return check_bad(c, "the ranges of ports do not ascend");
	}
	if (v[l->first + l->count - 1].hi != UINT16_MAX)
		return check_bad(c, "a list of ports ends early");
	return 0;
}

/* Each piece belongs to one list, so the check terminates. */
static int check_lists(const struct check *c, const struct pb_egress *h, uint32_t nrules)
{
	const struct pb_ports *v = (const void *)(c->data + h->lists.off);
	uint32_t next = 0;

	for (uint32_t i = 0; i < h->lists.count; i++) {
		if (v[i].first != next || v[i].count == 0 ||
		    v[i].count > h->pieces.count - next)
			return check_bad(c, "the lists of ports overlap or leave the "
					    "member");
		next += v[i].count;
		CHECK_TRY(check_pieces(c, h, &v[i], nrules));
	}
	return next == h->pieces.count ? 0 :
					 check_bad(c, "a range of ports has no list");
}

int bundle_check_egress(const void *data, size_t size, uint32_t nrules,
			struct rt_err *err)
{
	struct check c = { .data = data, .size = size, .member = PB_EGRESS, .err = err };
	const struct pb_egress *h = data;
	static const uint8_t zero[16];
	const struct pb_slab *v;

	CHECK_TRY(check_head(&c, PB_MAGIC_EGRESS, sizeof(*h)));
	CHECK_TRY(check_table(&c, h->slabs, sizeof(*v), MAX_SLABS, "address ranges"));
	CHECK_TRY(check_table(&c, h->lists, sizeof(struct pb_ports), MAX_SLABS,
			      "lists of ports"));
	CHECK_TRY(check_table(&c, h->pieces, sizeof(struct pb_piece), MAX_PIECES,
			      "ranges of ports"));
	v = (const void *)(c.data + h->slabs.off);
	if (h->slabs.count == 0 || memcmp(v[0].lo, zero, sizeof(zero)) != 0)
		return check_bad(&c, "the first address is missing");
	for (uint32_t i = 0; i < h->slabs.count; i++) {
		if (v[i].tcp >= h->lists.count || v[i].udp >= h->lists.count)
			return check_bad(&c, "an address range names no list of ports");
		if (i > 0 && memcmp(v[i - 1].lo, v[i].lo, sizeof(v[i].lo)) >= 0)
			return check_bad(&c, "the address ranges do not ascend");
	}
	return check_lists(&c, h, nrules);
}
