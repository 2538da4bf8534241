/* Words which trees are read-only although rules let them be written, and which names are absent, and why.  Decides
 * nothing: the view has the reasons. */
#include "runtime/polrun/read_only.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
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

/* --- allowed names that are absent ---------------------------------------------------- */

/* The path that a rule of the user's lets be written and that the host does not have; false: none. */
static bool is_absent(const struct sandbox_run *run, const struct pb_anchor *a, char path[PATH_MAX])
{
	const struct pb_mounts *m = run->bundle->mounts;
	const struct pb_rule *r = bundle_rule(run->bundle, a->rule);
	const char *root = a->root < PB_ROOT_COUNT ? run->ctx.roots.dir[a->root] : NULL;
	struct stat st;

	/* the library's names are for all systems; ${TMPDIR} is the run's own */
	return root && r && r->level != PB_DEFAULT && a->root != PB_ROOT_TMP && a->kind == PB_A_PATH &&
	       a->effect == PB_ALLOW && (a->ops & PB_WRITE) &&
	       !(a->flags & (PB_AF_SCRATCH | PB_AF_SOCKET)) &&
	       snprintf(path, PATH_MAX, "%s%.*s", root[1] ? root : "", (int)a->path.len,
			pb_strp(m, a->path)) < PATH_MAX &&
	       fstatat(AT_FDCWD, path[0] ? path : "/", &st, AT_NO_AUTOMOUNT) != 0 && errno == ENOENT &&
	       !view_is_system(path);
}

/* Where polrun makes the name, there is nothing to say.  In a tree of the run's own it can be
 * written, and is lost: a program would only see that its cache is always empty. */
static void say_absent(FILE *out, const struct sandbox_run *run, const struct sandbox_view *v,
		       const struct pb_anchor *a)
{
	const struct sandbox_node *n;
	char path[PATH_MAX], name[SHOWN], at[EXPLAIN_RULE_CAP], rule[EXPLAIN_RULE_CAP];

	if (!is_absent(run, a, path))
		return;
	n = sandbox_view_find(v, path);
	if (n && sandbox_node_writes(n))
		return;
	/* what a policy uses of the library is for all systems, too */
	explain_rule_at(run->bundle, a->rule, at, sizeof(at));
	if (strncmp(at, "std/", 4) == 0)
		return;
	below(path, run->ctx.roots.dir[PB_ROOT_PROJECT], name);
	fprintf(out, "polrun: %s is absent, so that %s gives nothing there: %s; make it before the run\n", name,
		explain_rule(run->bundle, a->rule, rule),
		n && n->scratch && (n->ops & PB_WRITE) ? "what is written there is lost" :
							 "it cannot be written");
}

void read_only_say(FILE *out, const struct sandbox_run *run, const struct sandbox_view *v)
{
	const struct pb_mounts *m = run->bundle->mounts;
	size_t told = 0, more = 0;

	for (uint32_t i = 0; i < m->anchors.count; i++)
		say_absent(out, run, v, pb_at(m, m->anchors, sizeof(struct pb_anchor), i));
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
