/* Brace expansion. For the files of this folder only. */
#ifndef RUNTIME_LINE_SHELL_BRACE_H
#define RUNTIME_LINE_SHELL_BRACE_H

#include "runtime/line/shell/parse.h"

/* Replaces a word with unquoted braces by the words that they make. */
bool shell_braces(struct shell *s, const struct shell_word *b,
		  struct sh_word **ret_first, struct sh_word **ret_last);

#endif
