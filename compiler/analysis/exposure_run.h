/* What may run, with which variables and limits?  Internal to analysis/exposure*.c. */
#ifndef COMPILER_ANALYSIS_EXPOSURE_RUN_H
#define COMPILER_ANALYSIS_EXPOSURE_RUN_H

#include "compiler/analysis/exposure_ask.h"

/*
 * `what` of the answers is left empty.  pattern: of the program's file, or NULL to ask only
 * whether a command of this name may begin.
 */
struct exposure_reach exposure_program(const struct exposure_asker *q, const char *pattern,
				       const char *name);
struct exposure_reach exposure_line(const struct exposure_asker *q, const char *line);
struct exposure_reach exposure_variable(const struct exposure_asker *q, const char *pattern,
					bool exact);
struct exposure_reach exposure_limit(const struct exposure_asker *q, enum ir_scalar_id id,
				     uint64_t most);

#endif
