/* egress.bin: writes the slabs and their ports as the records of format.h. */
#include "compiler/backend/nft/ruleset.h"

#include "compiler/backend/common/util.h"

bool ruleset_egress(struct bk_output *out, const struct region *r,
		    struct diag_sink *sink)
{
	struct pb_egress h = { .head = { PB_MAGIC_EGRESS, PB_FORMAT_VERSION, 0, 0 } };
	struct buf lists, pieces, b;
	uint32_t next = 0;

	buf_init(&lists, out->a);
	buf_init(&pieces, out->a);
	for (size_t i = 0; i < r->lists.n; i++) {
		const struct region_list *l = &r->lists.v[i];
		struct pb_ports p = { next, (uint32_t)l->n };

		buf_add(&lists, &p, sizeof(p));
		next += p.count;
		for (size_t k = 0; k < l->n; k++) {
			struct pb_piece piece = { .hi = l->v[k].hi,
						  .effect = (uint8_t)l->v[k].effect,
						  .rule = l->v[k].rule };

			buf_add(&pieces, &piece, sizeof(piece));
		}
	}
	if (pieces.n + lists.n + r->slabs.n * sizeof(struct pb_slab) > PB_MAX_BUNDLE / 2) {
		diag_add(sink, DIAG_NET_COMPLEX, SPAN_NONE,
			 "the network rules cut addresses and ports into more ranges "
			 "than a bundle holds");
		return false;
	}
	h.slabs = (struct pb_table){ sizeof(h), (uint32_t)r->slabs.n };
	h.lists = (struct pb_table){
		h.slabs.off + h.slabs.count * (uint32_t)sizeof(struct pb_slab),
		(uint32_t)r->lists.n };
	h.pieces = (struct pb_table){ h.lists.off + (uint32_t)lists.n, next };
	buf_init(&b, out->a);
	buf_add(&b, &h, sizeof(h));
	for (size_t i = 0; i < r->slabs.n; i++) {
		const struct region_slab *s = &r->slabs.v[i];
		struct pb_slab slab = { .tcp = s->list[0], .udp = s->list[1] };

		region_bytes(s->lo, slab.lo);
		buf_add(&b, &slab, sizeof(slab));
	}
	buf_str(&b, buf_view(&lists));
	buf_str(&b, buf_view(&pieces));
	bk_add_member(out, PB_EGRESS, &b);
	return true;
}
