/* Settings and what is carried: settings.c, value.c and carried.c share this. */
#ifndef COMPILER_LOWER_SETTINGS_H
#define COMPILER_LOWER_SETTINGS_H

#include "compiler/lower/internal.h"

struct claim;

enum lower_type {
	LOWER_T_ANY, LOWER_T_TEXT, LOWER_T_PATH, LOWER_T_BOOL, 
	LOWER_T_SIZE, LOWER_T_DURATION, LOWER_T_WORD, LOWER_T_NAMES,
	LOWER_T_REGEXES, LOWER_T_LIST, LOWER_T_FRACTIONS, LOWER_T_PROXY
};

/* What is tighter: where nothing is, a narrow-only level has no say. */
enum lower_order { LOWER_O_NONE, LOWER_O_SMALLER, LOWER_O_SUBSET, LOWER_O_LATER };

/* A row of settings.def. */
struct lower_spec {
	enum ir_part part;
	const char *key;
	enum lower_type type;
	enum lower_order order;
	bool acts;
	const char *words; /* WORD: a|b|c, for LATER from loose to tight */
};

/* The row of a key, or NULL. */
const struct lower_spec *lower_spec(enum ir_part part, struct str key);
/* Error: no such key; with suggestions from the rows of the part whose keys
 * begin with `prefix`. */
void lower_no_key(struct lower *l, enum ir_part part, const char *prefix,
		  struct str key, struct span at);
/* The place of a word in "a|b|c", or -1. */
int lower_word(const char *words, struct str word);
/* "did you mean", or all of "a|b|c". */
void lower_suggest(struct lower *l, struct diag *d, struct str word, const char *words);
/* As the row wants it; false after an error. */
bool lower_value(struct lower *l, const struct lower_spec *spec, struct str key,
		 const struct ast_value *v, struct ir_value *ret);
/* Is `x` tighter than `y`, or the same? */
bool lower_is_tighter(const struct lower_spec *spec, const struct ir_value *x,
		      const struct ir_value *y);

/* Does the list have this item? */
bool lower_has(const struct ir_value *list, const struct ir_value *x);

/* A claim on a key whose value is left to fill in, an ir_setting's. */
struct claim *lower_setting(struct lower *l, const struct sema_stmt *t,
			    const struct lower_spec *spec, struct str key, struct span at);
/* Says of a key what the row makes of `v`; `pair` says whether it adds or locks. */
void lower_say(struct lower *l, const struct sema_stmt *t, const struct lower_spec *spec,
	       struct str key, const struct ast_stmt *pair, const struct ast_value *v);
/* What runner, session, audit, alert, tool and via say. */
void lower_carried(struct lower *l, const struct sema_stmt *t);

#endif
