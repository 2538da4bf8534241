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

void ask_put(struct ask_out *out, const char *s);
__attribute__((format(printf, 2, 3))) void ask_putf(struct ask_out *out, const char *form,
						    ...);
/* "  NAME     TEXT", the text escaped. */
void ask_put_field(struct ask_out *out, const char *name, const char *s);
/* A rule with its effect, place, level and text. */
void ask_put_rule(struct ask_out *out, const struct bundle *b, uint32_t rule);

/* Writes the line, the command that asks, the directory, the rule and the reason.
 * False if only the details show all of the line. */
bool ask_text(struct ask_out *out, const struct ask_question *q);
/* Writes all of the line, the words, the rules and the bundle. */
void ask_text_details(struct ask_out *out, const struct ask_question *q);

#endif
