/* `polc dump --after PASS`: the tree, the IR or a back end's members. */
#include "compiler/cli/cli.h"
#include "compiler/cli/loaded.h"
#include "compiler/cli/passes.h"
#include "compiler/cli/report.h"

static bool is_pass(struct arena *a, const char *name)
{
	size_t n, i;
	const char *const *names = passes_names(a, &n);
	const char *near = diag_suggest(str_from(name), names, n);

	for (i = 0; i < n; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	fprintf(stderr, "polc: there is no pass '%s'", name);
	if (near)
		fprintf(stderr, ": did you mean '%s'?", near);
	else
		for (i = 0; i < n; i++)
			fprintf(stderr, "%s%s", i ? ", " : "; there are ", names[i]);
	fputc('\n', stderr);
	return false;
}

/* A bundle holds the policy after "lift"; later passes only made members. */
static enum cli_exit dump_bundle(struct options *o, struct arena *a)
{
	struct loaded l;
	enum cli_exit e;

	if (strcmp(o->after, "lift") != 0) {
		fputs("polc: a bundle holds the policy after the pass 'lift'; `polc inspect "
		      "--section NAME` shows what later ones made\n", stderr);
		return CLI_TROUBLE;
	}
	e = loaded_read(&l, o, a);
	if (e == CLI_CLEAN)
		ir_print(stdout, l.ir);
	return e;
}

enum cli_exit cmd_dump(struct options *o, struct arena *a)
{
	struct compilation c;
	enum cli_exit e;

	if (!is_pass(a, o->after))
		return CLI_TROUBLE;
	if (o->bundle)
		return dump_bundle(o, a);
	compilation_init(&c, o, a);
	if (!cli_sources(o, a))
		return CLI_TROUBLE;
	e = passes_run(&c, o->after);
	if (e != CLI_CLEAN)
		return cli_refuse(&c, e, CLI_TROUBLE);
	report_print(&c);
	passes_print(stdout, &c, o->after);
	return CLI_CLEAN;
}
