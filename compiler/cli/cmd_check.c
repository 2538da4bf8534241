/*
 * `polc check`: everything that compile does, but for proving what was emitted
 * and writing it.
 */
#include <errno.h>

#include "compiler/cli/cli.h"
#include "compiler/cli/report.h"
#include "compiler/cli/tests.h"

static void print_json(const struct compilation *c, const struct tests_result *t)
{
	printf("{\"errors\":%zu,\"warnings\":%zu,\"notes\":%zu,"
	       "\"tests\":{\"passed\":%zu,\"failed\":%zu},\"diagnostics\":",
	       c->sink.errors, c->sink.warnings, c->sink.notes, t->passed, t->failed);
	diag_json(stdout, &c->sink, &c->map);
	printf("}\n");
}

static void print_sum(const struct compilation *c, const struct tests_result *t)
{
	printf("%zu error%s, %zu warning%s; %zu test%s passed, %zu failed\n",
	       c->sink.errors, c->sink.errors == 1 ? "" : "s", c->sink.warnings,
	       c->sink.warnings == 1 ? "" : "s", t->passed, t->passed == 1 ? "" : "s",
	       t->failed);
}

enum cli_exit cmd_check(struct options *o, struct arena *a)
{
	struct tests_result t = { 0, 0 };
	struct compilation c;
	enum cli_exit e;

	compilation_init(&c, o, a);
	if (!cli_sources(o, a))
		return CLI_TROUBLE;
	e = passes_run(&c, NULL);
	if (c.ir)
		report_fill(&c);
	if (e == CLI_CLEAN && !c.sink.errors)
		e = tests_run(&c, &t);
	if (c.ir)
		report_sum(&c);
	if (o->json)
		print_json(&c, &t);
	else
		report_print(&c);
	if (e == CLI_INTERNAL) {
		report_internal(&c);
		return CLI_INTERNAL;
	}
	if (!o->json)
		print_sum(&c, &t);
	if (c.sink.errors || (o->fail_on_warning && c.sink.warnings))
		return CLI_FINDINGS;
	return CLI_CLEAN;
}
