/*
 * From one front end's text to the other's, through the tree.  Laws: what is
 * written reads back as the same tree, with the same ids of rules; all
 * comments are there, those inside of a statement before it.
 */
#ifndef COMPILER_FORMAT_CONVERT_H
#define COMPILER_FORMAT_CONVERT_H

#include "compiler/ast/ast.h"
#include "compiler/base/buf.h"

/* Either takes a tree of either front end; its file is in the map. */
void convert_to_yaml(struct buf *b, const struct source_map *map,
		     const struct ast_file *tree);
/* In no particular layout, but for blocks that were on one line; see format.h. */
void convert_to_dsl(struct buf *b, const struct source_map *map,
		    const struct ast_file *tree);

#endif
