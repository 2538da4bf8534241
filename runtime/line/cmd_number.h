/*
 * Substitutions that print a number and nothing else. For the files behind command.h only.
 */
#ifndef RUNTIME_LINE_CMD_NUMBER_H
#define RUNTIME_LINE_CMD_NUMBER_H

#include "runtime/line/cmd.h"

/*
 * Is the word $?, $#, $$, $!, or a substitution that prints a number, such as $(wc -l <x)?
 * The parser does not say so. Without quotes it may be several numbers if IFS is set, or no
 * word, but never a word of another kind.
 */
bool cmd_is_number(const struct cmd_ctx *c, const struct sh_word *w);
/* Words such as -j$(nproc) are one word each: changes what the list says of them. false: a
 * limit was exceeded. */
bool cmd_number_words(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_word *words,
		      uint32_t n);

#endif
