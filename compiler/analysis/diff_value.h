/* What is not a decision about a request.  Internal to analysis/diff*.c. */
#ifndef COMPILER_ANALYSIS_DIFF_VALUE_H
#define COMPILER_ANALYSIS_DIFF_VALUE_H

#include "compiler/analysis/diff_item.h"

/* Compares locks, settings, variables, facts, mounts and roles. */
void diff_values(struct diff *d);

#endif
