/*
 * Which addresses and ports the table of the target nft-host accepts: the cells of the
 * policy (backend/nft/region.h), less what only the gateway of a run could enforce.
 */
#include "compiler/emit/nft_host_cells.h"

#include "compiler/backend/common/util.h"

/* Blocks that are looked at before a new one is added: those of the slab before. */
#define LOOK_BACK 32u

bool host_has_proxy(const struct ir_grant *g)
{
	return g->via.n && !str_eqz(g->via, "none");
}

bool host_is_more(const struct ir_grant *g)
{
	return host_has_proxy(g) || g->header.n || g->bytes || g->connections ||
	       g->peek == IR_PEEK_TLS || g->peek == IR_PEEK_HTTP;
}

bool host_is_loopback(const struct ir_net *n)
{
	return n->host == IR_HOST_CIDR && region_is_loopback(region_first(&n->cidr)) &&
	       region_is_loopback(region_last(&n->cidr));
}

/* The ports where a class of names is not simply let through. */
static void block(struct host_cells *c, const struct region *r, const struct region_list *l,
		  unsigned proto)
{
	uint32_t lo = 0;

	for (size_t i = 0; i < l->n; lo = l->v[i].hi + 1u, i++)
		if (l->v[i].effect != IR_ALLOW || host_is_more(&r->grants.v[l->v[i].grant].more))
			for (uint32_t p = lo; p <= l->v[i].hi; p++)
				c->blocked[proto][p] = true;
}

static struct host_group *group_of(struct host_cells *c, enum host_stage s, uint32_t rule)
{
	uint32_t first = region_statement(c->ir, rule);
	struct host_group *g = c->of[s][first];

	if (!g) {
		g = ARENA_NEW(c->a, struct host_group);
		g->rule = first;
		c->of[s][first] = g;
	}
	return g;
}

static void add(struct host_cells *c, enum host_stage s, uint32_t rule, unsigned proto,
		const struct host_block *b)
{
	unsigned family = b->lo >= REGION_V4_LO && b->lo <= REGION_V4_HI ? 0 : 1;
	struct host_group *g = group_of(c, s, rule);
	size_t n = g->blocks[family][proto].n;

	for (size_t i = 0; i < n && i < LOOK_BACK; i++) {
		struct host_block *old = &g->blocks[family][proto].v[n - 1 - i];

		if (old->hi + 1 == b->lo && old->ports.lo == b->ports.lo &&
		    old->ports.hi == b->ports.hi) {
			old->hi = b->hi;
			return;
		}
	}
	VEC_PUSH(c->a, &g->blocks[family][proto], *b);
}

/* An accepted block whose rule names no address: not where a name gets less. */
static void add_unblocked(struct host_cells *c, uint32_t rule, unsigned proto,
			  struct host_block b)
{
	uint32_t hi = b.ports.hi;

	for (uint32_t p = b.ports.lo, from = p; p <= hi; p++) {
		if (c->blocked[proto][p]) {
			from = p + 1;
		} else if (p == hi || c->blocked[proto][p + 1]) {
			b.ports = (struct region_ports){ (uint16_t)from, (uint16_t)p };
			add(c, HOST_ANY, rule, proto, &b);
		}
	}
}

/* Does a rule that counts there name the addresses itself?  (cell.c: no guard refuses them.) */
static bool is_named(const struct region_grant *g)
{
	return g->within.n == 1 && g->within.v[0].lo == 0 &&
	       g->within.v[0].hi == ~(region_addr)0;
}

static void accept(struct host_cells *c, const struct region *r,
		   const struct region_piece *p, unsigned proto, struct host_block b)
{
	const struct ir_net *n = p->rule < c->ir->rules.n ? &c->ir->rules.v[p->rule]->set.u.net :
							    NULL;

	if (region_is_loopback(b.lo)) {
		/* only these words surely do not mean the run's own loopback alone */
		if (c->loopback || (n && host_is_loopback(n)))
			add(c, HOST_NAMED, p->rule, proto, &b);
	} else if (is_named(&r->grants.v[p->grant])) {
		add(c, HOST_NAMED, p->rule, proto, &b);
	} else {
		add_unblocked(c, p->rule, proto, b);
	}
}

static void take_slab(struct host_cells *c, const struct region *r, size_t i, unsigned proto)
{
	const struct region_list *l = &r->lists.v[r->slabs.v[i].list[proto]];
	uint32_t lo = 0;

	for (size_t k = 0; k < l->n; lo = l->v[k].hi + 1u, k++) {
		const struct region_piece *p = &l->v[k];
		struct host_block b = { r->slabs.v[i].lo, region_end(r, i),
					{ (uint16_t)lo, p->hi } };

		if (p->effect == IR_ALLOW && !host_is_more(&r->grants.v[p->grant].more))
			accept(c, r, p, proto, b);
		else if (p->rule < c->ir->rules.n)
			add(c, HOST_DENIED, p->rule, proto, &b);
	}
}

void host_cells(struct host_cells *c, const struct region *r)
{
	c->n = c->ir->rules.n + IR_SCALAR_COUNT;
	for (unsigned s = 0; s < HOST_STAGE_COUNT; s++)
		c->of[s] = arena_array(c->a, c->n, sizeof(struct host_group *));
	c->blocked = arena_array(c->a, 2, sizeof(*c->blocked));
	for (size_t i = 0; i < r->classes.n; i++)
		for (unsigned k = 0; k < 2 && !r->classes.v[i].is_local; k++)
			block(c, r, &r->lists.v[r->classes.v[i].list[k]], k);
	for (size_t i = 0; i < r->slabs.n; i++)
		for (unsigned k = 0; k < 2; k++)
			take_slab(c, r, i, k);
}
