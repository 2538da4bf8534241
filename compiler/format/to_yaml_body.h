/* Writes what stands in the braces of a section, a tool, a policy or a test. */
#ifndef COMPILER_FORMAT_TO_YAML_BODY_H
#define COMPILER_FORMAT_TO_YAML_BODY_H

#include "compiler/format/to_yaml.h"

struct node *ty_section(struct to_yaml *y, const struct ast_stmt *s);
struct node *ty_tool(struct to_yaml *y, const struct ast_stmt *s);
/* NULL: YAML has no spelling for it. */
struct node *ty_policy(struct to_yaml *y, const struct ast_stmt *s);
struct node *ty_test(struct to_yaml *y, const struct ast_stmt *s);

#endif
