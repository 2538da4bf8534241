/*
 * Compares the evaluator, egress.bin and nft.json at one request of every cell.
 * The bounds of the cells come from all three, so that a bound that one of them
 * forgot is still tested.  The evaluator gets only the rules whose block holds the
 * address, since no other rule can match it.
 */
#include "compiler/backend/nft/verify.h"

#include <stdlib.h>

#include "compiler/backend/nft/coarse.h"
#include "compiler/backend/nft/ruleset.h"
#include "compiler/backend/nft/verify_names.h"
#include "compiler/backend/nft/verify_piece.h"
#include "compiler/backend/nft/verify_pools.h"
#include "compiler/backend/common/util.h"
#include "compiler/eval/reached.h"
#include "runtime/bundle/check.h"
#include "runtime/bundle/reader.h"

/* Rules that may be looked at; about two seconds. */
#define BUDGET ((uint64_t)200 * 1000 * 1000)

/* A rule that can match an address, and the addresses that it matches. */
struct subject {
	region_addr lo, hi;
	struct ir_rule *rule;
	struct ir_rule *reached; /* as it counts where a name leads there, or NULL */
};

struct verify {
	const struct ir *ir;
	VEC(struct subject) subjects;
	struct ir sub; /* the rules of one slab */
	struct ir reached; /* the same for a name that leads there */
	bool has_reached;  /* and they are others */
	struct arena *a;
	const struct pb_egress *egress;
	struct model model;
	bool has_model;
	bool *to_host; /* by port: the loopback is the host's, and not the run's own */
	size_t cuts; /* slabs in which the table's part differs from that of the one before */
	enum ir_scalar_id no_datagrams; /* under whose id the last rule rejects udp */
	VEC(region_addr) addrs;
	VEC(uint32_t) ports;
};

/* --- bounds -------------------------------------------------------------------- */

static void add_range(struct verify *v, region_addr lo, region_addr hi)
{
	VEC_PUSH(v->a, &v->addrs, lo);
	if (hi != ~(region_addr)0)
		VEC_PUSH(v->a, &v->addrs, hi + 1);
}

static void add_net(struct verify *v, const struct ir_net *n)
{
	if (n->host == IR_HOST_CIDR)
		add_range(v, region_first(&n->cidr), region_last(&n->cidr));
}

static int by_addr(const void *x, const void *y)
{
	region_addr a = *(const region_addr *)x, b = *(const region_addr *)y;

	return (a > b) - (a < b);
}

static void add_elements(struct verify *v, const struct model_set *s)
{
	for (size_t i = 0; i < s->elements.n; i++)
		add_range(v, s->elements.v[i].lo, s->elements.v[i].hi);
}

static void find_addresses(struct verify *v)
{
	size_t kept = 1;

	add_range(v, 0, ~(region_addr)0);
	add_range(v, REGION_V4_LO, REGION_V4_HI);
	for (size_t i = 0; i < v->ir->rules.n; i++) {
		struct ir_rule *r = v->ir->rules.v[i];
		const struct ir_net *n = &r->set.u.net;
		struct subject s = { 0, ~(region_addr)0, r, NULL };

		if (r->kind != IR_NET || n->host == IR_HOST_NAME ||
		    n->host == IR_HOST_BELOW)
			continue;
		if (n->host == IR_HOST_CIDR) {
			s.lo = region_first(&n->cidr);
			s.hi = region_last(&n->cidr);
		}
		s.reached = eval_reached_rule(r, v->a);
		VEC_PUSH(v->a, &v->subjects, s);
		add_net(v, n);
		for (size_t k = 0; k < r->nexcept; k++)
			add_net(v, &r->except[k].u.net);
	}
	for (uint32_t i = 0; i < v->egress->slabs.count; i++) {
		const struct pb_slab *s =
			pb_at(v->egress, v->egress->slabs, sizeof(*s), i);

		VEC_PUSH(v->a, &v->addrs, region_of(s->lo));
	}
	for (uint32_t i = 0; i < v->egress->slabs4.count; i++) {
		const struct pb_slab4 *s =
			pb_at(v->egress, v->egress->slabs4, sizeof(*s), i);

		VEC_PUSH(v->a, &v->addrs, REGION_V4_LO | s->lo);
	}
	for (size_t i = 0; i < v->model.sets.n; i++)
		add_elements(v, v->model.sets.v[i]);
	for (size_t i = 0; i < v->model.rules.n; i++)
		if (v->model.rules.v[i].set && !v->model.rules.v[i].set->name.n)
			add_elements(v, v->model.rules.v[i].set);
	qsort(v->addrs.v, v->addrs.n, sizeof(*v->addrs.v), by_addr);
	for (size_t i = 1; i < v->addrs.n; i++)
		if (v->addrs.v[i] != v->addrs.v[kept - 1])
			v->addrs.v[kept++] = v->addrs.v[i];
	v->addrs.n = kept;
}

static int by_number(const void *x, const void *y)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

	return (a > b) - (a < b);
}

static void add_ports(struct verify *v, uint32_t lo, uint32_t hi)
{
	VEC_PUSH(v->a, &v->ports, lo);
	if (hi < UINT16_MAX)
		VEC_PUSH(v->a, &v->ports, hi + 1);
}

/* The lists for tcp and udp of an address. */
static const struct pb_pair *pair_of(const struct verify *v, region_addr at)
{
	const struct pb_egress *e = v->egress;
	const struct pb_slab *six = pb_at(e, e->slabs, sizeof(*six), 0);
	const struct pb_slab4 *four = pb_at(e, e->slabs4, sizeof(*four), 0);
	bool is_four = at >= REGION_V4_LO && at <= REGION_V4_HI;
	uint32_t lo = 0, hi = is_four ? e->slabs4.count : e->slabs.count, pair = 0;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if ((is_four ? REGION_V4_LO | four[mid].lo : region_of(six[mid].lo)) > at) {
			hi = mid;
			continue;
		}
		pair = is_four ? four[mid].pair : six[mid].pair;
		lo = mid + 1;
	}
	return pb_at(e, e->pairs, sizeof(struct pb_pair), pair);
}

static void find_model_ports(struct verify *v, region_addr at)
{
	for (size_t i = 0; i < v->model.rules.n; i++) {
		const struct model_rule *r = &v->model.rules.v[i];
		const struct model_set *s = r->set;

		for (size_t k = 0; k < r->ports.n; k++)
			add_ports(v, r->ports.v[k].lo, r->ports.v[k].hi);
		for (size_t k = 0; s && s->pairs && k < s->elements.n; k++)
			if (at >= s->elements.v[k].lo && at <= s->elements.v[k].hi)
				add_ports(v, s->elements.v[k].port_lo,
					  s->elements.v[k].port_hi);
	}
}

/* Collects the rules of this slab and every port where a decision may change. */
static void enter_slab(struct verify *v, region_addr at, const struct pb_pair *pair)
{
	const uint32_t lists[] = { pair->tcp, pair->udp, pair->reached };
	size_t kept = 1;

	v->sub.rules.n = v->reached.rules.n = v->ports.n = 0;
	v->has_reached = false;
	add_ports(v, 0, UINT16_MAX);
	for (size_t i = 0; i < v->subjects.n; i++) {
		struct ir_rule *r = v->subjects.v[i].rule;
		struct ir_rule *reached = v->subjects.v[i].reached;

		if (at < v->subjects.v[i].lo || at > v->subjects.v[i].hi)
			continue;
		VEC_PUSH(v->a, &v->sub.rules, r);
		if (reached)
			VEC_PUSH(v->a, &v->reached.rules, reached);
		v->has_reached |= r != reached;
		add_ports(v, r->set.u.net.port_lo, r->set.u.net.port_hi);
		for (size_t k = 0; k < r->nexcept; k++)
			add_ports(v, r->except[k].u.net.port_lo,
				  r->except[k].u.net.port_hi);
	}
	for (unsigned p = 0; p < POL_LEN(lists); p++) {
		const struct pb_ports *l =
			pb_at(v->egress, v->egress->lists, sizeof(*l), lists[p]);
		const struct pb_piece *w =
			pb_at(v->egress, v->egress->pieces, sizeof(*w), l->first);

		for (uint32_t i = 0; i < l->count; i++)
			add_ports(v, 0, w[i].hi);
	}
	find_model_ports(v, at);
	qsort(v->ports.v, v->ports.n, sizeof(*v->ports.v), by_number);
	for (size_t i = 1; i < v->ports.n; i++)
		if (v->ports.v[i] != v->ports.v[kept - 1])
			v->ports.v[kept++] = v->ports.v[i];
	v->ports.n = kept;
}

/* --- one request ------------------------------------------------------------------ */

static const char *differs(const struct verify *v, const struct ir_request *req,
			   const char *what)
{
	struct str where = { NULL, 0 };

	for (size_t i = 0; i < 16; i += 2)
		where = str_printf(v->a, "%.*s%s%x", STR_ARG(where), i ? ":" : "",
				   req->addr[i] << 8 | req->addr[i + 1]);
	return arena_printf(v->a, "%s [%.*s]:%u: %s", req->proto == IR_TCP ? "tcp" : "udp",
			    STR_ARG(where), req->port, what);
}

static const struct pb_piece *piece_of(const struct verify *v, uint32_t list, uint16_t port)
{
	const struct pb_ports *l = pb_at(v->egress, v->egress->lists, sizeof(*l), list);
	const struct pb_piece *w =
		pb_at(v->egress, v->egress->pieces, sizeof(*w), l->first);

	while (w->hi < port)
		w++;
	return w;
}

static const char *compare_egress(const struct verify *v, const struct ir_request *req,
				  const struct pb_pair *pair, const struct eval_decision *e)
{
	uint32_t list = req->proto == IR_UDP ? pair->udp : pair->tcp;
	const char *why = nft_verify_piece(v->ir, v->egress, piece_of(v, list, req->port), req,
					   e, v->a);

	if (!why && req->proto == IR_TCP) {
		struct eval_decision other = *e;

		if (v->has_reached)
			eval_decide(&v->reached, req, v->a, &other);
		why = nft_verify_reached(v->ir, piece_of(v, pair->reached, req->port),
					 &other);
	}
	return why ? differs(v, req, why) : NULL;
}

static bool is_gate(region_addr at)
{
	return at == REGION_LOOP4_LO + 1 || at == REGION_LOOP6;
}

static bool is_synthetic(region_addr at)
{
	return (at >= (REGION_V4_LO | PB_POOL_V4) &&
		at < (REGION_V4_LO | PB_POOL_V4) + PB_POOL_SIZE) ||
	       (at >= REGION_POOL6 && at < REGION_POOL6 + PB_POOL_SIZE);
}

/* What the table's own rules decide, whatever the policy says: 1 accepts, 0 rejects. */
static int own_verdict(const struct ir_request *req, region_addr at)
{
	if (req->port == PB_NFT_DNS_PORT && (req->proto == IR_UDP || is_gate(at)))
		return 1;
	return req->port == PB_NFT_GATE_PORT && req->proto == IR_TCP && is_gate(at) ? 0 : -1;
}

/* Does the kernel let the connection pass?  It cannot ask, and no datagram leaves. */
static bool is_accepted(const struct ir_request *req, region_addr at, enum ir_effect e)
{
	if (region_is_loopback(at))
		return e == IR_ALLOW;
	return req->proto == IR_TCP && e <= IR_ASK;
}

/*
 * Is it a connection that the table leaves to the gateway, since it cannot hold so many
 * blocks?  (compare_nat() has seen that it goes there, and compare_egress() what happens
 * to it there.)
 */
static bool is_left(const struct verify *v, const struct ir_request *req, region_addr at,
		    const struct model_rule *r)
{
	return r->verdict == MODEL_ACCEPT && str_eqz(r->comment, COARSE_COMMENT) &&
	       req->proto == IR_TCP && !region_is_loopback(at) &&
	       v->cuts > 2 * COARSE_BLOCKS;
}

/* Where is the connection redirected? */
static const char *compare_nat(const struct verify *v, const struct ir_request *req,
			       region_addr at)
{
	uint16_t want = 0;

	if (req->proto == IR_UDP)
		want = req->port == PB_NFT_DNS_PORT ? PB_NFT_DNS_PORT : 0;
	else if (!region_is_loopback(at) || v->to_host[req->port])
		want = PB_NFT_GATE_PORT;
	return model_redirect(&v->model, req->proto, at, req->port) == want ?
		       NULL : differs(v, req, PB_NFT_JSON " redirects it elsewhere");
}

static const char *compare_comment(const struct verify *v, const struct ir_request *req,
				   const struct model_rule *r, const struct eval_decision *e)
{
	uint32_t rule = e->rule ? region_statement(v->ir, e->rule->index) :
				  bk_rule_of_scalar(v->ir, e->scalar);
	struct str id = ruleset_comment(v->ir, rule);
	bool accepted = r->verdict == MODEL_ACCEPT;

	/* a datagram that the policy allows is stopped by the mode */
	if (!accepted && e->effect <= IR_ASK && req->proto == IR_UDP &&
	    !region_is_loopback(region_of(req->addr)))
		id = ruleset_comment(v->ir, bk_rule_of_scalar(v->ir, v->no_datagrams));
	if (str_eqz(r->comment, COARSE_COMMENT) && !region_is_loopback(region_of(req->addr)))
		return NULL;
	return str_eq(r->comment, id) ? NULL :
					differs(v, req, PB_NFT_JSON " names another rule");
}

static const char *compare_model(const struct verify *v, const struct ir_request *req,
				 const struct eval_decision *e)
{
	region_addr at = region_of(req->addr);
	int i = model_ask(&v->model, req->proto, at, req->port);
	int own = own_verdict(req, at);
	const struct model_rule *r;
	const char *why = compare_nat(v, req, at);

	if (why || i < 0)
		return why ? why : differs(v, req, PB_NFT_JSON " has no rule for it");
	r = &v->model.rules.v[i];
	if (!model_records(r))
		return differs(v, req, PB_NFT_JSON " does not record it");
	if (own < 0 && is_synthetic(at))
		return NULL; /* verify_pools.c */
	if (own < 0 && is_left(v, req, at, r))
		return NULL;
	if ((r->verdict == MODEL_ACCEPT) !=
		    (own < 0 ? is_accepted(req, at, e->effect) : own == 1) ||
	    r->verdict == MODEL_REDIRECT ||
	    (r->verdict == MODEL_RESET && req->proto != IR_TCP))
		return differs(v, req, PB_NFT_JSON " has another verdict");
	return own < 0 ? compare_comment(v, req, r, e) : NULL;
}

static const char *verify_slab(struct verify *v, region_addr at)
{
	const struct pb_pair *pair = pair_of(v, at);
	struct ir_request req = { .kind = IR_NET, .scope = IR_SANDBOX, .is_addr = true,
				  .before_guard = true };
	const char *why = NULL;
	size_t step;

	enter_slab(v, at, pair);
	region_bytes(at, req.addr);
	step = v->ports.n * (v->sub.rules.n + v->model.rules.n) / (BUDGET / 8) + 1;
	for (size_t i = 0; !why && i < v->ports.n; i += step) {
		req.port = (uint16_t)v->ports.v[i];
		for (unsigned p = IR_TCP; !why && p <= IR_UDP; p++) {
			struct eval_decision e;

			req.proto = (enum ir_proto)p;
			eval_decide(&v->sub, &req, v->a, &e);
			why = compare_egress(v, &req, pair, &e);
			if (!why && v->has_model)
				why = compare_model(v, &req, &e);
		}
	}
	return why;
}

static bool names_loopback(const struct pb_egress *e, uint32_t grant)
{
	const struct pb_grant *g = pb_at(e, e->grants, sizeof(*g), grant);

	for (uint32_t i = 0; i < g->within_count; i++) {
		const struct pb_range *r =
			pb_at(e, e->ranges, sizeof(*r), g->within_first + i);
		region_addr lo = region_of(r->lo), hi = region_of(r->hi);

		if ((lo <= REGION_LOOP4_HI && hi >= REGION_LOOP4_LO) ||
		    (lo <= REGION_LOOP6 && hi >= REGION_LOOP6))
			return true;
	}
	return false;
}

/*
 * On which ports does a rule let "localhost" be that of the host?  It must say that the name
 * may lie on the loopback.  (verify_names.c compares what is read here with the rules.)
 */
static void find_host_ports(struct verify *v)
{
	const struct pb_egress *e = v->egress;

	v->to_host = arena_array(v->a, UINT16_MAX + 1, sizeof(*v->to_host));
	for (uint32_t i = 0; i < e->hosts.count; i++) {
		const struct pb_host *h = pb_at(e, e->hosts, sizeof(*h), i);
		const struct pb_class *c = pb_at(e, e->classes, sizeof(*c), h->class_);
		const struct pb_ports *l = pb_at(e, e->lists, sizeof(*l), c->tcp);
		const struct pb_piece *w = pb_at(e, e->pieces, sizeof(*w), l->first);
		struct str name = { pb_strp(e, h->name), h->name.len };

		if (h->below || !str_eqz(name, "localhost"))
			continue;
		for (uint32_t k = 0, port = 0; k < l->count; port = w[k].hi + 1u, k++)
			if (w[k].effect <= PB_ASK && !w[k].free &&
			    names_loopback(e, w[k].grant))
				memset(v->to_host + port, true, w[k].hi + 1u - port);
	}
	v->to_host[PB_NFT_GATE_PORT] = v->to_host[PB_NFT_DNS_PORT] = false;
}

/* In how many slabs does a connection to the address itself meet something else than in the one
 * before? */
static size_t count_cuts(const struct pb_egress *e)
{
	const struct pb_slab *six = pb_at(e, e->slabs, sizeof(*six), 0);
	const struct pb_slab4 *four = pb_at(e, e->slabs4, sizeof(*four), 0);
	const struct pb_pair *pairs = pb_at(e, e->pairs, sizeof(*pairs), 0);
	size_t n = 0;

	for (unsigned k = 0; k < 2; k++)
		for (uint32_t i = 0; i < (k ? e->slabs4.count : e->slabs.count); i++) {
			const struct pb_pair *p = &pairs[k ? four[i].pair : six[i].pair];
			const struct pb_pair *last =
				i ? &pairs[k ? four[i - 1].pair : six[i - 1].pair] : NULL;

			n += !last || last->tcp != p->tcp || last->udp != p->udp;
		}
	return n;
}

const char *nft_verify(const struct ir *ir, const struct bk_output *in, struct arena *a)
{
	const struct bk_member *egress = bk_member(in, PB_EGRESS);
	const struct bk_member *json = bk_member(in, PB_NFT_JSON);
	struct verify v = { .ir = ir, .sub = *ir, .reached = *ir, .a = a,
			    .has_model = json != NULL };
	struct rt_err err = { .err = 0 };
	enum ir_scalar_id other;
	const char *why;
	size_t step;

	if (!egress)
		return PB_EGRESS " is missing";
	if (bundle_check_egress(egress->bytes.p, egress->bytes.n, bk_rule_count(ir), &err))
		return arena_printf(a, "%s", err.text);
	v.egress = (const void *)egress->bytes.p;
	if (!json != !(v.egress->gate & PB_GATE_NEEDED) ||
	    v.egress->hold_ms != (uint32_t)ir->scalars[IR_S_NET_HOLD].num ||
	    v.egress->guard != (ir->scalars[IR_S_NET_MODE].num == IR_NET_LIMITED))
		return PB_EGRESS " is that of another mode";
	why = json ? model_read(a, json->bytes, &v.model) : NULL;
	if (why)
		return arena_printf(a, PB_NFT_JSON ": %s", why);
	v.sub.rules.v = v.reached.rules.v = NULL;
	v.sub.rules.n = v.sub.rules.cap = 0;
	v.reached.rules.n = v.reached.rules.cap = 0;
	v.cuts = count_cuts(v.egress);
	find_addresses(&v);
	find_host_ports(&v);
	v.no_datagrams = IR_S_NET_MODE;
	if (region_otherwise(ir, &other) > IR_ASK)
		v.no_datagrams = other;
	step = (size_t)(v.addrs.n * (ir->rules.n + 4 * v.model.rules.n) / BUDGET) + 1;
	for (size_t i = 0; !why && i < v.addrs.n; i += step)
		why = verify_slab(&v, v.addrs.v[i]);
	if (!why)
		why = verify_slab(&v, v.addrs.v[v.addrs.n - 1]);
	if (!why)
		why = nft_verify_names(ir, v.egress, a);
	return why || !json ? why : nft_verify_pools(v.egress, &v.model, a);
}
