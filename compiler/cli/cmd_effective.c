/* `polc effective`: shows the resolved policy of sources or of a bundle. */
#include "compiler/cli/cli.h"
#include "compiler/cli/effective.h"
#include "compiler/cli/loaded.h"
#include "compiler/cli/report.h"

static bool is_section(const char *name)
{
	const char *near;
	size_t n;

	for (n = 0; effective_sections[n]; n++)
		if (strcmp(name, effective_sections[n]) == 0)
			return true;
	near = diag_suggest(str_from(name), effective_sections, n);
	fprintf(stderr, "polc: a policy has no section '%s'", name);
	if (near)
		fprintf(stderr, ": did you mean '%s'?", near);
	else
		for (n = 0; effective_sections[n]; n++)
			fprintf(stderr, "%s%s", n ? ", " : "; there are ",
				effective_sections[n]);
	fputc('\n', stderr);
	return false;
}

enum cli_exit cmd_effective(struct options *o, struct arena *a)
{
	struct effective_show s = { .section = o->section, .verbose = o->verbose };
	struct loaded l;
	enum cli_exit e;

	if (o->section && !is_section(o->section))
		return CLI_TROUBLE;
	e = loaded_read(&l, o, a);
	if (e != CLI_CLEAN)
		return e;
	if (!o->bundle)
		report_print(&l.c);
	s.ir = l.ir;
	if (o->format == CLI_TEXT) {
		effective_text(stdout, &s, a);
		return CLI_CLEAN;
	}
	if (effective_data(stdout, &s, a, o->format == CLI_YAML))
		return CLI_CLEAN;
	fputs("polc: the result cannot be written\n", stderr);
	return CLI_TROUBLE;
}
