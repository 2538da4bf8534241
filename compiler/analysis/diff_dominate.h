/*
 * Files and sockets: rules that decide wherever they match, so that rules under other roots,
 * wherever these lie, change nothing there.  Internal to analysis/diff*.c.
 */
#ifndef COMPILER_ANALYSIS_DIFF_DOMINATE_H
#define COMPILER_ANALYSIS_DIFF_DOMINATE_H

#include "compiler/analysis/diff_item.h"

/*
 * Requests for these operations match sel[tags[0]], sel[tags[1]], … of one root: does one of
 * these rules, which both policies have, decide all of them, whatever the changed ones say?
 * (std/base hides what another policy denies once more.)
 */
bool diff_dominated(const struct diff *d, struct diff_item *const *sel, const uint32_t *tags,
		    size_t n, unsigned ops);

/*
 * Does this rule, which both policies have, keep each request that matches it from getting
 * less than `it` says, whatever other rules say and wherever roots lie?
 */
bool diff_settles(const struct diff *d, const struct diff_item *it,
		  const struct diff_item *by);

#endif
