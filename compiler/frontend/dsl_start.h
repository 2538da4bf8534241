/* Which pieces of the language can be parsed alone, and the result of each. */
#ifndef COMPILER_FRONTEND_DSL_START_H
#define COMPILER_FRONTEND_DSL_START_H

#include "compiler/ast/build.h"

enum dsl_start {
	/* one value */
	DSL_VALUE, DSL_PATTERN, DSL_PATH, DSL_HOST, DSL_PORT, DSL_NAME, DSL_OPTION,
	DSL_CALL, DSL_IMPORT, DSL_ELEMENT, DSL_TEXT,
	/* a condition; a program's items; a test's cases */
	DSL_EXPR, DSL_ITEMS, DSL_CASES,
	/* statements: after `assert`, of a file, of a section */
	DSL_ASSERTION, DSL_FILE, DSL_POLICY, DSL_SEC_COMMAND, DSL_SEC_FILE,
	DSL_SEC_NETWORK, DSL_SEC_UNIX, DSL_SEC_SYSCALL, DSL_SEC_PAIRS, DSL_SEC_ENV,
	DSL_SEC_SESSION, DSL_SEC_RUNNER, DSL_SEC_TOOLS, DSL_BLOCK, DSL_TOOL,
	DSL_STARTS
};

/* The start decides which of these is set; the others are NULL. */
struct dsl_result {
	struct ast_value *values;
	struct ast_expr *expr;
	struct ast_prog_item *items;
	struct ast_test_case *cases;
	struct ast_stmt *stmts;
};

#endif
