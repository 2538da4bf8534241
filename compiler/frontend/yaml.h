/* The YAML front end: turns text into the surface tree, using only ast/build.h. */
#ifndef COMPILER_FRONTEND_YAML_H
#define COMPILER_FRONTEND_YAML_H

#include "compiler/ast/ast.h"
#include "compiler/base/arena.h"
#include "compiler/diag/diag.h"

/*
 * Parses file `file` of the map and records the paths of its keys there.  NULL iff at
 * least one error was reported for it.  doc/yaml.md is the contract.
 */
struct ast_file *yml_parse(struct arena *a, struct diag_sink *sink,
			   struct source_map *map, uint32_t file);

#endif
