/* Variables with several known values (var.h), for the files behind command.h only. */
#ifndef RUNTIME_LINE_CMD_VALUES_H
#define RUNTIME_LINE_CMD_VALUES_H

#include "runtime/line/cmd.h"

/* A command is listed once for each of at most so many combinations of values; with
 * more of them its words stay unknown. */
#define CMD_MAX_TURNS 16
/* All commands of a line together may be listed so many times more. */
#define CMD_MORE_TURNS 1024

/* The variables of a command, and the value that each has in this turn. */
struct cmd_turn {
	const struct sh *sh;
	uint32_t n;
	uint8_t var[CMD_MAX_TURNS];
	uint16_t may[CMD_MAX_TURNS], at[CMD_MAX_TURNS]; /* at: one bit of may */
};

/* Does the command have variables with several known values? It is listed once for each
 * of these then: cmd_turn_next() makes them. */
bool cmd_turn_begin(struct cmd_an *a, struct cmd_turn *t, const struct sh *sh,
		    const struct sh_cmd *cmd);
/* The command with the values of this turn; NULL if a limit was exceeded. */
const struct sh_cmd *cmd_turn_take(struct cmd_an *a, const struct cmd_turn *t,
				   const struct sh_cmd *cmd);
/* false: that was the last one. */
bool cmd_turn_next(struct cmd_turn *t);

#endif
