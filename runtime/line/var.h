/*
 * The values of variables (semantics 4.1). A variable that the line gives only literal
 * values has, at each use, one of those that may have reached it. var_follow() walks
 * over the line in the order in which it runs, and finds these values. Where branches
 * meet, the values of both may have reached the place; a loop may have run any number
 * of times; what a subshell sets ends with it; a function may run at any time after its
 * definition, so what it sets counts everywhere.
 *
 * A use that an assignment of the line has not surely reached is unknown, as the caller
 * may have set the variable. So is everything that is not modelled: a name that `read`,
 * `unset`, `declare -i`, an array and the like touch anywhere in the line, all names
 * after `eval`, `source`, `alias` or a command that is not known, an unquoted use of a
 * value that the shell may split or expand.
 *
 * Only what a text does to its own variables is followed. The caller must not ask for
 * text that runs inside another shell process (eval, a trap), because that process may
 * have functions and traps that set the same names.
 */
#ifndef RUNTIME_LINE_VAR_H
#define RUNTIME_LINE_VAR_H

#include "runtime/line/shell/shell.h"

/* The most values of a variable that are told apart; with more it is unknown. */
#define VAR_MAX_VALUES 14
/* A longer value is unknown. */
#define VAR_MAX_BYTES 1024

/*
 * Follows a line of n bytes. Afterwards a piece of a word that stands for a variable
 * with one known value is literal. With several, it keeps its kind, and `values` says
 * which ones it may have: all pieces of one command that stand for the same variable
 * have the same of them at the same time. A piece that is a number (digits, perhaps
 * with a sign) becomes SH_ANY, as it never is several words.
 *
 * Memory is taken from *mem on; without enough of it, nothing is known.
 */
struct var_around {
	bool alone; /* nobody outside of this text can call its functions */
	/* its first positional parameters, from $0 on, as far as they are known */
	const struct sh_text *given;
	uint32_t ngiven;
};
void var_follow(struct sh *sh, char **mem, char *mem_end, size_t n,
		const struct var_around *around);

#endif
