/* `polc dump --after PASS`: the tree, the IR or a back end's members. */
#include "compiler/cli/cli.h"
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

enum cli_exit cmd_dump(struct options *o, struct arena *a)
{
	struct compilation c;
	enum cli_exit e;

	if (!is_pass(a, o->after))
		return CLI_TROUBLE;
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
