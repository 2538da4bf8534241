/* Tests in the language: each case runs in the evaluator and the compiled policy. */
#ifndef COMPILER_CLI_TESTS_H
#define COMPILER_CLI_TESTS_H

#include "compiler/cli/compilation.h"

struct tests_result {
	size_t passed, failed;
	struct map *judged; /* NULL, or the cases that several policies share */
};

/*
 * The roots in which tests are judged.  They are the same on every machine, so that
 * tests of a policy do not depend on who runs them.
 */
extern const struct ir_roots tests_roots;

/*
 * Fills in roots and turns "${HOME}/x" into an absolute path; false if the path names
 * a root that tests do not have.
 */
bool tests_place(struct arena *a, struct ir_request *q);

/*
 * Runs every test of a compilation whose passes have all run, and adds the results to
 * *ret.  A case that fails is an error in the sink.  With `judged`, a case counts
 * once, and as failed if it failed in any policy.  CLI_CLEAN, CLI_FINDINGS, or
 * CLI_INTERNAL if the evaluator and the compiled policy differ.
 */
enum cli_exit tests_run(struct compilation *c, struct tests_result *ret);

#endif
