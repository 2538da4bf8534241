/* Compares what two policies say about programs, variables, pins and the shell.  Internal
 * to analysis/diff*.c. */
#ifndef COMPILER_ANALYSIS_DIFF_FACT_H
#define COMPILER_ANALYSIS_DIFF_FACT_H

#include "compiler/analysis/diff_item.h"

/*
 * A fact about a program may change the answer to any line of that program, so whatever
 * differs is a finding that widens.
 */
void diff_facts(struct diff *d);

#endif
