/* Values of settings, in the form that their row of settings.def demands. */
#ifndef COMPILER_LOWER_VALUE_H
#define COMPILER_LOWER_VALUE_H

#include "compiler/lower/internal.h"

enum lower_type {
	LOWER_T_ANY, LOWER_T_TEXT, LOWER_T_PATH, LOWER_T_BOOL, LOWER_T_SIZE,
	LOWER_T_DURATION, LOWER_T_WORD, LOWER_T_NAMES, LOWER_T_REGEXES, LOWER_T_LIST,
	LOWER_T_FRACTIONS
};

/*
 * Which value is tighter.  With LOWER_O_NONE no value is, and a narrow-only level has
 * no say.
 */
enum lower_order { LOWER_O_NONE, LOWER_O_SMALLER, LOWER_O_SUBSET, LOWER_O_LATER };

/* A row of settings.def. */
struct lower_spec {
	enum ir_part part;
	const char *key;
	enum lower_type type;
	enum lower_order order;
	bool acts;
	const char *words; /* WORD: a|b|c; with LATER, from loose to tight */
};

/* The index of a word in "a|b|c", or -1. */
int lower_word(const char *words, struct str word);
/* Adds "did you mean …", or lists all of "a|b|c". */
void lower_suggest(struct lower *l, struct diag *d, struct str word, const char *words);
/* Reads the value in the form that the row demands; false after an error. */
bool lower_value(struct lower *l, const struct lower_spec *spec, struct str key,
		 const struct ast_value *v, struct ir_value *ret);
/* Is `x` tighter than `y`, or the same? */
bool lower_is_tighter(const struct lower_spec *spec, const struct ir_value *x,
		      const struct ir_value *y);
/* Does the list have this item? */
bool lower_has(const struct ir_value *list, const struct ir_value *x);

#endif
