/*
 * Writes the table's own rules.  A query for a name goes to the gateway, whatever address
 * it is sent to.  A tcp connection that the chain `out` accepts is redirected to the
 * gateway, unless it stays on the run's own loopback.
 */
#include "compiler/backend/nft/gateway.h"

#include "compiler/backend/common/util.h"

static const region_addr loop_lo[2] = { REGION_LOOP4_LO, REGION_LOOP6 };
static const region_addr loop_hi[2] = { REGION_LOOP4_HI, REGION_LOOP6 };
/* where polgate's sockets are */
static const region_addr gate_at[2] = { REGION_LOOP4_LO + 1, REGION_LOOP6 };
static const region_addr pool_at[2] = { REGION_V4_LO | PB_POOL_V4, REGION_POOL6 };

static const struct region_ports all_ports = { 0, UINT16_MAX };

void gateway_loopback(struct buf *b, const char *op, unsigned family)
{
	doc_daddr(b, op, loop_lo[family], loop_hi[family], family);
}

/* --- the chain `out` ------------------------------------------------------------- */

static void one_port(struct doc *d, unsigned proto, uint16_t port)
{
	struct region_ports one = { port, port };

	doc_ports(d->out, proto, &one, 1);
}

/* Nothing speaks to the gateway but queries, and connections that are redirected. */
static void own_rules(struct doc *d)
{
	doc_rule(d, PB_NFT_CHAIN, STR(GATEWAY_DNS), 0);
	one_port(d, 1, PB_NFT_DNS_PORT);
	doc_verdict(d, true, 1, STR(GATEWAY_DNS));
	for (unsigned family = 0; family < 2; family++)
		for (unsigned k = 0; k < 2; k++) {
			struct str comment = k ? STR(GATEWAY_OWN) : STR(GATEWAY_DNS);

			doc_rule(d, PB_NFT_CHAIN, comment, 0);
			doc_daddr(d->out, "==", gate_at[family], gate_at[family], family);
			one_port(d, 0, k ? PB_NFT_GATE_PORT : PB_NFT_DNS_PORT);
			doc_verdict(d, !k, 0, comment);
		}
}

static void pool_rules(struct doc *d, const struct region_pool *p, unsigned family)
{
	region_addr lo = pool_at[family] + p->first;

	for (size_t i = 0; i < p->nports; i += DOC_MAX_PORTS) {
		size_t n = p->nports - i < DOC_MAX_PORTS ? p->nports - i : DOC_MAX_PORTS;

		doc_rule(d, PB_NFT_CHAIN, STR(PB_NFT_POOL), n);
		doc_daddr(d->out, "==", lo, lo + p->count - 1, family);
		doc_ports(d->out, 0, p->ports + i, n);
		doc_verdict(d, true, 0, STR(PB_NFT_POOL));
	}
}

/* A synthetic address has the ports of its pool and no others. */
static void all_pools(struct doc *d, const struct region *r)
{
	for (unsigned family = 0; family < 2; family++) {
		for (size_t i = 0; i < r->pools.n; i++)
			pool_rules(d, &r->pools.v[i], family);
		for (unsigned k = 0; k < 2; k++) {
			doc_rule(d, PB_NFT_CHAIN, STR(PB_NFT_POOL), 0);
			doc_daddr(d->out, "==", pool_at[family],
				  pool_at[family] + PB_POOL_SIZE - 1, family);
			doc_ports(d->out, k, &all_ports, 1);
			doc_verdict(d, false, k, STR(PB_NFT_POOL));
		}
	}
}

void gateway_rules(struct doc *d, const struct region *r)
{
	own_rules(d);
	all_pools(d, r);
}

/* --- the chain `nat` --------------------------------------------------------------- */

bool gateway_leads_to_host(const struct region *r, const struct region_piece *p)
{
	const struct region_grant *g = &r->grants.v[p->grant];

	if (p->effect > IR_ASK || p->free)
		return false;
	for (size_t i = 0; i < g->within.n; i++)
		for (unsigned family = 0; family < 2; family++)
			if (g->within.v[i].lo <= loop_hi[family] &&
			    g->within.v[i].hi >= loop_lo[family])
				return true;
	return false;
}

/* Adds lo to hi, without the gateway's own ports. */
static void add_ports(struct arena *a, uint32_t lo, uint32_t hi, struct region_ports **v,
		      size_t *n)
{
	static const uint32_t own[] = { PB_NFT_GATE_PORT, PB_NFT_DNS_PORT };
	VEC(struct region_ports) out = { *v, *n, *n };

	for (size_t i = 0; i < POL_LEN(own); i++) {
		if (lo < own[i] && own[i] <= hi)
			VEC_PUSH(a, &out, ((struct region_ports){ (uint16_t)lo,
								 (uint16_t)(own[i] - 1) }));
		if (lo <= own[i] && own[i] <= hi)
			lo = own[i] + 1;
	}
	if (lo <= hi)
		VEC_PUSH(a, &out, ((struct region_ports){ (uint16_t)lo, (uint16_t)hi }));
	*v = out.v;
	*n = out.n;
}

void gateway_host_ports(const struct region *r, struct arena *a, struct region_ports **ret_v,
			size_t *ret_n)
{
	*ret_v = NULL;
	*ret_n = 0;
	for (size_t i = 0; i < r->hosts.n; i++) {
		const struct region_host *h = &r->hosts.v[i];
		const struct region_list *l =
			&r->lists.v[r->classes.v[h->class_].list[0]];
		uint32_t lo = 0;

		if (h->below || !str_eqz(h->name, "localhost"))
			continue;
		for (size_t k = 0; k < l->n; lo = l->v[k].hi + 1u, k++)
			if (gateway_leads_to_host(r, &l->v[k]))
				add_ports(a, lo, l->v[k].hi, ret_v, ret_n);
	}
}

void gateway_redirects(struct doc *d, const struct region *r)
{
	struct region_ports *v;
	size_t n;

	gateway_host_ports(r, d->out->a, &v, &n);
	doc_rule(d, PB_NFT_NAT, STR(GATEWAY_DNS), 0);
	one_port(d, 1, PB_NFT_DNS_PORT);
	doc_redirect(d, PB_NFT_DNS_PORT);
	for (unsigned family = 0; family < 2; family++) {
		for (size_t i = 0; i < n; i += DOC_MAX_PORTS) {
			size_t some = n - i < DOC_MAX_PORTS ? n - i : DOC_MAX_PORTS;

			doc_rule(d, PB_NFT_NAT, STR(GATEWAY_LOCALHOST), some);
			gateway_loopback(d->out, "==", family);
			doc_ports(d->out, 0, v + i, some);
			doc_redirect(d, PB_NFT_GATE_PORT);
		}
		doc_rule(d, PB_NFT_NAT, STR(GATEWAY_OWN), 0);
		gateway_loopback(d->out, "!=", family);
		doc_ports(d->out, 0, &all_ports, 1);
		doc_redirect(d, PB_NFT_GATE_PORT);
	}
}
