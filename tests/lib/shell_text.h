/*
 * What sh_parse() found, as one line of text: commands joined by " ; ", words
 * by '|'.  "! " before it: unparsed, "# ": a limit.  What is no literal stands
 * in angles: <any> <multi> <glob:PATTERN> <home>.  Behind '@' the marks:
 * l loop, s substitution, u subshell, p pipe, b background, r branch,
 * e evaluates, c coproc, t time, f in a function.
 */
#ifndef TESTS_LIB_SHELL_TEXT_H
#define TESTS_LIB_SHELL_TEXT_H

#include <stdio.h>

#include "runtime/line/shell/shell.h"

/* malloc'ed. */
char *shell_text_of(const struct sh *s);
/* One word, as it stands in that text. */
void shell_text_word(FILE *f, const struct sh_word *w);

#endif
