/*
 * What the gateway does with connections that both policies let through.  Internal to
 * analysis/diff*.c.
 */
#ifndef COMPILER_ANALYSIS_DIFF_GRANT_H
#define COMPILER_ANALYSIS_DIFF_GRANT_H

#include "compiler/analysis/diff_ask.h"

/* Does the rule say anything about its connections? */
bool diff_grant_says(const struct ir_rule *r);
/*
 * Adds a finding if both sides let the request through and the gateway would do different
 * things with it.  `small` is what diff_ask() takes.
 */
void diff_grant_ask(struct diff *d, const struct diff_small *small,
		    const struct ir_request *req, struct arena *tmp,
		    struct diff_told *told);

#endif
