/* The front end of the DSL: turns text into the surface tree. */
#ifndef COMPILER_FRONTEND_DSL_H
#define COMPILER_FRONTEND_DSL_H

#include "compiler/ast/ast.h"
#include "compiler/base/arena.h"
#include "compiler/diag/diag.h"

/*
 * Parses file `file` of the map.  NULL iff at least one error was reported
 * for it.  One run reports many errors, up to the limit of the sink.
 */
struct ast_file *dsl_parse(struct arena *a, struct diag_sink *sink,
			   const struct source_map *map, uint32_t file);

#endif
