/* The decision of one shell line. */
#ifndef RUNTIME_CLI_QUERY_LINE_H
#define RUNTIME_CLI_QUERY_LINE_H

#include "runtime/base/err.h"
#include "runtime/decide/decide.h"

enum { QUERY_WHY_CAP = 96 };

/*
 * Decides `line`, n bytes and a NUL behind them.  `why` says of a line that is
 * not understood what in it is not, else "".  0, or -errno without memory.
 */
int query_line_decide(const struct decide_ctx *c, const char *line, size_t n,
		      struct decision *ret, char why[QUERY_WHY_CAP], struct rt_err *err);

#endif
