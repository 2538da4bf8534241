/* The question as the person sees it: every byte of the command, the policy and
 * the paths with control and bidirectional characters escaped. */
#ifndef RUNTIME_APPROVALS_ASK_TEXT_H
#define RUNTIME_APPROVALS_ASK_TEXT_H

#include <stdio.h>

#include "runtime/entry/entry.h"

struct ask_question {
	const struct decide_ctx *ctx;
	const struct entry *entry;
	const struct cmd_part *part;
	const char *session; /* what an answer can be remembered for, or NULL */
	unsigned number, of; /* 1 of 2 */
};

/* Where it is written.  A memory stream that finds no memory drops bytes, and
 * neither ferror() nor fclose() tells: each call's own result is kept. */
struct ask_out {
	FILE *to;
	bool lost; /* some of it was not written */
};

/* The line, the command that asks, the directory, the rule, the reason.  False
 * where some of the line is left to the details. */
bool ask_text(struct ask_out *out, const struct ask_question *q);
/* All of the line, the words, the rules, the bundle. */
void ask_text_details(struct ask_out *out, const struct ask_question *q);

#endif
