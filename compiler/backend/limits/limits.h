/* limits.bin and env.bin: the resources and the environment of a run. */
#ifndef COMPILER_BACKEND_LIMITS_LIMITS_H
#define COMPILER_BACKEND_LIMITS_LIMITS_H

#include "compiler/backend/common/backend.h"

extern const struct backend bk_limits;
extern const struct backend bk_env;

#endif
