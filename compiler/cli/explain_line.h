/* The parts of a command line in the answer of `polc explain`. */
#ifndef COMPILER_CLI_EXPLAIN_LINE_H
#define COMPILER_CLI_EXPLAIN_LINE_H

#include "compiler/cli/explain_answer.h"

/* Prints nothing if the answer is not about a line. */
void explain_line_text(FILE *out, const struct explain_answer *e);
/* Writes the members "not_read" and "commands". */
void explain_line_json(struct json *j, const struct explain_answer *e);

/* The text as one word of a shell, quoted if it needs that. */
struct str explain_shell_word(struct arena *a, struct str text);
/*
 * The word as the analysis understands it, quoted for a shell.  Unknown text is
 * written as <any>, <words>, <names> or <home>.
 */
struct str explain_word(struct arena *a, const struct sh_word *w);
/* The part on one line: its words, or its target. */
struct str explain_part_text(struct arena *a, const struct cmd_part *p);

#endif
