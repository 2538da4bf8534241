/* egress.bin: writes the slabs, the names and their ports as the records of format.h. */
#include "compiler/backend/nft/ruleset.h"

#include "compiler/backend/common/util.h"

_Static_assert((int)PB_PEEK_HTTP == (int)IR_PEEK_HTTP, "pb_peek");

static size_t count_pieces(const struct region *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->lists.n; i++)
		n += r->lists.v[i].n;
	return n;
}

static size_t count_ranges(const struct region *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->grants.n; i++)
		n += r->grants.v[i].within.n;
	return n;
}

/* Where each table lies.  Every record is a multiple of 8 bytes, as a table's place is. */
static size_t lay_out(const struct region *r, struct pb_egress *h)
{
	const struct {
		struct pb_table *table;
		size_t count, record;
	} tables[] = {
		{ &h->slabs, r->slabs.n, sizeof(struct pb_slab) },
		{ &h->lists, r->lists.n, sizeof(struct pb_ports) },
		{ &h->pieces, count_pieces(r), sizeof(struct pb_piece) },
		{ &h->hosts, r->hosts.n, sizeof(struct pb_host) },
		{ &h->classes, r->classes.n, sizeof(struct pb_class) },
		{ &h->pools, r->pools.n, sizeof(struct pb_pool) },
		{ &h->ranges, count_ranges(r), sizeof(struct pb_range) },
		{ &h->grants, r->grants.n, sizeof(struct pb_grant) },
	};
	size_t at = sizeof(*h);

	for (size_t i = 0; i < POL_LEN(tables); i++) {
		*tables[i].table = (struct pb_table){ (uint32_t)at,
						      (uint32_t)tables[i].count };
		at += tables[i].count * tables[i].record;
	}
	return at;
}

static void add_addresses(struct buf *b, const struct region *r)
{
	uint32_t next = 0;

	for (size_t i = 0; i < r->slabs.n; i++) {
		const struct region_slab *s = &r->slabs.v[i];
		struct pb_slab slab = { .tcp = s->list[0], .udp = s->list[1] };

		region_bytes(s->lo, slab.lo);
		buf_add(b, &slab, sizeof(slab));
	}
	for (size_t i = 0; i < r->lists.n; i++) {
		struct pb_ports p = { next, (uint32_t)r->lists.v[i].n };

		buf_add(b, &p, sizeof(p));
		next += p.count;
	}
	for (size_t i = 0; i < r->lists.n; i++)
		for (size_t k = 0; k < r->lists.v[i].n; k++) {
			const struct region_piece *p = &r->lists.v[i].v[k];
			struct pb_piece piece = { .hi = p->hi,
						  .effect = (uint8_t)p->effect,
						  .free = (uint8_t)p->free,
						  .rule = p->rule,
						  .grant = p->grant };

			buf_add(b, &piece, sizeof(piece));
		}
}

static void add_names(struct buf *b, const struct region *r, struct rec_pool *pool)
{
	for (size_t i = 0; i < r->hosts.n; i++) {
		const struct region_host *p = &r->hosts.v[i];
		struct pb_host host = { rec_pool_add(pool, p->name), p->below,
					p->class_ };

		buf_add(b, &host, sizeof(host));
	}
	for (size_t i = 0; i < r->classes.n; i++) {
		const struct region_class *p = &r->classes.v[i];
		struct pb_class class_ = { p->list[0], p->list[1], p->pool, 0 };

		buf_add(b, &class_, sizeof(class_));
	}
	for (size_t i = 0; i < r->pools.n; i++) {
		struct pb_pool p = { r->pools.v[i].first, r->pools.v[i].count };

		buf_add(b, &p, sizeof(p));
	}
}

static void add_grants(struct buf *b, const struct region *r, struct rec_pool *pool)
{
	uint32_t next = 0;

	for (size_t i = 0; i < r->grants.n; i++)
		for (size_t k = 0; k < r->grants.v[i].within.n; k++) {
			const struct region_range *p = &r->grants.v[i].within.v[k];
			struct pb_range range;

			region_bytes(p->lo, range.lo);
			region_bytes(p->hi, range.hi);
			buf_add(b, &range, sizeof(range));
		}
	for (size_t i = 0; i < r->grants.n; i++) {
		const struct ir_grant *m = &r->grants.v[i].more;
		struct pb_grant g = {
			.via = rec_pool_add(pool, str_eqz(m->via, "none") ? STR("") : m->via),
			.via_secret = rec_pool_add(pool, m->via_secret),
			.header = rec_pool_add(pool, m->header),
			.prefix = rec_pool_add(pool, m->prefix),
			.secret = rec_pool_add(pool, m->secret),
			.within_first = next,
			.within_count = (uint32_t)r->grants.v[i].within.n,
			.bytes = m->bytes,
			.connections = m->connections,
			.peek = (uint8_t)m->peek,
			.dial = m->dial,
		};

		next += g.within_count;
		buf_add(b, &g, sizeof(g));
	}
}

bool ruleset_egress(struct bk_output *out, const struct ir *ir, const struct region *r,
		    struct diag_sink *sink)
{
	struct pb_egress h = { .head = { PB_MAGIC_EGRESS, PB_FORMAT_VERSION, 0, 0 },
			       .other_class = r->other_class, .hold_ms = (uint32_t)ir->scalars[IR_S_NET_HOLD].num };
	size_t tables = lay_out(r, &h);
	struct rec_pool pool;
	struct buf b;

	if (tables > PB_MAX_BUNDLE / 2) {
		diag_add(sink, DIAG_NET_COMPLEX, SPAN_NONE,
			 "the network rules cut addresses, names and ports into more "
			 "ranges than a bundle holds");
		return false;
	}
	h.guard = ir->scalars[IR_S_NET_MODE].num == IR_NET_LIMITED;
	if (region_needs_gate(ir, r))
		h.gate = PB_GATE_NEEDED | (region_reaches(r) ? PB_GATE_REACHES : 0u);
	rec_pool_init(&pool, out->a, tables);
	buf_init(&b, out->a);
	buf_add(&b, &h, sizeof(h));
	add_addresses(&b, r);
	add_names(&b, r, &pool);
	add_grants(&b, r, &pool);
	buf_str(&b, buf_view(&pool.bytes));
	bk_add_member(out, PB_EGRESS, &b);
	return true;
}
