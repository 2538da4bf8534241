/*
 * commands.bin: what the levels say of programs, variables, pins and the
 * shell, put together under each name.  It decides nothing; the analysis of
 * lines reads it.
 */
#ifndef COMPILER_BACKEND_COMMANDS_COMMANDS_H
#define COMPILER_BACKEND_COMMANDS_COMMANDS_H

#include "compiler/backend/common/backend.h"

extern const struct backend bk_commands;

#endif
