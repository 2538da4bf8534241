/*
 * The canonical layout of a policy text.  Laws: it has the same words in the
 * same order (but for `;` and for `,` between items), so it means the same;
 * all comments are there; formatting it again changes nothing.
 */
#ifndef COMPILER_FORMAT_FORMAT_H
#define COMPILER_FORMAT_FORMAT_H

#include "compiler/ast/ast.h"
#include "compiler/base/buf.h"
#include "compiler/diag/diag.h"

#define FORMAT_WIDTH 100
#define FORMAT_INDENT 4

/*
 * Appends the text of `tree`, which dsl_parse() made of a file of the map, in
 * canonical layout.  What it says is compared with the source before it is
 * returned: false is a fault of ours, and the output is of no use.
 */
bool format_dsl(struct buf *b, const struct source_map *map, const struct ast_file *tree);

#endif
