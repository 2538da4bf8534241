/*
 * Pieces of the language inside of other texts: a YAML scalar that holds a
 * condition, a system call, a statement.  Scanner, grammar and messages are
 * those of the language itself.
 */
#ifndef COMPILER_FRONTEND_DSL_PIECE_H
#define COMPILER_FRONTEND_DSL_PIECE_H

#include "compiler/ast/build.h"

enum dsl_start {
	/* one value */
	DSL_VALUE, DSL_PATTERN, DSL_PATH, DSL_HOST, DSL_PORT, DSL_NAME, DSL_OPTION,
	DSL_CALL, DSL_IMPORT, DSL_ELEMENT, DSL_TEXT,
	/* a condition; a program's items; a test's cases */
	DSL_EXPR, DSL_ITEMS, DSL_CASES,
	/* statements: what stands behind `assert`, those of a file, of a section */
	DSL_ASSERTION, DSL_FILE, DSL_POLICY, DSL_SEC_COMMAND, DSL_SEC_FILE,
	DSL_SEC_NETWORK, DSL_SEC_UNIX, DSL_SEC_SYSCALL, DSL_SEC_PAIRS, DSL_SEC_ENV,
	DSL_SEC_SESSION, DSL_SEC_RUNNER, DSL_SEC_TOOLS, DSL_BLOCK, DSL_TOOL,
	DSL_STARTS
};

/* One of these is set, by the start; the others are NULL. */
struct dsl_result {
	struct ast_value *values;
	struct ast_expr *expr;
	struct ast_prog_item *items;
	struct ast_test_case *cases;
	struct ast_stmt *stmts;
};

struct dsl_parser;

/* The parser of all pieces of file `file`; what it makes is counted in `b`. */
struct dsl_parser *dsl_pieces(struct arena *a, struct diag_sink *sink,
			      const struct source_map *map, uint32_t file);
/* The constructors' account, for what the caller makes beside the pieces. */
struct ast_build *dsl_build(struct dsl_parser *p);

/*
 * Parses `text` whole.  Where the bytes of the file at `at` are exactly this
 * text, each node and message has its own place.  So it is where its lines
 * are those of the file, but for their indentation (a YAML block).  Else all
 * have the place `at`.  False iff errors were reported.
 */
bool dsl_piece(struct dsl_parser *p, enum dsl_start start, struct str text,
	       struct span at, struct dsl_result *ret);

#endif
