/*
 * Whether a name that a policy lets through may lead to an address.  Internal to
 * analysis/diff*.c.
 */
#ifndef COMPILER_ANALYSIS_DIFF_REACH_H
#define COMPILER_ANALYSIS_DIFF_REACH_H

#include "compiler/analysis/diff_ask.h"

/* May names pass on this port under both policies?  If not, no address of theirs
 * matters. */
bool diff_reach_counts(const struct diff *d, uint16_t port);
/*
 * Adds a finding if the rules of both sides say different things about this address as
 * that of a name, and the decisions on the address itself do not show it, on a port
 * that counts. `small` is what diff_ask() takes.
 */
void diff_reach_ask(struct diff *d, const struct diff_small *small,
		    const struct ir_request *req, struct arena *tmp,
		    struct diff_told *told);

#endif
