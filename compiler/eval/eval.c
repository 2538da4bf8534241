/*
 * The reference evaluator's one entry: a command goes to line.c, every other request to
 * request.c.  Slow and plain on purpose: everything compiled is compared with it.
 */
#include "compiler/eval/eval.h"

#include "compiler/eval/levels.h"
#include "compiler/eval/line.h"
#include "compiler/eval/request.h"

void eval_decide(const struct ir *ir, const struct ir_request *req, struct arena *a,
		 struct eval_decision *ret)
{
	struct eval_decision opaque = { .risk = IR_RISK_MEDIUM };

	if (req->kind != IR_COMMAND) {
		eval_decide_request(ir, req, a, ret);
	} else if (req->line.p || (req->nargv && !req->unparsed)) {
		eval_decide_line(ir, req, a, ret);
	} else {
		eval_by_opaque(ir, req->scope, &opaque);
		*ret = opaque;
	}
}
