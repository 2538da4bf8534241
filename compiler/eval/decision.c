/* The names of the steps. */
#include "compiler/eval/decision.h"

static const char *const step_names[] = {
	[EVAL_STEP_FINAL] = "final rule",
	[EVAL_STEP_RULES] = "rules",
	[EVAL_STEP_DEFAULT] = "default rule",
	[EVAL_STEP_FLOOR] = "floor",
	[EVAL_STEP_BASE_ALLOW] = "default allow",
	[EVAL_STEP_OTHERWISE] = "otherwise",
	[EVAL_STEP_RISK] = "otherwise by risk",
	[EVAL_STEP_OPAQUE] = "opaque",
	[EVAL_STEP_MODE] = "network mode",
	[EVAL_STEP_GUARD] = "guard",
	[EVAL_STEP_UNKNOWN] = "unknown system call",
};

const char *eval_step_name(enum eval_step s)
{
	return s < EVAL_STEP_COUNT ? step_names[s] : "?";
}
