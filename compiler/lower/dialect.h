/* Warnings about patterns in the spelling of another program. */
#ifndef COMPILER_LOWER_DIALECT_H
#define COMPILER_LOWER_DIALECT_H

#include "compiler/ast/ast.h"
#include "compiler/ir/ir.h"

struct lower;

/* Warns about the spelling of an agent's settings, and of a list of ignored files.  True: it did. */
bool lower_warn_dialect(struct lower *l, const struct ast_value *v, bool is_command);
/* The same for the name of a tool. */
void lower_warn_tool_dialect(struct lower *l, const struct ast_value *v);
/* For a deny or an ask: warns if a command with one word more is not matched. */
void lower_warn_exact(struct lower *l, const struct ast_value *v, const struct ir_command *c);

#endif
