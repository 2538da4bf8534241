/* Globs in the program column, for the files of the reference evaluator. */
#ifndef COMPILER_IR_MATCH_GLOB_H
#define COMPILER_IR_MATCH_GLOB_H

#include "compiler/ir/match.h"

bool ir_glob_has_slash(const struct ir_glob *g);

#endif
