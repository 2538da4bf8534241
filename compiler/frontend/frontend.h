/* Chooses the front end that reads a file, by the name of the file alone. */
#ifndef COMPILER_FRONTEND_FRONTEND_H
#define COMPILER_FRONTEND_FRONTEND_H

#include "compiler/ast/ast.h"
#include "compiler/base/arena.h"
#include "compiler/diag/diag.h"

/* True for `.yml` and `.yaml`; everything else is in the policy language. */
bool frontend_is_yaml(struct str name);
/* Is it, by its name, the configuration of another program?  Reports that. */
bool frontend_is_other_kind(struct diag_sink *sink, struct source_map *map, uint32_t file);
/* NULL iff at least one error was reported for the file. */
struct ast_file *frontend_parse(struct arena *a, struct diag_sink *sink,
				struct source_map *map, uint32_t file);

#endif
