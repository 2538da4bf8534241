/*
 * Paths of a changed rule where a root lies elsewhere: the folder of the project may be
 * below /srv in one run and in the home in the next.  Internal to diff_lang.c.
 */
#ifndef COMPILER_ANALYSIS_DIFF_WHERE_H
#define COMPILER_ANALYSIS_DIFF_WHERE_H

#include "compiler/analysis/diff_ask.h"

/*
 * Moves roots, one at a time, to where the paths of the rule and those of other rules
 * meet, and asks about these paths.  What differs is a finding whose request has the
 * roots with which it was asked.  It finds examples; that it finds none proves nothing.
 */
void diff_where_ask(struct diff *d, struct diff_item *it, struct diff_told *told);

#endif
