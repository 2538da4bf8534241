/* Compares the ports of each pool of synthetic addresses with those of its names. */
#include "compiler/backend/nft/verify_pools.h"

#include "compiler/backend/common/util.h"
#include "runtime/bundle/format.h"

struct pools {
	const struct pb_egress *e;
	const struct model *m;
	struct arena *a;
	bool *reach; /* of one pool, by port */
};

static region_addr address(unsigned family, uint32_t index)
{
	static const uint8_t v6[16] = PB_POOL_V6;

	return (family ? region_of(v6) : (REGION_V4_LO | PB_POOL_V4)) + index;
}

static const char *differs(const struct pools *p, uint32_t index, uint32_t port,
			   const char *what)
{
	return arena_printf(p->a, "synthetic address %u, port %u: %s", index, port, what);
}

/* Which ports may some name of the pool use? */
static void find_reach(struct pools *p, uint32_t pool)
{
	const struct pb_egress *e = p->e;

	memset(p->reach, 0, (UINT16_MAX + 1) * sizeof(*p->reach));
	for (uint32_t i = 0; i < e->classes.count; i++) {
		const struct pb_class *c = pb_at(e, e->classes, sizeof(*c), i);
		const struct pb_ports *l = pb_at(e, e->lists, sizeof(*l), c->tcp);
		const struct pb_piece *v = pb_at(e, e->pieces, sizeof(*v), l->first);

		if (c->pool != pool)
			continue;
		for (uint32_t k = 0, port = 0; k < l->count; port = v[k].hi + 1u, k++)
			if (v[k].effect <= PB_ASK && !v[k].free)
				memset(p->reach + port, true, v[k].hi + 1u - port);
	}
}

/* Is it a rule about the synthetic addresses, with this verdict, on record? */
static const char *ask_rule(const struct pools *p, uint32_t index, uint32_t port, int i,
			    enum model_verdict want)
{
	const struct model_rule *r = i < 0 ? NULL : &p->m->rules.v[i];

	if (!r || r->verdict != want)
		return differs(p, index, port, "the table has another verdict");
	return str_eqz(r->comment, PB_NFT_POOL) && model_records(r) ?
		       NULL : differs(p, index, port, "the table does not record it");
}

static const char *ask(const struct pools *p, uint32_t index, uint32_t port, bool want)
{
	for (unsigned family = 0; family < 2; family++) {
		region_addr at = address(family, index);
		const char *why = ask_rule(p, index, port, model_ask(p->m, IR_TCP, at,
								     (uint16_t)port),
					   want ? MODEL_ACCEPT : MODEL_RESET);

		if (!why && port != PB_NFT_DNS_PORT)
			why = ask_rule(p, index, port,
				       model_ask(p->m, IR_UDP, at, (uint16_t)port),
				       MODEL_PROHIBITED);
		if (why)
			return why;
		if (model_redirect(p->m, IR_TCP, at, (uint16_t)port) != PB_NFT_GATE_PORT)
			return differs(p, index, port, "does not go to the gateway");
	}
	return NULL;
}

/* Every port where the pool or a rule of the table changes. */
static const char *ask_ports(const struct pools *p, uint32_t index)
{
	const char *why = ask(p, index, 0, p->reach[0]);

	for (uint32_t i = 1; !why && i <= UINT16_MAX; i++)
		if (p->reach[i] != p->reach[i - 1]) {
			why = ask(p, index, i - 1, p->reach[i - 1]);
			why = why ? why : ask(p, index, i, p->reach[i]);
		}
	for (size_t k = 0; !why && k < p->m->rules.n; k++) {
		const struct model_rule *r = &p->m->rules.v[k];

		if (!str_eqz(r->comment, PB_NFT_POOL))
			continue;
		for (size_t i = 0; !why && i < r->ports.n; i++) {
			uint32_t hi = r->ports.v[i].hi, next = hi < UINT16_MAX ? hi + 1 : hi;

			why = ask(p, index, r->ports.v[i].lo, p->reach[r->ports.v[i].lo]);
			why = why ? why : ask(p, index, next, p->reach[next]);
		}
	}
	return why;
}

static const char *ask_gap(const struct pools *p, uint32_t first, uint32_t last)
{
	const char *why = ask_ports(p, first);

	return why ? why : ask_ports(p, last);
}

const char *nft_verify_pools(const struct pb_egress *e, const struct model *m,
			     struct arena *a)
{
	struct pools p = { .e = e, .m = m, .a = a };
	uint32_t next = 0;
	const char *why = NULL;

	p.reach = arena_array(a, UINT16_MAX + 1, sizeof(*p.reach));
	for (uint32_t i = 0; !why && i < e->pools.count; i++) {
		const struct pb_pool *v = pb_at(e, e->pools, sizeof(*v), i);

		memset(p.reach, 0, (UINT16_MAX + 1) * sizeof(*p.reach));
		if (v->first > next) /* a gap: nobody has these */
			why = ask_gap(&p, next, v->first - 1);
		find_reach(&p, i);
		why = why ? why : ask_ports(&p, v->first);
		why = why ? why : ask_ports(&p, v->first + v->count - 1);
		next = v->first + v->count;
	}
	memset(p.reach, 0, (UINT16_MAX + 1) * sizeof(*p.reach));
	return why || next >= PB_POOL_SIZE ? why : ask_gap(&p, next, PB_POOL_SIZE - 1);
}
