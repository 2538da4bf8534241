/* May a file or a socket be had?  Internal to analysis/exposure*.c. */
#ifndef COMPILER_ANALYSIS_EXPOSURE_PATH_H
#define COMPILER_ANALYSIS_EXPOSURE_PATH_H

#include "compiler/analysis/exposure_ask.h"

/* ops: 0 for sockets.  `what` of the answer is left empty. */
struct exposure_reach exposure_path(const struct exposure_asker *q, enum ir_kind kind,
				    unsigned ops, enum ir_root root, struct str pattern);

#endif
