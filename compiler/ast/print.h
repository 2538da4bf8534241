/*
 * Writes the tree as canonical text.  Law: the output parses again and prints the
 * same.  Everything that has a meaning is kept; the layout and the comments of the
 * source are not.
 */
#ifndef COMPILER_AST_PRINT_H
#define COMPILER_AST_PRINT_H

#include "compiler/ast/ast.h"
#include "compiler/base/buf.h"

/* Prints a whole file, indented, with one statement on each line. */
void ast_print_file(struct buf *b, const struct ast_file *f);
/* Prints one statement on one line, without a newline; ids of rules are hashes of this
 * text. */
void ast_print_stmt(struct buf *b, const struct ast_stmt *s);
/*
 * Does the statement need a `;` before it?  After a rule of `network` a `via` would be the
 * rule's own.  `before` may be NULL.
 */
bool ast_needs_separator(const struct ast_stmt *before, const struct ast_stmt *s);

#endif
