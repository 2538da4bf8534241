/*
 * Is a wrapper or a shell no more than what it runs? Its table says that it is
 * `transparent`; here the words of one command and the text that a shell reads are checked.
 * For the files behind command.h only.
 */
#ifndef RUNTIME_LINE_CMD_CLEAR_H
#define RUNTIME_LINE_CMD_CLEAR_H

#include "runtime/line/cmd.h"

/* Is the program surely the one of the table: its bare name, or in a trusted directory?
 * `./timeout` is a file that anybody may have put there. */
bool cmd_is_itself(const struct line_facts *f, const struct cmd_part *p);
/* Is it bash, dash or sh, with options that leave the meaning of its text as it is? */
bool cmd_plain_shell(const struct cmd_part *p);
/* May this shell read the text in another way than bash and dash do? `=rm x` and `{rm x}` run
 * rm in zsh, and its builtins give names another meaning (`hash ls=/bin/rm`). */
bool cmd_is_foreign(const struct line_facts *f, const struct cmd_part *p, const char *text,
		    size_t n);
/* Does this shell run its literal text as we read it, and nothing else? */
bool cmd_clear_shell(const struct line_facts *f, const struct cmd_part *p, const char *text,
		     size_t n);
/*
 * A shell reads this text from its standard input, which its commands have as well. Do they
 * surely leave it alone? If not, the shell may go on at any byte of it (`head -c 5`), or in
 * another file (`exec <x`).
 */
bool cmd_keeps_input(const struct sh *sh, const char *text, size_t n);

#endif
