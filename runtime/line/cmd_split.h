/* env -S. For cmd_wrap.c only. */
#ifndef RUNTIME_LINE_CMD_SPLIT_H
#define RUNTIME_LINE_CMD_SPLIT_H

#include "runtime/line/cmd_read.h"

/* Does a program with this table split such text itself, as env does? */
bool cmd_splits(const struct cmd_an *a, const struct cmd_part *p);
/*
 * The words of the command with those of the text in place of the option. *ret is NULL if
 * the program refuses the text. false: a limit was exceeded.
 */
bool cmd_split(struct cmd_an *a, const struct cmd_part *p, const struct cmd_text *t,
	       struct cmd_word **ret, uint32_t *ret_n);

#endif
