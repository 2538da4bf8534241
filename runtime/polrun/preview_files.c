/* Prints the files of a plan: each place of the view with the rule that decides it.
 * Absent names are grouped by rule, so that they do not hide the others. */
#include "runtime/polrun/preview_files.h"

#include <string.h>

#include "runtime/base/io.h"
#include "runtime/decide/rule_text.h"
#include "runtime/polrun/exactness.h"
#include "runtime/polrun/read_only.h"

enum { INDENT = 19, WIDTH = 88 };

struct said {
	char ops[40];
	uint32_t why;      /* the rule that grants `ops` */
	uint32_t no_write; /* the rule that says it is not writable, or UINT32_MAX */
};

static struct said describe(const struct bundle *b, const struct sandbox_node *n)
{
	struct said s = { .why = n->rule[0], .no_write = UINT32_MAX };

	if (n->socket)
		(void)snprintf(s.ops, sizeof(s.ops), "socket");
	else if (n->text)
		(void)snprintf(s.ops, sizeof(s.ops), "copy");
	else if (n->scratch)
		(void)snprintf(s.ops, sizeof(s.ops),
			       n->ops & PB_WRITE ? "scratch" :
			       strcmp(n->path, "/dev") ? "empty" : "devices");
	else if (n->masked || !n->ops)
		(void)snprintf(s.ops, sizeof(s.ops), n->masked ? "hidden" : "nothing");
	else
		(void)snprintf(s.ops, sizeof(s.ops), "%s%s%s",
			       n->ops & PB_READ ? "read " : "",
			       n->broker ? "write* " : n->ops & PB_WRITE ? "write " : "",
			       n->ops & PB_EXEC ? "exec" : "");
	if (n->ops & PB_WRITE)
		s.why = n->rule[1];
	else if (n->ops & PB_EXEC)
		s.why = n->rule[2];
	/* A rule says that it is not writable: this is what readers look for. */
	if (!(n->ops & PB_WRITE) && !n->scratch && bundle_rule(b, n->rule[1]) &&
	    bundle_rule(b, n->rule[1])->kind == PB_FILE && n->rule[1] != s.why)
		s.no_write = n->rule[1];
	return s;
}

static void print_path(FILE *out, const char *path)
{
	char b[1024];

	io_escape(b, sizeof(b), path, strlen(path));
	fputs(b, out);
}

static void print_rules(FILE *out, const struct bundle *b, const struct said *s)
{
	char rule[EXPLAIN_RULE_CAP];

	if (s->no_write != UINT32_MAX)
		fprintf(out, "  (not writable by %s)", explain_rule(b, s->no_write, rule));
	else if (bundle_rule(b, s->why))
		fprintf(out, "  (%s)", explain_rule(b, s->why, rule));
}

static void print_node(FILE *out, const struct sandbox_run *run, const struct sandbox_node *n)
{
	const struct bundle *b = run->bundle;
	struct said s = describe(b, n);
	char rule[EXPLAIN_RULE_CAP];

	fprintf(out, "  %-16s ", s.ops);
	print_path(out, n->path);
	if (n->source && !n->masked) {
		fputs("  of ", out);
		print_path(out, n->source);
	}
	print_rules(out, b, &s);
	if (n->scratch && strcmp(n->path, "/dev") == 0)
		fputs("  the run's own devices", out);
	else if (n->text)
		fputs("  the run's own; lost afterwards", out);
	else if (n->scratch)
		fputs(n->ops & PB_WRITE ? "  private, empty; lost afterwards" :
					  "  private and empty", out);
	else if (n->absent)
		fputs("  does not exist", out);
	if (n->broker)
		fprintf(out, "  *each name is decided, because of %s",
			explain_rule(b, n->forced_by, rule));
	if (n->forced_ro) {
		fprintf(out, "  read-only because of %s",
			explain_rule(b, n->forced_by, rule));
		read_only_why(out, run, n);
	}
	fputc('\n', out);
}

/* --- absent names, by rule --------------------------------------------------- */

struct absent {
	const char *path;
	struct said said;
};

/* The root relative to which a path is shown: the project, HOME, or "/". */
static const char *base_of(const struct sandbox_run *run, const char *path)
{
	const char *const *dir = run->ctx.roots.dir;
	const char *bases[] = { dir[PB_ROOT_PROJECT], dir[PB_ROOT_HOME] };
	const char *best = "";

	for (size_t i = 0; i < sizeof(bases) / sizeof(bases[0]); i++) {
		size_t n = bases[i] ? strlen(bases[i]) : 0;

		if (n > strlen(best) && strncmp(path, bases[i], n) == 0 && path[n] == '/')
			best = bases[i];
	}
	return best;
}

static bool same_group(const struct sandbox_run *run, const struct absent *a,
		       const struct absent *b)
{
	const struct bundle *bundle = run->bundle;

	return strcmp(a->said.ops, b->said.ops) == 0 &&
	       exactness_same_statement(bundle, a->said.why, b->said.why) &&
	       exactness_same_statement(bundle, a->said.no_write, b->said.no_write) &&
	       strcmp(base_of(run, a->path), base_of(run, b->path)) == 0;
}

static void print_names(FILE *out, const struct sandbox_run *run, const struct absent *v,
			size_t n, size_t first)
{
	size_t skip = strlen(base_of(run, v[first].path)) + 1, at = WIDTH;

	for (size_t i = first; i < n; i++) {
		size_t len;

		if (!same_group(run, &v[first], &v[i]))
			continue; /* its path may be shorter than `skip` */
		len = strlen(v[i].path + skip) + 1;
		if (at + len > WIDTH)
			at = (size_t)fprintf(out, "\n%*s", INDENT - 1, "") - 1;
		fputc(' ', out);
		print_path(out, v[i].path + skip);
		at += len;
	}
	fputc('\n', out);
}

static void print_absent(FILE *out, const struct sandbox_run *run, const struct absent *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const char *base = base_of(run, v[i].path);
		size_t before = 0;

		while (before < i && !same_group(run, &v[before], &v[i]))
			before++;
		if (before < i)
			continue;
		fprintf(out, "  %-16s absent below ", v[i].said.ops);
		print_path(out, *base ? base : "/");
		print_rules(out, run->bundle, &v[i].said);
		print_names(out, run, v, n, i);
	}
}

/* --- links in directories that are not written -------------------------------- */

static void print_links(FILE *out, const struct bundle *b, const struct sandbox_view *view)
{
	char rule[EXPLAIN_RULE_CAP];

	for (size_t i = 0; i < view->ndenied; i++) {
		const struct sandbox_denied *d = &view->denied[i];

		if (!d->link)
			continue;
		fprintf(out, "  %-16s ", "not written");
		print_path(out, d->path);
		fprintf(out, "  (%s)  where ", explain_rule(b, d->rule, rule));
		print_path(out, d->link);
		fputs(" leads\n", out);
	}
	for (size_t i = 0; i < view->nunsearched; i++) {
		const struct sandbox_unsearched *u = &view->unsearched[i];

		fprintf(out, "  %-16s ", u->why == SANDBOX_NOT_SEARCHED ? "not searched" : "not kept");
		print_path(out, u->path);
		fprintf(out, "  (%s)  %s\n", explain_rule(b, u->rule, rule),
			u->why == SANDBOX_NOT_SEARCHED ? "for links as a whole" :
							 "leads to a directory around it or the project");
	}
}

void preview_files(FILE *out, const struct sandbox_run *run, const struct sandbox_view *view)
{
	AUTO_FREE struct absent *v = calloc(view->n + view->ncreatable + 1, sizeof(*v));
	size_t n = 0;

	fputs("files\n", out);
	for (size_t i = 0; i < view->n; i++) {
		const struct sandbox_node *node = &view->nodes[i];

		if (v && node->absent && !node->scratch && !node->forced_ro)
			v[n++] = (struct absent){ node->path,
						  describe(run->bundle, node) };
		else
			print_node(out, run, node);
	}
	for (size_t i = 0; v && i < view->ncreatable; i++)
		v[n++] = (struct absent){ view->creatable[i].path,
					  { .ops = "may appear",
					    .why = view->creatable[i].rule,
					    .no_write = UINT32_MAX } };
	print_absent(out, run, v, n);
	print_links(out, run->bundle, view);
}
