/* May a connection or a system call be had?  Internal to analysis/exposure*.c. */
#ifndef COMPILER_ANALYSIS_EXPOSURE_BOX_H
#define COMPILER_ANALYSIS_EXPOSURE_BOX_H

#include "compiler/analysis/exposure_ask.h"

/* Names of the rules that open more than they name. */
enum exposure_wide { EXPOSURE_EVERY, EXPOSURE_BELOW, EXPOSURE_ADDRESSES };

/* `what` of the answers is left empty, but for exposure_net_wide(). */
struct exposure_reach exposure_net(const struct exposure_asker *q, const struct ir_net *set);
/* Is there a rule, or an `otherwise`, of this width? */
struct exposure_reach exposure_net_wide(const struct exposure_asker *q,
					enum exposure_wide which);
/* cond: NULL for any arguments. */
struct exposure_reach exposure_call(const struct exposure_asker *q, uint32_t nr,
				    struct ir_cond *cond);

#endif
