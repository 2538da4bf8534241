/* File rules for which the view has no mechanism and no safe stand-in. */
#ifndef COMPILER_BACKEND_MOUNTS_REFUSE_H
#define COMPILER_BACKEND_MOUNTS_REFUSE_H

#include "compiler/backend/common/backend.h"

/* Reports each such rule as an error of `check` and `compile`.  False if there is one. */
bool mounts_refuse(const struct ir *ir, struct diag_sink *sink);

#endif
