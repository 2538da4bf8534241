/* Options of the shell that the text itself sets. For the files of this folder only. */
#ifndef RUNTIME_LINE_SHELL_OPTION_H
#define RUNTIME_LINE_SHELL_OPTION_H

#include "runtime/line/shell/state.h"

/* Follows a command that changes how the rest of the text is read. */
void shell_options(struct shell *s, const struct sh_cmd *c);

#endif
