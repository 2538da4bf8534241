/* The part of --plan about the view. */
#ifndef RUNTIME_POLRUN_PREVIEW_FILES_H
#define RUNTIME_POLRUN_PREVIEW_FILES_H

#include <stdio.h>

#include "runtime/sandbox/sandbox.h"

void preview_files(FILE *out, const struct sandbox_run *run, const struct sandbox_view *view);

#endif
