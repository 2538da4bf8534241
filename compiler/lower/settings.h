/* Keys of settings and carried sections, and claims on them. */
#ifndef COMPILER_LOWER_SETTINGS_H
#define COMPILER_LOWER_SETTINGS_H

#include "compiler/lower/internal.h"
#include "compiler/lower/value.h"

struct claim;

/* The row of a key, or NULL. */
const struct lower_spec *lower_spec(enum ir_part part, struct str key);
/* Reports that there is no such key; suggests rows of the part whose keys begin with
 * `prefix`. */
void lower_no_key(struct lower *l, enum ir_part part, const char *prefix,
		  struct str key, struct span at);
/* A claim on a key; the caller fills in its value, a struct ir_setting. */
struct claim *lower_setting(struct lower *l, const struct sema_stmt *t,
			    const struct lower_spec *spec, struct str key, struct span at);
/*
 * Makes a claim on a key with the value `v`, read as the row says; `pair` says whether
 * it adds or locks.
 */
void lower_say(struct lower *l, const struct sema_stmt *t, const struct lower_spec *spec,
	       struct str key, const struct ast_stmt *pair, const struct ast_value *v);
/* Reads `setting KEY = VALUE`. */
void lower_read_setting(struct lower *l, const struct sema_stmt *t);

#endif
