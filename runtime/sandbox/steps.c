/*
 * The step table and the loop that executes a plan.  The rows are implemented in
 * step_*.c.  The plan decides their order; plan_view.c and spawn.c write it.
 */
#include "runtime/sandbox/steps.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/sandbox/plan.h"

const struct step step_table[STEP_COUNT] = {
#define X(id, name, side, fn, needs, undo, prevents) \
	[STEP_##id] = {name, side, fn, needs, undo, prevents},
#include "runtime/sandbox/steps.def"
#undef X
};

#ifdef POL_TEST_STEPS
bool step_on(enum step_id id)
{
	const char *off = getenv("POL_STEPS_OFF");
	size_t len = strlen(step_table[id].name);

	for (const char *s = off; s && *s;
	     s = strchr(s, ',') ? strchr(s, ',') + 1 : NULL)
		if (!strncmp(s, step_table[id].name, len) &&
		    (s[len] == ',' || s[len] == '\0'))
			return false;
	return true;
}
#endif

int step_fail(struct rt_err *err, enum step_id id, int e, const char *fmt, ...)
{
	char text[300];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	(void)rt_fail_errno(err, e, "%s", text);
	if (err)
		(void)snprintf(err->step, sizeof(err->step), "%s", step_table[id].name);
	return e ? -e : -EINVAL;
}

int steps_run(struct init *in, unsigned phase, struct rt_err *err)
{
	const struct plan_op *ops = plan_ops(in->plan);

	for (uint32_t i = 0; i < in->plan->nops; i++) {
		const struct step *row = &step_table[ops[i].step];
		int r;

		if (ops[i].phase != phase || !step_on((enum step_id)ops[i].step))
			continue;
		if (!row->fn)
			return step_fail(err, (enum step_id)ops[i].step, EBADMSG,
					 "the plan executes a row without a function");
		r = row->fn(in, &ops[i], err);
		if (r < 0)
			return r;
	}
	return 0;
}
