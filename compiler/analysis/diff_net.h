/* Network rules as boxes.  Internal to analysis/diff*.c. */
#ifndef COMPILER_ANALYSIS_DIFF_NET_H
#define COMPILER_ANALYSIS_DIFF_NET_H

#include "compiler/analysis/diff_item.h"

/* Asks about the regions of each changed network rule. */
void diff_nets(struct diff *d);

#endif
