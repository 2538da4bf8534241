/* Scripts that the line makes. For the files behind command.h only. */
#ifndef RUNTIME_LINE_CMD_MADE_H
#define RUNTIME_LINE_CMD_MADE_H

#include "runtime/line/cmd.h"

/* Finds the scripts that the line itself makes, once all parts are there (semantics
 * 4.4). */
bool cmd_made(struct cmd_an *a);

#endif
