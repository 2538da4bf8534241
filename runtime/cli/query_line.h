/* The decision of one command, which is a shell line or an argv, and of each
 * simple command in it. */
#ifndef RUNTIME_CLI_QUERY_LINE_H
#define RUNTIME_CLI_QUERY_LINE_H

#include "runtime/base/err.h"
#include "runtime/decide/decide.h"
#include "runtime/decide/line.h"

enum { QUERY_WHY_CAP = 96 };

/* A simple command. */
struct query_part {
	const char *text;         /* as it stands in the line; NULL for an argv */
	size_t text_n;
	const char *const *words; /* as understood; NULL in it: not known */
	size_t nwords;
	uint8_t effect, risk;
	uint32_t rule;            /* that decided */
};

struct query_line {
	struct decision d;
	char why[QUERY_WHY_CAP]; /* what in the line is not understood, or "" */
	struct query_part *parts; /* in the order of the line */
	size_t nparts;
	/* the memory behind them */
	struct query_part one;
	struct line_words split;
};

/*
 * Decides `line`, n bytes and a NUL behind them, or the argv.  0, or -errno
 * without memory.  What *ret points to is its own, the line's and the argv's;
 * release it in every case.
 */
int query_line_decide(const struct decide_ctx *c, const char *line, size_t n,
		      struct query_line *ret, struct rt_err *err);
void query_argv_decide(const struct decide_ctx *c, const char *const *argv, size_t argc,
		       struct query_line *ret);
void query_line_release(struct query_line *q);

#endif
