/* Compares globs with patterns of paths; for the files of the reference evaluator. */
#ifndef COMPILER_EVAL_MATCH_GLOB_H
#define COMPILER_EVAL_MATCH_GLOB_H

#include "compiler/eval/match.h"
#include "runtime/line/command.h"

/* Is there a text that matches both the glob and the pattern from its place `at` on?
 * With `below`, it is enough that the glob matches the beginning of the text before a
 * '/'. */
bool eval_glob_meets(const struct ir_glob *g, bool below, const struct cmd_pattern *p,
		   uint32_t at);
bool eval_glob_has_slash(const struct ir_glob *g);

#endif
