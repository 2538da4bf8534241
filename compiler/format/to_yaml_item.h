/* Writes the statements of sections as items of a list. */
#ifndef COMPILER_FORMAT_TO_YAML_ITEM_H
#define COMPILER_FORMAT_TO_YAML_ITEM_H

#include "compiler/format/to_yaml.h"

/* A statement without a body; NULL: YAML has no spelling for it. */
struct node *to_yaml_item(struct to_yaml *y, enum ast_section_kind sec,
			  const struct ast_stmt *s);

#endif
