/*
 * The loop that executes a plan.  The plan decides the order; plan_view.c and spawn.c
 * write it.
 */
#include "runtime/sandbox/steps.h"

#include <errno.h>

#include "runtime/sandbox/plan.h"

typedef int (*step_fn)(struct init *in, const struct plan_op *op, struct rt_err *err);

/* NULL: an effect of another row's function. */
static const step_fn functions[STEP_COUNT] = {
#define X(id, name, side, fn, needs, undo, prevents) [STEP_##id] = fn,
#include "runtime/sandbox/steps.def"
#undef X
};

int steps_run(struct init *in, unsigned phase, struct rt_err *err)
{
	const struct plan_op *ops = plan_ops(in->plan);

	for (uint32_t i = 0; i < in->plan->nops; i++) {
		step_fn fn = functions[ops[i].step];
		int r;

		if (ops[i].phase != phase || !step_on((enum step_id)ops[i].step))
			continue;
		if (!fn)
			return step_fail(err, (enum step_id)ops[i].step, EBADMSG,
					 "the plan executes a row without a function");
		r = fn(in, &ops[i], err);
		if (r < 0)
			return r;
	}
	return 0;
}
