/* What the files of this back end share. */
#ifndef COMPILER_BACKEND_COMMANDS_INTERNAL_H
#define COMPILER_BACKEND_COMMANDS_INTERNAL_H

#include "compiler/backend/common/backend.h"

/* Of read.c, as struct backend says. */
void commands_print(FILE *out, const struct bk_output *in);
const char *commands_verify(const struct ir *ir, const struct bk_output *in,
			    struct arena *a);

#endif
