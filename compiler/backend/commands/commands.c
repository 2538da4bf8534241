/*
 * The back end of facts about commands.  Its check says nothing of rules: a
 * fact grants nothing and forbids nothing.
 */
#include "compiler/backend/commands/commands.h"

#include "compiler/backend/commands/internal.h"

void commands_pin(const struct ir_pin *p, struct pb_pin *ret)
{
	*ret = (struct pb_pin){ .has_digest = p->sha256.n != 0 };
	for (size_t i = 0; i < p->sha256.n; i++) {
		char c = p->sha256.p[i];
		unsigned digit = (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);

		ret->sha256[i / 2] = (uint8_t)((unsigned)ret->sha256[i / 2] << 4 | digit);
	}
}

struct str commands_shell_name(const struct ir *ir)
{
	return ir->shell.level ? ir->shell.name : STR("bash");
}

/* Which grammar reads a line; of a shell that we do not know, none. */
uint32_t commands_dialect(const struct ir *ir)
{
	struct str name = commands_shell_name(ir);

	if (str_eqz(name, "bash"))
		return PB_DIALECT_BASH;
	if (str_eqz(name, "posix") || str_eqz(name, "sh") || str_eqz(name, "dash"))
		return PB_DIALECT_POSIX;
	return PB_DIALECT_NONE;
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
	.emit = commands_emit,
	.print = commands_print,
	.verify = commands_verify,
};
