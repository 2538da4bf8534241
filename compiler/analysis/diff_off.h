/*
 * A build for tests (-DPOL_TEST_DIFF) can do without each comparison, by its name in
 * POL_DIFF_OFF: tests/run/diff-mutants.sh wants a property to miss it.  Elsewhere all of them
 * are on, and nothing of this is compiled.
 */
#ifndef COMPILER_ANALYSIS_DIFF_OFF_H
#define COMPILER_ANALYSIS_DIFF_OFF_H

#ifdef POL_TEST_DIFF
#include <stdbool.h>

/* Is the comparison on?  `what` is the first part of its name, `name` may be NULL. */
bool diff_on(const char *what, const char *name);
#define DIFF_ON(what) diff_on((what), NULL)
#define DIFF_ON_EACH(what, name) diff_on((what), (name))
#else
#define DIFF_ON(what) true
#define DIFF_ON_EACH(what, name) true
#endif

#endif
