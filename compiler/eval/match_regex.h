/*
 * A regular expression of a command rule against one simple command: PCRE2
 * itself searches the words.  Part of the reference evaluator.
 */
#ifndef COMPILER_EVAL_MATCH_REGEX_H
#define COMPILER_EVAL_MATCH_REGEX_H

#include "compiler/eval/asked.h"
#include "compiler/eval/match.h"

struct eval_match eval_match_regex(const struct eval_asked *q, const struct ir_command *c,
			       enum eval_side side);

#endif
