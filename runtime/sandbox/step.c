/* What all rows of the step table need: their names, the switch of a test build, and the
 * message of a step that failed. */
#include "runtime/sandbox/step.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct step step_table[STEP_COUNT] = {
#define X(id, name, side, fn, needs, undo, prevents) \
	[STEP_##id] = {name, side, needs, undo, prevents},
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
