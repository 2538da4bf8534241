/* Values, names and strings as text, for print.c. */
#ifndef COMPILER_AST_PRINT_VALUE_H
#define COMPILER_AST_PRINT_VALUE_H

#include "compiler/ast/ast.h"
#include "compiler/base/buf.h"

void ast_print_list(struct buf *b, const struct ast_value *list, const char *between);
/* Bare if possible, else in quotes. */
void ast_print_name(struct buf *b, struct str name);
/* A string without interpolation. */
void ast_print_plain(struct buf *b, struct str plain);

#endif
