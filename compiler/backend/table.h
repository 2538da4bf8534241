/* All back ends, in the order in which they check, emit and print.  NULL-ended. */
#ifndef COMPILER_BACKEND_TABLE_H
#define COMPILER_BACKEND_TABLE_H

#include "compiler/backend/common/backend.h"

extern const struct backend *const bk_table[];

#endif
