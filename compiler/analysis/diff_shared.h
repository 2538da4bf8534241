/*
 * Limits that all connections of one statement share.  Internal to analysis/diff*.c.
 */
#ifndef COMPILER_ANALYSIS_DIFF_SHARED_H
#define COMPILER_ANALYSIS_DIFF_SHARED_H

#include "compiler/analysis/diff_item.h"

/*
 * Adds a finding for each limit that several statements of the other policy share out: no single
 * connection shows that, since each one has the same limit as before.
 */
void diff_shared(struct diff *d);

#endif
