/*
 * What a line changes for the commands after it: variables, names of commands, the
 * directory. For the files behind command.h only. false: a limit was exceeded.
 */
#ifndef RUNTIME_LINE_CMD_CHANGE_H
#define RUNTIME_LINE_CMD_CHANGE_H

#include "runtime/line/cmd.h"

/* Everything after it in this process is opaque; the first reason is kept. */
void cmd_taint(const struct cmd_ctx *c, const char *why);
/* A variable is set: by an assignment, a loop, a builtin. */
void cmd_set(struct cmd_an *a, const struct cmd_ctx *c, const char *name, size_t n);
/* The name of a command stands for something else: for the path, or (NULL) for what
 * nobody knows. */
bool cmd_define(struct cmd_an *a, const struct cmd_ctx *c, const char *name, size_t n,
		const struct sh_word *path);
/* Handles an assignment before a command, or among the words of env. */
/* The variable is in the environment of the commands that follow. */
void cmd_export(struct cmd_an *a, const struct cmd_ctx *c, const char *name, size_t n);
void cmd_before(struct cmd_an *a, struct cmd_ctx *c, const char *name, size_t n);
/* The directory changes to the path of n bytes, below HOME if `home`. */
bool cmd_go(struct cmd_an *a, const struct cmd_ctx *c, const char *p, size_t n, bool home);
/* Nobody knows the directory from here on. */
void cmd_lose(struct cmd_proc *e);
/* An option takes the program to another directory (`tar -C DIR`): what its words mean is looked
 * for there as well. */
bool cmd_move(struct cmd_an *a, struct cmd_part *p);

#endif
