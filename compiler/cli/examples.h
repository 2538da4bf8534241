/*
 * The pass "examples": does each rule match what its `match` says, and nothing
 * of what its `not match` says?
 */
#ifndef COMPILER_CLI_EXAMPLES_H
#define COMPILER_CLI_EXAMPLES_H

#include "compiler/diag/diag.h"
#include "compiler/ir/ir.h"

/*
 * Tries every example in the roots of tests; one that fails is an error in the
 * sink.  Time: linear in the examples, but for those that fail, where all
 * rules are asked what matches instead.
 */
void examples_run(const struct ir *ir, struct diag_sink *sink);

#endif
