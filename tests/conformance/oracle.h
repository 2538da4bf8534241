/*
 * Programs that answer many requests about one policy, each by the evaluator
 * and compared with the compiled policy.
 */
#ifndef TESTS_CONFORMANCE_ORACLE_H
#define TESTS_CONFORMANCE_ORACLE_H

#include <sodium.h>

#include "compiler/cli/compiled.h"
#include "compiler/cli/options_read.h"
#include "compiler/cli/passes.h"

/* False after a message: the two differ, or the bundle has no answer. */
static inline bool oracle_ask(struct compilation *c, struct bundle *b,
			      const struct ir_request *req, struct eval_decision *ret)
{
	const char *why = NULL;
	struct ir_request guarded = *req;
	struct eval_decision e;
	struct decision d;

	eval_decide(c->ir, req, c->a, ret);
	/* the bundle's answer is always the one behind the guard */
	guarded.before_guard = false;
	eval_decide(c->ir, &guarded, c->a, &e);
	if (compiled_ask(b, &guarded, c->a, &d, &why))
		why = compiled_differs(b, &e, &guarded, &d, c->a);
	if (why)
		(void)fprintf(stderr, "oracle: %s\n", why);
	return !why;
}

/* Compiles what the options name; an exit status. */
static inline int oracle_open(struct options *o, struct arena *a, struct compilation *c,
			      struct bundle *b)
{
	compilation_init(c, o, a);
	if (passes_run(c, NULL) != CLI_CLEAN) {
		diag_render(stderr, &c->sink, &c->map, false);
		return 1;
	}
	if (compiled_open(c, b))
		return 0;
	(void)fprintf(stderr, "oracle: %s\n", c->internal ? c->internal : "no bundle");
	return 2;
}

/* main(): reads the command line of `polc explain`. */
static inline int oracle_main(int argc, char **argv,
			      int (*run)(struct options *o, struct arena *a))
{
	struct options o;
	struct arena a;
	int r = 2;

	arena_init(&a, ARENA_DEFAULT_BUDGET);
	if (sodium_init() >= 0 &&
	    options_read(&o, &a, CLI_EXPLAIN, argc - 1, argv + 1, stderr))
		r = run(&o, &a);
	arena_release(&a);
	return r;
}

#endif
