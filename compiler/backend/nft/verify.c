/*
 * Compares the evaluator, egress.bin and nft.json at one request of every cell.
 * The bounds of the cells come from all three, so that a bound that one of them
 * forgot is still tested.  The evaluator gets only the rules whose block holds the
 * address, since no other rule can match it.
 */
#include "compiler/backend/nft/verify.h"

#include <stdlib.h>

#include "compiler/backend/nft/ruleset.h"
#include "compiler/backend/common/util.h"
#include "compiler/eval/eval.h"
#include "runtime/bundle/check.h"
#include "runtime/bundle/reader.h"

/* Rules that may be looked at; about two seconds. */
#define BUDGET ((uint64_t)200 * 1000 * 1000)

/* A rule that can match an address, and the addresses that it matches. */
struct subject {
	region_addr lo, hi;
	struct ir_rule *rule;
};

struct verify {
	const struct ir *ir;
	VEC(struct subject) subjects;
	struct ir sub; /* the rules of one slab */
	struct arena *a;
	const struct pb_egress *egress;
	struct model model;
	bool has_model;
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
		struct subject s = { 0, ~(region_addr)0, r };

		if (r->kind != IR_NET || n->host == IR_HOST_NAME ||
		    n->host == IR_HOST_BELOW)
			continue;
		if (n->host == IR_HOST_CIDR) {
			s.lo = region_first(&n->cidr);
			s.hi = region_last(&n->cidr);
		}
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

static const struct pb_slab *slab_of(const struct verify *v, region_addr at)
{
	const struct pb_slab *best = NULL;
	uint32_t lo = 0, hi = v->egress->slabs.count;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		const struct pb_slab *s =
			pb_at(v->egress, v->egress->slabs, sizeof(*s), mid);

		if (region_of(s->lo) > at) {
			hi = mid;
			continue;
		}
		best = s;
		lo = mid + 1;
	}
	return best;
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
static void enter_slab(struct verify *v, region_addr at, const struct pb_slab *slab)
{
	size_t kept = 1;

	v->sub.rules.n = v->ports.n = 0;
	add_ports(v, 0, UINT16_MAX);
	for (size_t i = 0; i < v->subjects.n; i++) {
		struct ir_rule *r = v->subjects.v[i].rule;

		if (at < v->subjects.v[i].lo || at > v->subjects.v[i].hi)
			continue;
		VEC_PUSH(v->a, &v->sub.rules, r);
		add_ports(v, r->set.u.net.port_lo, r->set.u.net.port_hi);
		for (size_t k = 0; k < r->nexcept; k++)
			add_ports(v, r->except[k].u.net.port_lo,
				  r->except[k].u.net.port_hi);
	}
	for (unsigned p = 0; p < 2; p++) {
		const struct pb_ports *l = pb_at(v->egress, v->egress->lists, sizeof(*l),
						 p ? slab->udp : slab->tcp);
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

static const char *compare_egress(const struct verify *v, const struct ir_request *req,
				  const struct pb_slab *slab, const struct eval_decision *e)
{
	const struct pb_ports *l = pb_at(v->egress, v->egress->lists, sizeof(*l),
					 req->proto == IR_UDP ? slab->udp : slab->tcp);
	const struct pb_piece *w =
		pb_at(v->egress, v->egress->pieces, sizeof(*w), l->first);
	uint32_t want = e->rule ? e->rule->index : bk_rule_of_scalar(v->ir, e->scalar);

	while (w->hi < req->port)
		w++;
	if (w->effect != (uint8_t)e->effect)
		return differs(v, req, PB_EGRESS " has another effect");
	return w->rule == want ? NULL : differs(v, req, PB_EGRESS " names another rule");
}

static const char *compare_model(const struct verify *v, const struct ir_request *req,
				 const struct eval_decision *e)
{
	int i = model_ask(&v->model, req->proto, region_of(req->addr), req->port);
	uint32_t rule = e->rule ? region_statement(v->ir, e->rule->index) :
				  bk_rule_of_scalar(v->ir, e->scalar);
	struct str id = ruleset_comment(v->ir, rule);
	const struct model_rule *r;

	if (i < 0)
		return differs(v, req, PB_NFT_JSON " has no rule for it");
	r = &v->model.rules.v[i];
	if ((r->verdict == MODEL_ACCEPT) != (e->effect == IR_ALLOW) ||
	    (r->verdict == MODEL_RESET && req->proto != IR_TCP))
		return differs(v, req, PB_NFT_JSON " has another verdict");
	if (!str_eq(r->comment, id) || !r->counter ||
	    (e->effect != IR_ALLOW && (!r->log || r->group != PB_NFT_GROUP || !str_eq(r->prefix, id))))
		return differs(v, req, PB_NFT_JSON " names another rule");
	return NULL;
}

static const char *verify_slab(struct verify *v, region_addr at)
{
	const struct pb_slab *slab = slab_of(v, at);
	struct ir_request req = { .kind = IR_NET, .scope = IR_SANDBOX, .is_addr = true };
	const char *why = NULL;
	size_t step;

	enter_slab(v, at, slab);
	region_bytes(at, req.addr);
	step = v->ports.n * (v->sub.rules.n + v->model.rules.n) / (BUDGET / 8) + 1;
	for (size_t i = 0; !why && i < v->ports.n; i += step) {
		req.port = (uint16_t)v->ports.v[i];
		for (unsigned p = IR_TCP; !why && p <= IR_UDP; p++) {
			struct eval_decision e;

			req.proto = (enum ir_proto)p;
			eval_decide(&v->sub, &req, v->a, &e);
			why = compare_egress(v, &req, slab, &e);
			if (!why && v->has_model)
				why = compare_model(v, &req, &e);
		}
	}
	return why;
}

const char *nft_verify(const struct ir *ir, const struct bk_output *in, struct arena *a)
{
	const struct bk_member *egress = bk_member(in, PB_EGRESS);
	const struct bk_member *json = bk_member(in, PB_NFT_JSON);
	struct verify v = { .ir = ir, .sub = *ir, .a = a, .has_model = json != NULL };
	struct rt_err err = { .err = 0 };
	const char *why;
	size_t step;

	if (!egress)
		return PB_EGRESS " is missing";
	if (bundle_check_egress(egress->bytes.p, egress->bytes.n, bk_rule_count(ir), &err))
		return arena_printf(a, "%s", err.text);
	v.egress = (const void *)egress->bytes.p;
	why = json ? model_read(a, json->bytes, &v.model) : NULL;
	if (why)
		return arena_printf(a, PB_NFT_JSON ": %s", why);
	v.sub.rules.v = NULL;
	v.sub.rules.n = v.sub.rules.cap = 0;
	find_addresses(&v);
	step = (size_t)(v.addrs.n * (ir->rules.n + 4 * v.model.rules.n) / BUDGET) + 1;
	for (size_t i = 0; !why && i < v.addrs.n; i += step)
		why = verify_slab(&v, v.addrs.v[i]);
	return why ? why : verify_slab(&v, v.addrs.v[v.addrs.n - 1]);
}
