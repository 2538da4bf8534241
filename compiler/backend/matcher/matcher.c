/*
 * The back end of everything that is decided by text.  Its check reports what a
 * decision at entry does not see.
 */
#include "compiler/backend/matcher/internal.h"
#include "compiler/backend/matcher/matcher.h"

static void check_command(const struct ir_rule *r, struct bk_report *report)
{
	if (r->effect == IR_ALLOW)
		bk_note(report, r, "matcher", BK_EXACT, "%s", "");
	else
		bk_note(report, r, "matcher", BK_ENTRY_ONLY,
			"what the first command starts is not checked");
}

static void check(const struct ir *ir, struct bk_report *report, struct diag_sink *sink)
{
	size_t i;

	(void)sink;
	for (i = 0; i < ir->rules.n; i++) {
		const struct ir_rule *r = ir->rules.v[i];

		if (r->kind == IR_COMMAND)
			check_command(r, report);
		else if (r->kind == IR_TOOL)
			bk_note(report, r, "matcher", BK_ENTRY_ONLY,
				"whoever calls the tool has to ask");
	}
}

const struct backend bk_matcher = {
	.name = "matcher",
	.for_decisions = true,
	.check = check,
	.emit = matcher_emit,
	.print = matcher_print,
	.verify = matcher_verify,
};
