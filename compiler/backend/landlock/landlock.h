/* landlock.bin: the rights of reading, writing and executing at each ABI version. */
#ifndef COMPILER_BACKEND_LANDLOCK_LANDLOCK_H
#define COMPILER_BACKEND_LANDLOCK_LANDLOCK_H

#include "compiler/backend/common/backend.h"

extern const struct backend bk_landlock;

#endif
