/* Which rules do not hold exactly as they say: in every run, as the compiler found, and on
 * this host. */
#ifndef RUNTIME_POLRUN_EXACTNESS_H
#define RUNTIME_POLRUN_EXACTNESS_H

#include "runtime/sandbox/sandbox.h"

enum { EXACTNESS_MAX_HERE = 64 };

/* Rules that forbid more than they say on this host, each with why. */
struct exactness_here {
	size_t n;
	struct {
		uint32_t rule;
		const char *why;
	} v[EXACTNESS_MAX_HERE];
};

/* "over", "entry only", … of an enum pb_exactness; NULL: exact, or no matter. */
const char *exactness_word(unsigned x);
/* Whether both are of one statement, or no rules at all: a statement that is many rules
 * is one for people, with one id and one place. */
bool exactness_same_statement(const struct bundle *b, uint32_t i, uint32_t k);
/* Whether rule i is not exact, and the first of its statement that is so. */
bool exactness_is_first(const struct bundle *b, uint32_t i);
/* Before the run: afterwards what was absent may be there. */
void exactness_find_here(const struct sandbox_run *run, const struct sandbox_view *v,
			 struct exactness_here *ret);
/* "3 rules hold at entry only, 1 forbids less than it says", or an empty text where every
 * rule is exact.  Rules are counted once for each statement. */
void exactness_summary(const struct bundle *b, const struct exactness_here *here, char *out,
		       size_t cap);

#endif
