/* What a run of diff says, for the properties about it. */
#ifndef TESTS_PROP_DIFF_SAYS_H
#define TESTS_PROP_DIFF_SAYS_H

#include "compiler/analysis/diff.h"

/* Where something may be permitted that was not, some finding or doubt says so.
 * --fail-on=widening passes by what could only forbid more. */
static inline bool diff_says_widening(const struct diff_result *r)
{
	size_t i;

	for (i = 0; i < r->findings.n; i++)
		if (r->findings.v[i].widening)
			return true;
	for (i = 0; i < r->doubts.n; i++)
		if (!r->doubts.v[i].narrows_only)
			return true;
	return false;
}

#endif
