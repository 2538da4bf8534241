/* Reports how well the view enforces each file and socket rule. */
#ifndef COMPILER_BACKEND_MOUNTS_CHECK_H
#define COMPILER_BACKEND_MOUNTS_CHECK_H

#include "compiler/backend/common/backend.h"

void mounts_check(const struct ir *ir, struct bk_report *report, struct diag_sink *sink);

#endif
