/*
 * Values of settings and of what is carried: equality, canonical JSON, and
 * what ir.h promises of them.
 */
#ifndef COMPILER_IR_VALUE_H
#define COMPILER_IR_VALUE_H

#include "compiler/ir/ir.h"

/* Lists and maps may be nested this deep; the readers of bundles rely on it. */
#define IR_VALUE_DEPTH 16u

bool ir_value_equal(const struct ir_value *x, const struct ir_value *y);
/* Canonical: keys sorted by bytes, no white space. */
void ir_value_json(struct buf *b, const struct ir_value *v);
/* A number as JSON writes it: no sign '+', no leading zero, no exponent. */
bool ir_value_is_number(struct str s);
/* NULL, or what is broken. */
const char *ir_value_verify(const struct ir_value *v);
/* The setting, or NULL. */
const struct ir_setting *ir_setting_find(const struct ir *ir, enum ir_part part,
					 struct str key);
/*
 * All settings and carried parts as the member settings.json has them: an
 * object with one object for each part that says something, keys sorted.
 */
void ir_settings_json(struct buf *out, const struct ir *ir);

#endif
