/*
 * Writes values, conditions, names and strings as canonical text: on one line, in the
 * spelling that print.h keeps to.
 */
#ifndef COMPILER_AST_PRINT_VALUE_H
#define COMPILER_AST_PRINT_VALUE_H

#include "compiler/ast/ast.h"
#include "compiler/base/buf.h"

void ast_print_value(struct buf *b, const struct ast_value *v);
/* The values of a list, with the text `between` two of them. */
void ast_print_list(struct buf *b, const struct ast_value *list, const char *between);
/* Bare if possible, else in quotes. */
void ast_print_name(struct buf *b, struct str name);
/* A string without interpolation. */
void ast_print_plain(struct buf *b, struct str plain);
void ast_print_expr(struct buf *b, const struct ast_expr *x);

#endif
