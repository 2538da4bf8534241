/* limits.bin, env.bin and publish.bin: the resources, the environment and the published ports of a run. */
#ifndef COMPILER_BACKEND_LIMITS_LIMITS_H
#define COMPILER_BACKEND_LIMITS_LIMITS_H

#include "compiler/backend/common/backend.h"

extern const struct backend bk_limits;
extern const struct backend bk_env;
extern const struct backend bk_publish;

#endif
