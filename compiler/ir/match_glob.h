/* Globs in the program column, for the files of the reference evaluator. */
#ifndef COMPILER_IR_MATCH_GLOB_H
#define COMPILER_IR_MATCH_GLOB_H

#include "compiler/ir/match.h"
#include "runtime/decide/command.h"

/* Is there a text that both match: the glob, or with `below` a beginning of it that ends
 * before a '/', and the pattern from its place `at` on? */
bool ir_glob_meets(const struct ir_glob *g, bool below, const struct cmd_pattern *p,
		   uint32_t at);
bool ir_glob_has_slash(const struct ir_glob *g);

#endif
