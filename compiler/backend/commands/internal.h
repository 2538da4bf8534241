/* What the files of this back end share. */
#ifndef COMPILER_BACKEND_COMMANDS_INTERNAL_H
#define COMPILER_BACKEND_COMMANDS_INTERNAL_H

#include "compiler/backend/common/backend.h"

/* In read.c; see struct backend. */
void commands_print(FILE *out, const struct bk_output *in);
const char *commands_verify(const struct ir *ir, const struct bk_output *in,
			    struct arena *a);

#endif
