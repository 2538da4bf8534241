/* The files that a command runs. For the files behind command.h only. */
#ifndef RUNTIME_LINE_CMD_SCRIPT_H
#define RUNTIME_LINE_CMD_SCRIPT_H

#include "runtime/line/cmd.h"

/* The part runs the file that this word names. */
void cmd_script(struct cmd_an *a, struct cmd_part *p, const struct sh_word *w);
/* The same for a program that takes "-" as its standard input. */
void cmd_script_file(struct cmd_an *a, struct cmd_part *p, const struct sh_word *w);
/* The part runs files of this name, though no word names them. */
bool cmd_script_unasked(struct cmd_an *a, struct cmd_part *p, const char *name, uint32_t n);

#endif
