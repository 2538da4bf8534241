/* The files that a command names, by its table. For the files behind command.h only. */
#ifndef RUNTIME_LINE_CMD_FILES_H
#define RUNTIME_LINE_CMD_FILES_H

#include "runtime/line/cmd.h"

/* Finds the words that name files. `input`: the line says what the command reads. false:
 * a limit was exceeded. */
bool cmd_files(struct cmd_an *a, struct cmd_part *p, bool input);
/* Marks the words at which the program may write. After cmd_files(), and after the words of a
 * wrapper's command are known. */
void cmd_may_write(struct cmd_part *p);
/* Marks the parts that read or write a path which the text does not tell. After all else is known
 * about them. false: a limit was exceeded. */
bool cmd_lost_paths(struct cmd_an *a);
/* Finds what it runs though no word says so. false: a limit was exceeded. */
bool cmd_unasked(struct cmd_an *a, struct cmd_part *p);

#endif
