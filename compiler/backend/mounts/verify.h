/* Reads mounts.bin back and compares it with the rules, without places.c. */
#ifndef COMPILER_BACKEND_MOUNTS_VERIFY_H
#define COMPILER_BACKEND_MOUNTS_VERIFY_H

#include "compiler/backend/common/backend.h"

const char *mounts_verify(const struct ir *ir, const struct bk_output *in,
			  struct arena *a);

#endif
