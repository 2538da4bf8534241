/* Scalars of two policies.  Internal to analysis/diff*.c. */
#ifndef COMPILER_ANALYSIS_DIFF_SCALAR_H
#define COMPILER_ANALYSIS_DIFF_SCALAR_H

#include "compiler/analysis/diff_item.h"

/* Compares values that decide or limit. */
void diff_scalars(struct diff *d);

#endif
