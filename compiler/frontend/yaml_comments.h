/* Where comments stand in a YAML text; libyaml reads over them. */
#ifndef COMPILER_FRONTEND_YAML_COMMENTS_H
#define COMPILER_FRONTEND_YAML_COMMENTS_H

#include "compiler/ast/ast.h"
#include "compiler/base/arena.h"
#include "compiler/frontend/yaml_tree.h"

/* Gives `f` the comments of its text, of which `root` (or NULL) was made. */
void yml_comments(struct arena *a, const struct source_map *map,
		  const struct yml_node *root, struct ast_file *f);

#endif
