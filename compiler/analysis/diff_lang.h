/* Commands, tools and paths as languages.  Internal to analysis/diff*.c. */
#ifndef COMPILER_ANALYSIS_DIFF_LANG_H
#define COMPILER_ANALYSIS_DIFF_LANG_H

#include "compiler/analysis/diff_item.h"

/* Asks about the regions of each changed rule of this kind. */
void diff_languages(struct diff *d, enum ir_kind kind);

#endif
