/* The options of a command, and the roles of its words. For the files behind command.h
 * only. */
#ifndef RUNTIME_LINE_CMD_OPTIONS_H
#define RUNTIME_LINE_CMD_OPTIONS_H

#include "runtime/line/cmd_read.h"

/* Reads the words: p->options, their roles, and *ret. false: a limit was exceeded. */
bool cmd_options(struct cmd_an *a, struct cmd_part *p, struct cmd_read *ret);

#endif
