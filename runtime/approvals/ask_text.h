/* The question as the person sees it: in every byte of the command, the policy and the
 * paths, control and bidirectional characters are escaped. */
#ifndef RUNTIME_APPROVALS_ASK_TEXT_H
#define RUNTIME_APPROVALS_ASK_TEXT_H

#include <stdio.h>

#include "runtime/entry/entry.h"

struct ask_question {
	const struct decide_ctx *ctx;
	const struct entry *entry;
	const struct cmd_part *part;
	const char *session; /* the session for which an answer can be remembered, or
	                        NULL */
	unsigned number, of; /* question `number` of `of` */
};

/* Where the text is written.  A memory stream without memory drops bytes, and neither
 * ferror() nor fclose() reports it, so we check the result of each call. */
struct ask_out {
	FILE *to;
	bool lost; /* a part was not written */
};

/* Writes the line, the command that asks, the directory, the rule and the reason.
 * False if only the details show all of the line. */
bool ask_text(struct ask_out *out, const struct ask_question *q);
/* Writes all of the line, the words, the rules and the bundle. */
void ask_text_details(struct ask_out *out, const struct ask_question *q);

#endif
