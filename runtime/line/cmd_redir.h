/* Redirections as parts. For the files behind command.h only. */
#ifndef RUNTIME_LINE_CMD_REDIR_H
#define RUNTIME_LINE_CMD_REDIR_H

#include "runtime/line/cmd.h"

/* Adds a part for each file or address that is opened. false: a limit was exceeded. */
bool cmd_redirs(struct cmd_an *a, const struct cmd_ctx *c, const struct sh_redir *r);

#endif
