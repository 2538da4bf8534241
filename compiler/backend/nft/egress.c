/* egress.bin: writes the slabs, the names and their ports as the records of format.h. */
#include "compiler/backend/nft/ruleset.h"

#include "compiler/backend/common/util.h"
#include "compiler/base/map.h"

_Static_assert((int)PB_PEEK_HTTP == (int)IR_PEEK_HTTP, "pb_peek");

/* The lists and slabs as they are written: equal ones once. */
struct tables {
	struct arena *a;
	const struct region *r;
	uint32_t *list; /* by list of the region: which one is written */
	VEC(struct pb_ports) lists;
	VEC(struct pb_piece) pieces;
	VEC(struct pb_pair) pairs;
	VEC(struct pb_slab) slabs;
	VEC(struct pb_slab4) slabs4;
	struct map seen, paired; /* lists by their pieces, pairs by their bytes */
};

/* The number that the key has in the map, or `next`, which becomes its. */
static uint32_t number_of(struct map *m, struct arena *a, const void *p, size_t n,
			  size_t next)
{
	struct str key = { p, n };
	uint32_t *at = map_get(m, key);

	if (at)
		return *at;
	at = ARENA_NEW(a, uint32_t);
	*at = (uint32_t)next;
	key.p = arena_dup(a, p, n);
	(void)map_put(m, key, at);
	return *at;
}

/* The first rule of each rule's statement. */
static uint32_t *find_statements(struct arena *a, const struct ir *ir)
{
	uint32_t *v = arena_array(a, ir->rules.n + 1, sizeof(*v));

	for (uint32_t i = 0; i < ir->rules.n; i++)
		v[i] = i > 0 && region_same_statement(ir, i - 1, i) ? v[i - 1] : i;
	return v;
}

static void take_list(struct tables *t, const struct region_list *l, const uint32_t *first,
		      size_t nrules, uint32_t *ret)
{
	struct pb_piece *v = arena_array(t->a, l->n, sizeof(*v));
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++) {
		const struct region_piece *p = &l->v[i];
		struct pb_piece piece = { .effect = (uint8_t)p->effect,
					  .free = (uint8_t)p->free,
					  .rule = p->rule < nrules ? first[p->rule] : p->rule,
					  .grant = p->grant };

		if (n && v[n - 1].effect == piece.effect && v[n - 1].free == piece.free &&
		    v[n - 1].rule == piece.rule && v[n - 1].grant == piece.grant)
			n--;
		v[n] = piece;
		v[n++].hi = p->hi;
	}
	*ret = number_of(&t->seen, t->a, v, n * sizeof(*v), t->lists.n);
	if (*ret < t->lists.n)
		return;
	VEC_PUSH(t->a, &t->lists, ((struct pb_ports){ (uint32_t)t->pieces.n, (uint32_t)n }));
	for (size_t i = 0; i < n; i++)
		VEC_PUSH(t->a, &t->pieces, v[i]);
}

static void take_slab(struct tables *t, region_addr lo, const struct region_slab *s,
		      const struct region_reached *reached)
{
	struct pb_pair pair = { t->list[s->list[0]], t->list[s->list[1]],
				t->list[reached->list], 0 };
	uint32_t at = number_of(&t->paired, t->a, &pair, sizeof(pair), t->pairs.n);
	struct pb_slab v6 = { .pair = at };

	if (at == t->pairs.n)
		VEC_PUSH(t->a, &t->pairs, pair);
	if (lo >= REGION_V4_LO && lo <= REGION_V4_HI) {
		struct pb_slab4 v4 = { (uint32_t)lo, at };

		if (!t->slabs4.n || VEC_LAST(&t->slabs4)->pair != at)
			VEC_PUSH(t->a, &t->slabs4, v4);
		return;
	}
	region_bytes(lo, v6.lo);
	if (!t->slabs.n || VEC_LAST(&t->slabs)->pair != at)
		VEC_PUSH(t->a, &t->slabs, v6);
}

/* A slab of the member begins where one of the two lines is cut. */
static void take_slabs(struct tables *t)
{
	const struct region *r = t->r;

	for (size_t i = 0, k = 0; i < r->slabs.n && k < r->reached.n;) {
		region_addr x = r->slabs.v[i].lo, y = r->reached.v[k].lo;

		take_slab(t, x > y ? x : y, &r->slabs.v[i], &r->reached.v[k]);
		x = region_end(r, i);
		y = k + 1 < r->reached.n ? r->reached.v[k + 1].lo - 1 : ~(region_addr)0;
		i += x <= y;
		k += y <= x;
	}
}

static void make_tables(struct tables *t, const struct ir *ir)
{
	const uint32_t *first = find_statements(t->a, ir);

	map_init(&t->seen, t->a);
	map_init(&t->paired, t->a);
	t->list = arena_array(t->a, t->r->lists.n, sizeof(*t->list));
	for (size_t i = 0; i < t->r->lists.n; i++)
		take_list(t, &t->r->lists.v[i], first, ir->rules.n, &t->list[i]);
	take_slabs(t);
}

static size_t count_ranges(const struct region *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->grants.n; i++)
		n += r->grants.v[i].within.n;
	return n;
}

/* Where each table lies.  Every record is a multiple of 8 bytes, as a table's place is. */
static size_t lay_out(const struct tables *t, struct pb_egress *h)
{
	const struct region *r = t->r;
	const struct {
		struct pb_table *table;
		size_t count, record;
	} tables[] = {
		{ &h->slabs, t->slabs.n, sizeof(struct pb_slab) },
		{ &h->slabs4, t->slabs4.n, sizeof(struct pb_slab4) },
		{ &h->pairs, t->pairs.n, sizeof(struct pb_pair) },
		{ &h->lists, t->lists.n, sizeof(struct pb_ports) },
		{ &h->pieces, t->pieces.n, sizeof(struct pb_piece) },
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

static void add_addresses(struct buf *b, const struct tables *t)
{
	buf_add(b, t->slabs.v, t->slabs.n * sizeof(*t->slabs.v));
	buf_add(b, t->slabs4.v, t->slabs4.n * sizeof(*t->slabs4.v));
	buf_add(b, t->pairs.v, t->pairs.n * sizeof(*t->pairs.v));
	buf_add(b, t->lists.v, t->lists.n * sizeof(*t->lists.v));
	buf_add(b, t->pieces.v, t->pieces.n * sizeof(*t->pieces.v));
}

static void add_names(struct buf *b, const struct tables *t, struct rec_pool *pool)
{
	const struct region *r = t->r;

	for (size_t i = 0; i < r->hosts.n; i++) {
		const struct region_host *p = &r->hosts.v[i];
		struct pb_host host = { rec_pool_add(pool, p->name), p->below,
					p->class_ };

		buf_add(b, &host, sizeof(host));
	}
	for (size_t i = 0; i < r->classes.n; i++) {
		const struct region_class *p = &r->classes.v[i];
		struct pb_class class_ = { t->list[p->list[0]], t->list[p->list[1]],
					   p->pool, 0 };

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
			.bytes_rule = r->grants.v[i].bytes_rule,
			.connections_rule = r->grants.v[i].connections_rule,
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
	struct tables t = { .a = out->a, .r = r };
	size_t tables;
	struct rec_pool pool;
	struct buf b;

	make_tables(&t, ir);
	tables = lay_out(&t, &h);
	if (tables > PB_MAX_BUNDLE / 2) {
		diag_add(sink, DIAG_NET_COMPLEX, SPAN_NONE,
			 "the network rules cut addresses, names and ports into more "
			 "ranges than a bundle holds");
		return false;
	}
	h.guard = ir->scalars[IR_S_NET_MODE].num == IR_NET_LIMITED;
	if (region_needs_gate(ir, r) || region_denies_publishing(ir))
		h.gate = PB_GATE_NEEDED | (region_reaches(r) ? PB_GATE_REACHES : 0u);
	rec_pool_init(&pool, out->a, tables);
	buf_init(&b, out->a);
	buf_add(&b, &h, sizeof(h));
	add_addresses(&b, &t);
	add_names(&b, &t, &pool);
	add_grants(&b, r, &pool);
	buf_str(&b, buf_view(&pool.bytes));
	bk_add_member(out, PB_EGRESS, &b);
	return true;
}
