/*
 * What the analysis of a line found, as one line of text: parts joined by
 * " ; ".  A command is its words joined by '|', what is no literal in angles
 * as shell_text.h has it; "file OPS PATH", "net PROTO HOST PORT", "unparsed".
 * Behind '@' its flags: o opaque, c opaque code, i interpreter, v void,
 * t transparent, n a table names it, l lost, a appends, r alternative;
 * "<N": the number of the part around it, "$N": of the shell; "in DIR,DIR"
 * where it is not the world's directory alone, "in ?" where that is unknown.
 * "! " before all: unparsed, "# ": a limit.
 */
#ifndef TESTS_LIB_COMMAND_TEXT_H
#define TESTS_LIB_COMMAND_TEXT_H

#include "runtime/line/command.h"

/* malloc'ed. */
char *command_text_of(const struct cmd_line *l, const struct cmd_world *w);
/*
 * One part's words with their roles and its options: "git|o:-C|v:x|p:push" and
 * behind " : " the options, "!" behind one that is sure, "?" behind one that is
 * not even given, "*" behind a beginning; "=value", "=N" for the word N.
 */
char *command_text_options(const struct cmd_part *p);

#endif
