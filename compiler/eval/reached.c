/* Decides on an address of a name with the rules that speak of addresses. */
#include "compiler/eval/reached.h"

#include "compiler/eval/eval.h"

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
