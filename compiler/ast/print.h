/*
 * The tree as canonical text.  Law: what is printed parses again, and prints
 * the same.  Everything that has a meaning is kept; layout and comments of
 * the source are not.
 */
#ifndef COMPILER_AST_PRINT_H
#define COMPILER_AST_PRINT_H

#include "compiler/ast/ast.h"
#include "compiler/base/buf.h"

/* A whole file, indented, one statement a line. */
void ast_print_file(struct buf *b, const struct ast_file *f);
/* One statement on one line, without a newline; ids of rules hash this. */
void ast_print_stmt(struct buf *b, const struct ast_stmt *s);
void ast_print_expr(struct buf *b, const struct ast_expr *x);
void ast_print_value(struct buf *b, const struct ast_value *v);

#endif
