/* --plan: what would run, where, and under which settings. */
#ifndef RUNTIME_CLI_PLAN_H
#define RUNTIME_CLI_PLAN_H

#include <stdio.h>

#include "runtime/cli/entry.h"
#include "runtime/sandbox/sandbox.h"

struct plan {
	const struct sandbox_run *run;
	const struct sandbox_view *view;
	const struct entry *entry;
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
/* "3 rules hold at entry only, 1 under, 2 over", or an empty text where every
 * rule is exact.  Rules are counted once for each statement. */
void plan_summary(const struct bundle *b, char *out, size_t cap);

#endif
