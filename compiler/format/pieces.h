/* Parts of statements as the printer of the language writes them, each on one line. */
#ifndef COMPILER_FORMAT_PIECES_H
#define COMPILER_FORMAT_PIECES_H

#include "compiler/ast/ast.h"
#include "compiler/base/arena.h"

struct str piece_stmt(struct arena *a, const struct ast_stmt *s);
/* One item of a program's table, without the items after it. */
struct str piece_item(struct arena *a, const struct ast_prog_item *i);
/* One case of a test. */
struct str piece_case(struct arena *a, const struct ast_test_case *c);
/* The statement; a block that is not empty is on several lines, one for each item. */
struct str piece_lines(struct arena *a, const struct ast_stmt *s);
/* CLASS EFFECT in `otherwise by risk`. */
struct str piece_risk(struct arena *a, const struct ast_value *v);
/* The text before the opening brace of a statement that has one. */
struct str piece_head(struct arena *a, const struct ast_stmt *s);

#endif
