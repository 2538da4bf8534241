/* Which rules do not hold exactly as written: in every run, as the compiler found, and
 * on this host. */
#ifndef RUNTIME_POLRUN_EXACTNESS_H
#define RUNTIME_POLRUN_EXACTNESS_H

#include "runtime/sandbox/sandbox.h"

enum { EXACTNESS_MAX_HERE = 64 };

/* Rules that forbid more than they say on this host, each with the reason. */
struct exactness_here {
	size_t n;
	struct {
		uint32_t rule;
		unsigned x; /* PB_X_OVER, or PB_X_UNDER */
		const char *why;
	} v[EXACTNESS_MAX_HERE];
};

/* "over", "entry only", … for an enum pb_exactness.  NULL: exact, or not important. */
const char *exactness_word(unsigned x);
/* True if both rules come from one statement, or neither is a rule.  A statement that
 * becomes many rules is one rule for people, with one id and one place. */
bool exactness_same_statement(const struct bundle *b, uint32_t i, uint32_t k);
/* True if rule i is not exact, and is the first such rule of its statement. */
bool exactness_is_first(const struct bundle *b, uint32_t i);
/* Call it before the run: afterwards an absent name may exist. */
void exactness_find_here(const struct sandbox_run *run, const struct sandbox_view *v,
			 struct exactness_here *ret);
/* "3 rules hold at entry only, 1 forbids less than it says", or an empty text if every
 * rule is exact.  Each statement counts as one rule. */
void exactness_summary(const struct bundle *b, const struct exactness_here *here, char *out,
		       size_t cap);

#endif
