/*
 * Pieces of the language inside other texts: a YAML scalar that holds a condition, a
 * system call or a statement.  The scanner, grammar and messages are those of the
 * language itself.
 */
#ifndef COMPILER_FRONTEND_DSL_PIECE_H
#define COMPILER_FRONTEND_DSL_PIECE_H

#include "compiler/frontend/dsl_start.h"

struct dsl_parser;

/* Makes the parser for all pieces of file `file`; its member `b` counts the nodes. */
struct dsl_parser *dsl_pieces(struct arena *a, struct diag_sink *sink,
			      const struct source_map *map, uint32_t file);
/* The builder of the parser, for nodes that the caller makes outside of pieces. */
struct ast_build *dsl_build(struct dsl_parser *p);

/*
 * Parses all of `text`.  Each node and message has its own place if the bytes of the
 * file at `at` are exactly this text, or if only the indentation of its lines differs
 * (a YAML block).  Otherwise all of them have the place `at`.  False iff errors were
 * reported.
 */
bool dsl_piece(struct dsl_parser *p, enum dsl_start start, struct str text,
	       struct span at, struct dsl_result *ret);

#endif
