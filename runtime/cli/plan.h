/* --plan: what would run, where, and under which settings. */
#ifndef RUNTIME_CLI_PLAN_H
#define RUNTIME_CLI_PLAN_H

#include <stdio.h>

#include "runtime/entry/entry.h"
#include "runtime/sandbox/sandbox.h"

enum { PLAN_MAX_HERE = 64 };

/* Rules that forbid more than they say on this host, each with why. */
struct plan_here {
	size_t n;
	struct {
		uint32_t rule;
		const char *why;
	} v[PLAN_MAX_HERE];
};

struct trust;

struct plan {
	const struct sandbox_run *run;
	const struct sandbox_view *view;
	const struct entry *entry;
	const struct trust *trust;
	const struct plan_here *here;
	const char *program;  /* where it was found, or NULL */
	const char *why_not;  /* else */
};

void plan_print(FILE *out, const struct plan *p);
/* Its part about the view. */
void plan_print_files(FILE *out, const struct plan *p);

/* Whether both are of one statement, or no rules at all. */
bool plan_same_statement(const struct bundle *b, uint32_t i, uint32_t k);
/* Whether rule i is the first of its statement with its exactness. */
bool plan_is_first(const struct bundle *b, uint32_t i);
/* Before the run: afterwards what was absent may be there. */
void plan_find_here(const struct sandbox_run *run, const struct sandbox_view *v,
		    struct plan_here *ret);
/* "3 rules hold at entry only, 1 forbids less than it says", or an empty text where every
 * rule is exact.  Rules are counted once for each statement. */
void plan_summary(const struct bundle *b, const struct plan_here *here, char *out,
		  size_t cap);

#endif
