/*
 * What the tables of both policies say about the options of one program.  Internal to
 * diff_cond.c.
 */
#ifndef COMPILER_ANALYSIS_DIFF_TABLE_H
#define COMPILER_ANALYSIS_DIFF_TABLE_H

#include "compiler/ir/ir.h"

struct diff_tables {
	struct arena *a;
	const struct ir *ir[2];
	struct str base; /* the program's base name */
};

/* Is it true of both policies? */
bool diff_table_both(const struct diff_tables *t,
		     bool (*ask)(const struct ir *ir, struct str base));
/* The option by the first name that the tables of both policies give to it. */
struct ir_option diff_table_first(const struct diff_tables *t, const struct ir_option *o);
/*
 * Is the option surely none of those that a `with only` permits?  Only where different first
 * names are different options (eval_tabled_names_tell).
 */
bool diff_table_leaves_out(const struct diff_tables *t, const struct ir_guard *only,
			   const struct ir_option *o);

/* The letters of "-rf"; 0 if the option is not written like that (eval/match_guard.c). */
size_t diff_table_letters(const struct ir_option *o);
/* The option of one of these letters. */
struct ir_option diff_table_letter(struct arena *a, const struct ir_option *o, size_t i);
/*
 * Without a table, is a word that may be this option always read as its letters, too
 * (runtime/line/cmd_option.c)?
 */
bool diff_table_reads_letters(const struct ir_option *o);

#endif
