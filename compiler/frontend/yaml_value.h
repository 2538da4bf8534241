/* Reads the value of a key: values, words and texts of the language. */
#ifndef COMPILER_FRONTEND_YAML_VALUE_H
#define COMPILER_FRONTEND_YAML_VALUE_H

#include "compiler/frontend/yaml_shape.h"

/* NULL after an error.  A single scalar gives a list of one. */
struct ast_value *yml_values(struct yml *y, enum yml_type type,
			     const struct yml_node *n);
/* A value of the type of the entry's key; booleans and choices become names. */
struct ast_value *yml_value_of(struct yml *y, const struct yml_entry *e);
/* A name that is not reserved; false after an error. */
bool yml_word(struct yml *y, const struct yml_node *n, struct str *ret);
bool yml_bool(struct yml *y, const struct yml_node *n, bool *ret);
bool yml_effect(struct yml *y, const struct yml_node *n, enum ast_effect *ret);
bool yml_ops(struct yml *y, const struct yml_node *n, unsigned *ret);
/* The meaning of a word of the set; NULL after an error. */
const char *yml_choice(struct yml *y, const struct yml_node *n, enum yml_word_set set);
/* The same without a message; NULL for another word, and if there is no node. */
const char *yml_meaning(struct yml *y, const struct yml_node *n, enum yml_word_set set);
/* Parses one piece of the language. */
bool yml_dsl(struct yml *y, enum dsl_start start, const struct yml_node *n,
	     struct dsl_result *ret);

#endif
