/* The DSL front end: text in, surface tree out. */
#ifndef COMPILER_FRONTEND_DSL_H
#define COMPILER_FRONTEND_DSL_H

#include "compiler/ast/ast.h"
#include "compiler/base/arena.h"
#include "compiler/diag/diag.h"

/*
 * Parses file `file` of the map.  NULL iff at least one error was reported
 * for it; many errors are reported in one run, then at most the sink's limit.
 */
struct ast_file *dsl_parse(struct arena *a, struct diag_sink *sink,
			   const struct source_map *map, uint32_t file);

#endif
