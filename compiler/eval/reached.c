/* Decides on an address of a name with the rules that speak of addresses. */
#include "compiler/eval/reached.h"

#include "compiler/eval/eval.h"
#include "compiler/eval/request.h"
#include "runtime/base/address_guard.h"

struct ir_rule *eval_reached_rule(struct ir_rule *r, struct arena *a)
{
	if (r->kind != IR_NET)
		return r;
	if (r->set.u.net.host == IR_HOST_ANY && r->effect != IR_ALLOW)
		return NULL;
	if (!r->soft)
		return r;
	r = arena_dup(a, r, sizeof(*r));
	r->soft = false;
	return r;
}

void eval_reached(const struct ir *ir, const struct ir_request *req, struct arena *a,
		  struct eval_decision *ret)
{
	struct ir rules = *ir;

	rules.rules.v = NULL;
	rules.rules.n = rules.rules.cap = 0;
	for (size_t i = 0; i < ir->rules.n; i++) {
		struct ir_rule *r = eval_reached_rule(ir->rules.v[i], a);

		if (r && r->kind == IR_NET)
			VEC_PUSH(a, &rules.rules, r);
	}
	eval_decide(&rules, req, a, ret);
}

static bool names_address(const struct num_cidr *block, const struct ir_request *req)
{
	return guard_is_named(block->addr, block->bits, req->addr);
}

/* Does the rule name the address, for those that it matches or for a name on this port? */
static bool lifts_guard(const struct ir_rule *r, const struct ir_request *req)
{
	const struct ir_net *n = &r->set.u.net;

	if (r->kind != IR_NET || r->effect > IR_ASK || !(r->scopes & (unsigned)req->scope) ||
	    !(n->protos & (unsigned)req->proto) ||
	    req->port < n->port_lo || req->port > n->port_hi)
		return false;
	for (size_t i = 0; i < n->nwithin; i++)
		if (names_address(&n->within[i], req))
			return true;
	return n->host == IR_HOST_CIDR && names_address(&n->cidr, req) &&
	       eval_rule_matches(r, req);
}

bool eval_reached_is_guarded(const struct ir *ir, const struct ir_request *req)
{
	if (ir->scalars[IR_S_NET_MODE].num != IR_NET_LIMITED || guard_kind(req->addr) == GUARD_PUBLIC)
		return false;
	for (size_t i = 0; i < ir->rules.n; i++)
		if (lifts_guard(ir->rules.v[i], req))
			return false;
	return true;
}
