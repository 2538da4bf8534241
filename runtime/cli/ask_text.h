/* The question as the person sees it: every byte of the command, the policy and
 * the paths with control and bidirectional characters escaped. */
#ifndef RUNTIME_CLI_ASK_TEXT_H
#define RUNTIME_CLI_ASK_TEXT_H

#include <stdio.h>

#include "runtime/cli/ask.h"

struct ask_question {
	const struct ask *in;
	const struct cmd_part *part;
	const char *session; /* what an answer can be remembered for, or NULL */
	unsigned number, of; /* 1 of 2 */
};

/* The line, the command that asks, the directory, the rule, the reason.  False
 * where some of the line is left to the details. */
bool ask_text(FILE *out, const struct ask_question *q);
/* All of the line, the words, the rules, the bundle. */
void ask_text_details(FILE *out, const struct ask_question *q);

#endif
