/*
 * A command may run another one, or text with commands in it. So the files behind this
 * header (cmd_line.c, cmd_wrap.c, cmd_names.c, cmd_code.c, cmd_builtin.c) call each other,
 * as deep as the line nests. For the files behind command.h only. false: a limit was
 * exceeded.
 */
#ifndef RUNTIME_LINE_CMD_RUN_H
#define RUNTIME_LINE_CMD_RUN_H

#include "runtime/line/cmd_read.h"

/* --- commands (cmd_line.c) ------------------------------------------------------------ */

/* Analyses the command with these words, and all that they make it run. */
bool cmd_run(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_word *words,
	     uint32_t n);
/* Code that is given to `part`, in one dialect or both. */
bool cmd_scope(struct cmd_an *a, const struct cmd_scope *s, const struct sh *sh);
/* INPUT: like SHELL, and the shell reads it from its standard input. */
enum cmd_code {
	CMD_CODE_SHELL, CMD_CODE_INPUT, CMD_CODE_EVAL, CMD_CODE_TRAP, CMD_CODE_ALIAS,
	CMD_CODE_EXPANDED /* a command of the text with an alias in it */
};
/* Code in the words of a command: reads it in the dialects, and analyses what it runs. */
bool cmd_nested(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *part,
		const char *text, size_t n, enum cmd_code how, unsigned dialects);

/* --- what they run ------------------------------------------------------------------------- */

/* Analyses the command once more for each word of `forks`, read as a value
 * (cmd_names.c). */
bool cmd_forked(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *p,
		const struct cmd_read *r);
/* Analyses the command under its other names: "git-push", "npm publ" (cmd_names.c). */
bool cmd_renamed(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *p,
		 const struct cmd_read *r);
/* Analyses the words from this one on, an interpreter's script and its arguments, as a
 * command: `python3 /usr/bin/pip install x` is `/usr/bin/pip install x` to a rule that denies. */
bool cmd_as_program(struct cmd_an *a, const struct cmd_ctx *c, const struct cmd_part *p,
		    uint32_t script);
/* The same with a module that an option names: `python3 -m pip install x`. */
bool cmd_module(struct cmd_an *a, const struct cmd_ctx *c, const struct cmd_part *p);
/* For a wrapper that takes words like "NAME@VERSION" and "SOURCE#NAME": runs NAME. */
bool cmd_versioned(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *wrapper,
		   const struct cmd_word *words, uint32_t n);
/* Analyses what a wrapper runs: its words, texts, and the commands that its options hold. */
bool cmd_wrapper(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *p,
		 struct cmd_read *r);
/* Why the command that a wrapper runs in another file system counts as code: static
 * text. */
const char *cmd_remote_why(const struct cmd_an *a, const struct cmd_part *p);
/* Analyses the code that a shell is given. Adds to r->forks. */
bool cmd_shell(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *p,
	       struct cmd_read *r);
/* The same for code that the command reads from its standard input. */
bool cmd_stdin(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *p,
	       unsigned dialects);
/* Reads the command once more with the text of each alias that its first word may be
 * (cmd_alias.c). */
bool cmd_aliased(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *p);
/* A function whose name is an alias: the text of the alias stands there instead. */
void cmd_alias_function(struct cmd_an *a, const struct cmd_ctx *c, const char *name, size_t n);
/* The line defines an alias. false: a limit was exceeded. */
bool cmd_alias_define(struct cmd_an *a, const struct cmd_ctx *c, const struct cmd_alias *from);
/* Follows a builtin: what it changes, and text that it evaluates. */
bool cmd_builtin(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *p);

#endif
