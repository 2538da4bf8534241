/* In-language tests: each case in the evaluator and in the compiled policy. */
#ifndef COMPILER_CLI_TESTS_H
#define COMPILER_CLI_TESTS_H

#include "compiler/cli/compilation.h"

struct tests_result {
	size_t passed, failed;
	struct map *judged; /* NULL, or the cases that several policies have in common */
};

/*
 * The roots in which tests are judged: the same on every machine, so that a
 * policy's tests do not depend on who runs them.
 */
extern const struct ir_roots tests_roots;

/*
 * Fills roots, and turns "${HOME}/x" into an absolute path; false: it names a
 * root that tests do not have.
 */
bool tests_place(struct arena *a, struct ir_request *q);

/*
 * Runs every test of a compilation whose passes have all run, and adds to
 * *ret; a case that fails is an error in the sink.  With `judged` a case counts
 * once, and as failed where it failed in one of the policies.  CLI_CLEAN, CLI_FINDINGS, or CLI_INTERNAL
 * where evaluator and compiled policy differ.
 */
enum cli_exit tests_run(struct compilation *c, struct tests_result *ret);

#endif
