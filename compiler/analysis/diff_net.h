/* Network rules as boxes.  Internal to analysis/diff*.c. */
#ifndef COMPILER_ANALYSIS_DIFF_NET_H
#define COMPILER_ANALYSIS_DIFF_NET_H

#include "compiler/analysis/diff_ask.h"

/* Asks about the regions of each changed network rule. */
void diff_nets(struct diff *d);

typedef void diff_net_fn(void *data, const struct ir_request *req);
/*
 * Calls `each` with a request of each region of the rule, changed or not: all requests of a region
 * match the same rules of both policies.
 */
DIFF_MUST_READ enum diff_looked diff_net_each(struct diff *d, const struct diff_item *it,
					      struct arena *tmp, diff_net_fn *each, void *data);

#endif
