/*
 * The canonical layout of a policy text.  Laws: it has the same words in the same
 * order (except `;`, and `,` between items), so it means the same; all comments are
 * kept; formatting it again changes nothing.
 */
#ifndef COMPILER_FORMAT_FORMAT_H
#define COMPILER_FORMAT_FORMAT_H

#include "compiler/ast/ast.h"
#include "compiler/base/buf.h"
#include "compiler/diag/diag.h"

#define FORMAT_WIDTH 100
#define FORMAT_INDENT 4

/*
 * Appends the text of `tree` in canonical layout; dsl_parse() must have made the tree
 * from a file of the map.  The new text is compared with the source before the return:
 * false means a fault of ours, and then the output must not be used.
 */
bool format_dsl(struct buf *b, const struct source_map *map, const struct ast_file *tree);

#endif
