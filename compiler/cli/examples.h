/*
 * The pass "examples": does each rule match the examples in its `match`, and none of
 * those in its `not match`?
 */
#ifndef COMPILER_CLI_EXAMPLES_H
#define COMPILER_CLI_EXAMPLES_H

#include "compiler/diag/diag.h"
#include "compiler/ir/ir.h"

/*
 * Tries every example in the roots of tests.  An example that fails is an error in
 * the sink.  Time: linear in the number of examples, except for those that fail:
 * there all rules are tried, to report which of them match.
 */
void examples_run(const struct ir *ir, struct diag_sink *sink);

#endif
