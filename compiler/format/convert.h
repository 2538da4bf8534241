/*
 * Turns the text of one front end into the text of the other, through the tree.  Laws:
 * the output parses to the same tree, with the same ids of rules.  All comments are
 * kept; those inside a statement are moved before it.
 */
#ifndef COMPILER_FORMAT_CONVERT_H
#define COMPILER_FORMAT_CONVERT_H

#include "compiler/ast/ast.h"
#include "compiler/base/buf.h"

/* Both functions take a tree of either front end; its file must be in the map. */
void convert_to_yaml(struct buf *b, const struct source_map *map,
		     const struct ast_file *tree);
/* The layout is not canonical, but blocks that stood on one line stay so; format.h
 * lays the text out. */
void convert_to_dsl(struct buf *b, const struct source_map *map,
		    const struct ast_file *tree);

#endif
