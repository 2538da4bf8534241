/* Finds the comments of a YAML text, which libyaml skips. */
#ifndef COMPILER_FRONTEND_YAML_COMMENTS_H
#define COMPILER_FRONTEND_YAML_COMMENTS_H

#include "compiler/ast/ast.h"
#include "compiler/base/arena.h"
#include "compiler/frontend/yaml_tree.h"

/* Gives `f` the comments of its text; `root` (or NULL) is the tree of the text. */
void yml_comments(struct arena *a, const struct source_map *map,
		  const struct yml_node *root, struct ast_file *f);

#endif
