/*
 * commands.bin: what the levels say about programs, variables, pins and the shell,
 * merged under each name.  It decides nothing; the analysis of command lines reads it.
 */
#ifndef COMPILER_BACKEND_COMMANDS_COMMANDS_H
#define COMPILER_BACKEND_COMMANDS_COMMANDS_H

#include "compiler/backend/common/backend.h"

extern const struct backend bk_commands;

#endif
