/*
 * Pieces of the language inside of other texts: a YAML scalar that holds a
 * condition, a system call, a statement.  Scanner, grammar and messages are
 * those of the language itself.
 */
#ifndef COMPILER_FRONTEND_DSL_PIECE_H
#define COMPILER_FRONTEND_DSL_PIECE_H

#include "compiler/frontend/dsl_start.h"

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
