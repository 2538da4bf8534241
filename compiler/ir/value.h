/*
 * Values of settings and carried keys: equality, canonical JSON, and what ir.h promises
 * about them.
 */
#ifndef COMPILER_IR_VALUE_H
#define COMPILER_IR_VALUE_H

#include "compiler/ir/ir.h"

struct json; /* runtime/base/json.h, whose names json-c has too */

/* The deepest nesting of lists and maps; the readers of bundles rely on it. */
#define IR_VALUE_DEPTH 16u

bool ir_value_equal(const struct ir_value *x, const struct ir_value *y);
/* Writes canonical JSON: keys sorted by bytes, no white space. */
void ir_value_put(struct json *j, const char *key, const struct ir_value *v);
void ir_value_json(struct buf *b, const struct ir_value *v);
/* Is it a number as JSON writes it: no '+', no leading zero, no exponent? */
bool ir_value_is_number(struct str s);
/* Returns NULL, or what is wrong. */
const char *ir_value_verify(const struct ir_value *v);
/* Returns the setting, or NULL. */
const struct ir_setting *ir_setting_find(const struct ir *ir, enum ir_part part,
					 struct str key);
/*
 * Writes all settings and carried parts as in settings.json of a bundle: an object with
 * one object for each part that is not empty, keys sorted.
 */
void ir_settings_json(struct buf *out, const struct ir *ir);

#endif
