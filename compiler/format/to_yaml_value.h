/* Writes values as YAML scalars, if the schema reads the scalar as the same value. */
#ifndef COMPILER_FORMAT_TO_YAML_VALUE_H
#define COMPILER_FORMAT_TO_YAML_VALUE_H

#include "compiler/format/to_yaml.h"

/* One value, where a value of `type` is wanted; never NULL. */
struct node *to_yaml_value(struct to_yaml *y, enum yml_type type,
			   const struct ast_value *v);
/* All the values: a list if `type` is a plural and there are several. */
struct node *to_yaml_values(struct to_yaml *y, enum yml_type type,
			    const struct ast_value *v);
struct node *to_yaml_expr(struct to_yaml *y, const struct ast_expr *x);
struct node *to_yaml_ops(struct to_yaml *y, unsigned ops);
/* The value of the pair `s` in that scope, or NULL if the pair has no key there. */
struct node *to_yaml_pair(struct to_yaml *y, enum yml_scope scope,
			  const struct ast_stmt *s);

#endif
