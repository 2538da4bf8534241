/*
 * What the tables of a policy say about programs, for those who ask about many lines.
 * Part of the reference evaluator.
 */
#ifndef COMPILER_EVAL_TABLED_H
#define COMPILER_EVAL_TABLED_H

#include "compiler/ir/ir.h"

/*
 * Does a table say how the program of this base name reads its words, and does the program
 * run none of them?  Then the evaluator does not look for other commands in its words.
 */
bool eval_tabled_is_plain(const struct ir *ir, struct str base);
/*
 * Is "-rf" of this program surely two options?  False if a table has an option of several
 * letters, or if there is no table.
 */
bool eval_tabled_splits(const struct ir *ir, struct str base);

/* Does nobody say anything about a program of this name? */
bool eval_tabled_is_bare(const struct ir *ir, struct str base);
/* Are two names surely two options of this program if eval_tabled_option() tells them apart? */
bool eval_tabled_names_tell(const struct ir *ir, struct str base);

/* Does a table say that the program may run what its words say? */
bool eval_tabled_interprets(const struct ir *ir, struct str base);
/* The first of the names that the table gives to this option of the program, or `name`. */
struct str eval_tabled_option(const struct ir *ir, struct str base, struct str name);

/* The program's options that take code, at most `max`; returns their number. */
size_t eval_tabled_code(const struct ir *ir, struct str base, struct str *ret, size_t max);

enum eval_runner {
	EVAL_RUNS_NOTHING,
	EVAL_RUNS_WORDS, /* a wrapper: it runs its words as a command */
	EVAL_RUNS_TEXT,  /* a shell */
	EVAL_RUNS_AWAY   /* it runs them elsewhere, and an allow of it covers them */
};

/* How the program runs others. */
enum eval_runner eval_tabled_runs(const struct ir *ir, struct str base);
/* A wrapper, or a shell, that needs no permission of its own? */
bool eval_tabled_is_transparent(const struct ir *ir, struct str base);
/* The programs that have tables, in the order of their names. */
size_t eval_tabled_count(const struct ir *ir);
struct str eval_tabled_name(const struct ir *ir, size_t i);

#endif
