/*
 * A regular expression of a command rule against one simple command: PCRE2
 * itself searches the words.  Part of the reference evaluator.
 */
#ifndef COMPILER_IR_MATCH_REGEX_H
#define COMPILER_IR_MATCH_REGEX_H

#include "compiler/ir/match_command.h"

struct ir_match ir_match_regex(const struct ir_asked *q, const struct ir_command *c,
			       enum ir_side side);

#endif
