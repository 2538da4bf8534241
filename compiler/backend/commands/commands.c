/*
 * The back end of facts about commands.  Its check reports nothing about rules,
 * since a fact grants nothing and forbids nothing.
 */
#include "compiler/backend/commands/commands.h"

#include "compiler/backend/commands/internal.h"
#include "compiler/backend/common/util.h"

/* Copies the block that lowering has made. */
static bool emit(const struct ir *ir, struct bk_output *out, struct diag_sink *sink)
{
	struct buf b;

	(void)sink;
	buf_init(&b, out->a);
	buf_add(&b, ir->line_facts, ir->line_facts->head.size);
	bk_add_member(out, PB_COMMANDS, &b);
	return true;
}

static void check(const struct ir *ir, struct bk_report *report, struct diag_sink *sink)
{
	(void)ir;
	(void)report;
	(void)sink;
}

const struct backend bk_commands = {
	.name = "commands",
	.check = check,
	.emit = emit,
	.print = commands_print,
	.verify = commands_verify,
};
