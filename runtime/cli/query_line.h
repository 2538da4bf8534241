/* The decision of one command, which is a shell line or an argv, and of each
 * part of it (runtime/decide/command.h). */
#ifndef RUNTIME_CLI_QUERY_LINE_H
#define RUNTIME_CLI_QUERY_LINE_H

#include "runtime/base/err.h"
#include "runtime/decide/decide.h"

struct json;

/* The memory that decisions need; zeroed at first, kept between requests. */
struct query_block {
	void *p;
	size_t size;
};

struct query_line {
	struct decision d;
	struct cmd_line parts; /* in the block */
	const char *text;      /* the line; NULL for an argv */
	size_t text_n;
};

/*
 * Decides n bytes of shell text, or the argv.  0, or -errno without memory.
 * What *ret points to lies in the block and in the line or argv, until the next
 * request.
 */
int query_line_decide(const struct decide_ctx *c, struct query_block *b, const char *line,
		      size_t n, struct query_line *ret, struct rt_err *err);
int query_argv_decide(const struct decide_ctx *c, struct query_block *b,
		      const char *const *argv, size_t argc, struct query_line *ret,
		      struct rt_err *err);
void query_block_release(struct query_block *b);

/* "commands", the first parts with their words, effect and rule and the one
 * that decided, and "commands_more": how many are not shown. */
void query_line_parts(struct json *j, const struct bundle *b, const struct query_line *l);
/* Why the line got what it got, where no rule says it: static text, or "". */
const char *query_line_reason(const struct query_line *l, const char **ret_detail);

#endif
