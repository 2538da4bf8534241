/* Writes what stands in the braces of a section, a tool, a policy or a test. */
#ifndef COMPILER_FORMAT_TO_YAML_BODY_H
#define COMPILER_FORMAT_TO_YAML_BODY_H

#include "compiler/format/to_yaml.h"

struct node *to_yaml_section(struct to_yaml *y, const struct ast_stmt *s);
struct node *to_yaml_tool(struct to_yaml *y, const struct ast_stmt *s);
/* NULL: YAML has no spelling for it. */
struct node *to_yaml_policy(struct to_yaml *y, const struct ast_stmt *s);
struct node *to_yaml_test(struct to_yaml *y, const struct ast_stmt *s);

#endif
