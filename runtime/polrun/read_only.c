/* Words which trees are read-only although rules let them be written, and why.  Decides
 * nothing: the view has the reasons. */
#include "runtime/polrun/read_only.h"

#include <string.h>
#include <sys/stat.h>

#include "runtime/base/io.h"
#include "runtime/decide/rule_text.h"
#include "runtime/polrun/report_rule.h"
#include "runtime/sandbox/view_host.h"

enum { MOST = 3, SHOWN = 600 };

/* A tree that a mount shows at a second place is told by its own name. */
static bool is_told(const struct sandbox_node *n)
{
	return n->forced_ro && n->forced_name && !n->source;
}

/* `path` as seen from `dir`, escaped. */
static const char *below(const char *path, const char *dir, char out[SHOWN])
{
	size_t n = dir && dir[1] ? strlen(dir) : 0;

	if (n && strcmp(path, dir) != 0 && view_at(path, dir))
		path += n + 1;
	io_escape(out, SHOWN, path, strlen(path));
	return out;
}

/* The name may have been made since the view was decided: then nothing is wrong with
 * what is said, since this run does not see it. */
static const char *state_of(const char *name)
{
	struct stat st;

	return lstat(name, &st) == 0 && S_ISLNK(st.st_mode) ? "is a link that the run could replace" :
							      "is absent";
}

void read_only_why(FILE *out, const struct sandbox_run *run, const struct sandbox_node *n)
{
	char name[SHOWN];

	if (n->forced_name)
		fprintf(out, ": %s %s", below(n->forced_name, run->ctx.roots.dir[PB_ROOT_PROJECT], name),
			state_of(n->forced_name));
}

static void say_one(FILE *out, const struct sandbox_run *run, const struct sandbox_node *n)
{
	const char *project = run->ctx.roots.dir[PB_ROOT_PROJECT];
	char tree[SHOWN], name[SHOWN], rule[EXPLAIN_RULE_CAP];
	bool whole = project && strcmp(n->path, project) == 0;
	struct stat st;

	below(n->path, project, tree);
	fprintf(out, "polrun: %s is read-only because %s %s: %s; ", whole ? "the project" : tree,
		below(n->forced_name, project, name), state_of(n->forced_name),
		explain_rule(run->bundle, n->forced_by, rule));
	if (lstat(n->forced_name, &st) == 0)
		fputs("put a file or a directory there", out);
	else
		fputs("create it", out);
	fprintf(out, ", or let a folder be written by its name: allow write \"%s/FOLDER\"\n",
		whole ? "${PROJECT_DIR}" : tree);
}

void read_only_say(FILE *out, const struct sandbox_run *run, const struct sandbox_view *v)
{
	size_t told = 0, more = 0;

	for (size_t i = 0; i < v->n; i++) {
		if (!is_told(&v->nodes[i]))
			continue;
		if (told++ < MOST)
			say_one(out, run, &v->nodes[i]);
		else
			more++;
	}
	if (more)
		fprintf(out, "polrun: %zu more trees are read-only for such reasons: see --plan\n",
			more);
}

void read_only_list(struct json *j, const struct sandbox_run *run, const struct sandbox_view *v)
{
	char text[SHOWN];

	json_array(j, "read_only");
	for (size_t i = 0; v && run && i < v->n; i++) {
		const struct sandbox_node *n = &v->nodes[i];

		/* what git reads in repositories below the project is the floor's in every run */
		if (!n->forced_ro || n->source || bundle_is_floor(run->bundle, n->forced_by))
			continue;
		json_object(j, NULL);
		io_escape(text, sizeof(text), n->path, strlen(n->path));
		json_cstr(j, "path", text);
		if (n->forced_name)
			io_escape(text, sizeof(text), n->forced_name, strlen(n->forced_name));
		json_cstr(j, "because_of", n->forced_name ? text : NULL);
		report_rule(j, "rule", run->bundle, n->forced_by);
		json_object_end(j);
	}
	json_array_end(j);
}
