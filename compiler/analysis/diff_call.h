/* System-call rules by their conditions.  Internal to analysis/diff*.c. */
#ifndef COMPILER_ANALYSIS_DIFF_CALL_H
#define COMPILER_ANALYSIS_DIFF_CALL_H

#include "compiler/analysis/diff_item.h"

/* Asks about the regions of each changed rule of a system call. */
void diff_calls(struct diff *d);

#endif
