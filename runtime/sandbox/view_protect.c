/*
 * Which names a run may not write, whatever the rules say, because somebody outside of
 * the sandbox or the next run trusts what they hold.
 */
#include "runtime/sandbox/view_protect.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "runtime/base/io.h"
#include "runtime/sandbox/view_anchor.h"
#include "runtime/sandbox/view_git.h"
#include "runtime/sandbox/view_host.h"
#include "runtime/sandbox/view_names.h"
#include "runtime/sandbox/view_nested.h"

/* The rule of the floor for a name below a root, or VIEW_NO_RULE. */
static uint32_t floor_rule(const struct view_builder *b, const char *root, const char *name)
{
	for (size_t i = 0; i < b->in->n; i++) {
		const struct view_anchor *a = &b->in->anchors[i];

		if ((a->flags & PB_AF_FLOOR) && a->path && root &&
		    view_below(a->path, root) && !strcmp(a->path + strlen(root), name))
			return a->rule;
	}
	return VIEW_NO_RULE;
}

/* Keeps a name of the host from being written, with this rule.  What is no directory, or is absent,
 * has nothing below it (`whole` is false then). */
static int keep(struct view_builder *b, const char *path, uint32_t rule, bool whole)
{
	const struct view_anchor a = { .path = (char *)(uintptr_t)path, .kind = PB_A_PATH,
				       .effect = PB_DENY, .ops = PB_WRITE, .rule = rule,
				       .flags = PB_AF_FLOOR | VIEW_AF_FORCE |
						(whole ? 0 : VIEW_AF_FILE) };

	return view_add_anchor(b, &a);
}

/*
 * Protects names in the user's home.  A run may want to write them in a home of its own
 * (git config --global, pip install --user), so no rule for the scope sandbox mentions
 * them.  They are protected if a rule allows writing to the folder that holds them, but
 * not if a rule names them.
 */
static int add_home(struct view_builder *b)
{
	static const struct {
		const char *dir, *name;
	} names[] = {
#define KEPT(...)
#define KEPT_TOLD(...)
#define KEPT_HOST(in, last) { in, last },
#include "kept_names.def"
#undef KEPT
#undef KEPT_HOST
#undef KEPT_TOLD
	};
	const char *home = b->in->home;
	uint32_t rule = floor_rule(b, home, "/.bashrc");
	int r = 0;

	if (rule == VIEW_NO_RULE)
		return 0;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && r == 0; i++) {
		char path[4200];

		if (snprintf(path, sizeof(path), "%s%s", home, names[i].dir) >= 4096 ||
		    view_may_write(b->in, path) != VIEW_ALLOW)
			continue;
		if (snprintf(path, sizeof(path), "%s%s%s", home, names[i].dir,
			     names[i].name) >= 4096)
			continue;
		/* an absent name may still be created; the report names it */
		r = keep(b, path, rule, view_is_dir(b->in->prefix, path));
	}
	return r;
}

/* Adds one name of the host that is kept as the floor's `rule` keeps a name of the project. */
static int put_kept_name(struct view_builder *b, const char *path, uint32_t rule)
{
	struct sandbox_git *grown = reallocarray(b->out->git, b->out->ngit + 1, sizeof(*grown));
	struct sandbox_git *g;

	if (!grown)
		return rt_fail(b->err, ENOMEM, "out of memory");
	b->out->git = grown;
	g = &grown[b->out->ngit++];
	*g = (struct sandbox_git){ .path = strdup(path), .rule = rule,
				   .hooks = view_is_dir(b->in->prefix, path) };
	return g->path ? keep(b, g->path, rule, g->hooks) : rt_fail(b->err, ENOMEM, "out of memory");
}

/* Does the item make the top of the tree a project? */
static bool is_top_project(const struct sandbox_tree *tree, const struct repo_item *it)
{
	return tree->top == REPO_TOP_TREE && (it->kind == REPO_DOT_GIT || it->kind == REPO_GIT_FILE ||
					      it->kind == REPO_POLICY);
}

/*
 * Protects what exists of the floor's names at the top of each other project in a tree: a folder
 * with a .git or a .pol.  Somebody works there as well, with the same editors, agents and polrun.
 * What a run makes there is told afterwards.
 */
static int add_other_projects(struct view_builder *b, const struct sandbox_tree *tree)
{
	const char *project = b->in->project, *top = tree->path;
	char path[4200], at[8300];
	struct stat st;

	for (size_t i = 0; i < tree->repos.n; i++) {
		const struct repo_item *it = &tree->repos.v[i];
		const int n = (int)repo_project(it);

		if (b->in->is_own && snprintf(path, sizeof(path), "%s/%s", project, it->path) < 4096 &&
		    b->in->is_own(b->in->is_own_arg, path))
			continue;
		/* the search tells the .git of a folder, and its .pol right after it */
		if (i && n == (int)repo_project(it - 1) && !strncmp(it->path, it[-1].path, (size_t)n) &&
		    (n || is_top_project(tree, it - 1)))
			continue;
		if (snprintf(path, sizeof(path), "%s/%.*s", top, n, it->path) >= 4096 ||
		    (tree->top != REPO_TOP_PROJECT && view_at(path, project)) ||
		    (!n && !is_top_project(tree, it)))
			continue;
		for (size_t k = 0; k < b->in->n; k++) {
			const struct view_anchor *a = &b->in->anchors[k];
			int r;

			if (!(a->flags & PB_AF_FLOOR) || !a->path || a->kind != PB_A_PATH ||
			    a->effect != PB_DENY || !view_below(a->path, project) ||
			    a->path[strlen(project)] != '/' ||
			    snprintf(path, sizeof(path), "%s%s%.*s%s", top, n ? "/" : "",
				     n, it->path, a->path + strlen(project)) >= 4096)
				continue;
			(void)snprintf(at, sizeof(at), "%s%s", b->in->prefix, path);
			if (fstatat(AT_FDCWD, at, &st, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT)
				continue;
			r = put_kept_name(b, path, a->rule);
			if (r < 0)
				return r;
		}
	}
	return 0;
}

/* A tree of the host that a rule shows lies nearer than the run's own around it (`above`). */
static bool is_own_at(const struct view_place *p, bool above)
{
	return p->wanted.private_ || (above && !p->wanted.named);
}

/* Does the run have a tree of its own around this name, so that what it writes there is not what the
 * host has? */
static bool is_in_own_tree(const struct view_builder *b, const char *path)
{
	struct view_upwards at = { 0 };
	const struct view_place *p;
	bool own = false;

	for (size_t i = 0; i < b->in->nmounts; i++)
		if (view_at(path, b->in->mounts[i].host))
			return false;
	while ((p = view_places_above(b, path, &at)))
		own = is_own_at(p, own);
	p = view_place_find(b, path);
	return p ? is_own_at(p, own) : own;
}

static bool may_change(const struct view_builder *b, const char *path)
{
	return view_may_write(b->in, path) == VIEW_ALLOW && !is_in_own_tree(b, path);
}

/* Could the run write to the path, to one of its links, or to what they lead to? */
static int within_reach(const struct view_builder *b, const char *path, bool *ret)
{
	struct view_link *links;
	char real[4096];
	size_t n;
	int r = view_resolve(b->in->prefix, path, real, &links, &n);

	*ret = may_change(b, path);
	for (size_t i = 0; i < n && r == 0; i++)
		*ret |= may_change(b, links[i].path);
	free(links);
	if (r < 0)
		return rt_fail_errno(b->err, -r, "%s", path);
	*ret |= may_change(b, real);
	return 0;
}

/* Keeps the names of git's from the n-th on, with the ids of the rules for .git/hooks and
 * .git/config. */
static int keep_git(struct view_builder *b, size_t n)
{
	uint32_t hooks = floor_rule(b, b->in->project, "/.git/hooks");
	uint32_t config = floor_rule(b, b->in->project, "/.git/config");
	int r = 0;

	for (; n < b->out->ngit && r == 0; n++) {
		struct sandbox_git *g = &b->out->git[n];
		bool reach = true;

		g->rule = g->hooks || config == VIEW_NO_RULE ? hooks : config;
		if (g->stays) {
			/* view_walls() adds its wall, where the broker makes the calls */
			if (may_change(b, g->path))
				r = view_mark_above(b, g->path, g->rule, VIEW_ABOVE_HERE);
			continue;
		}
		if (g->maybe)
			r = within_reach(b, g->path, &reach);
		if (r == 0 && reach)
			r = keep(b, g->path, g->rule, g->hooks);
	}
	return r;
}

/* Searches a tree, and keeps what git would take commands from there. */
static int search_tree(struct view_builder *b, struct sandbox_tree *tree, unsigned ms)
{
	size_t n = b->out->ngit;
	int r = view_nested_paths(b->in, tree, ms, &b->out->git, &b->out->ngit, b->err);

	return r == 0 ? keep_git(b, n) : r;
}

/* --- other trees of the host ----------------------------------------------------------- */

/* Does the rule make a tree of the host writable that is to be searched? */
static bool is_tree_rule(const struct view_builder *b, const struct view_anchor *a)
{
	return a->kind == PB_A_PATH && a->path && a->effect == PB_ALLOW && (a->ops & PB_WRITE) &&
	       !(a->flags & PB_AF_SCRATCH) && !view_is_system(a->path) && may_change(b, a->path);
}

static bool is_in_other_rule(const struct view_builder *b, const char *path)
{
	for (size_t i = 0; i < b->in->n; i++) {
		const struct view_anchor *a = &b->in->anchors[i];

		if (a->path && a->path[1] && view_at(path, a->path) &&
		    strcmp(path, a->path) != 0 && is_tree_rule(b, a))
			return true;
	}
	return false;
}

/* Adds a directory to the trees, unless it lies in the project or in one of them. */
static int put_tree(struct view_builder *b, const char *path, bool is_git)
{
	struct sandbox_view *v = b->out;
	const char *git = strstr(path, "/.git");
	struct sandbox_tree *grown;

	/* all of the host is never searched to the end */
	if (!path[1] || view_at(path, b->in->project) || !view_is_dir(b->in->prefix, path))
		return 0;
	for (size_t i = 0; i < v->ntrees; i++)
		if (view_at(path, v->trees[i].path))
			return 0;
	grown = reallocarray(v->trees, v->ntrees + 1, sizeof(*grown));
	if (!grown)
		return rt_fail(b->err, ENOMEM, "out of memory");
	v->trees = grown;
	is_git |= git && (!git[5] || git[5] == '/');
	grown[v->ntrees] = (struct sandbox_tree){ .path = strdup(path),
						  .top = is_git ? REPO_TOP_GIT : REPO_TOP_TREE };
	return grown[v->ntrees++].path ? 0 : rt_fail(b->err, ENOMEM, "out of memory");
}

/*
 * Lists the trees of the host, other than the project, that rules let the run write.  The first
 * is the repository that the project's .git file leads to, however wide the rule is that opens it:
 * the next git of the user works there.
 */
static int list_trees(struct view_builder *b)
{
	AUTO_FREE char *common = NULL;
	int r = view_git_common(b->in, &common, b->err);

	if (r == 0 && common && may_change(b, common))
		r = put_tree(b, common, true);
	for (size_t i = 0; i < b->in->nmounts && r == 0; i++)
		if (may_change(b, b->in->mounts[i].host))
			r = put_tree(b, b->in->mounts[i].host, false);
	for (size_t i = 0; i < b->in->n && r == 0; i++) {
		const struct view_anchor *a = &b->in->anchors[i];

		if (is_tree_rule(b, a) && !is_in_other_rule(b, a->path))
			r = put_tree(b, a->path, false);
	}
	return r;
}

static unsigned ms_since(const struct timespec *begun)
{
	struct timespec now;

	if (clock_gettime(CLOCK_MONOTONIC, &now) != 0)
		return 0;
	return (unsigned)((now.tv_sec - begun->tv_sec) * 1000 +
			  (now.tv_nsec - begun->tv_nsec) / 1000000);
}

/* Has each name of a tree decided by itself, where the search has not seen all of it: what it did not find is
 * then looked at in each call (repos.h). */
static int decide_each_name(struct view_builder *b, const struct sandbox_tree *tree)
{
	const struct view_anchor a = { .path = tree->path, .kind = PB_A_WILD, .effect = PB_DENY,
				       .ops = PB_WRITE, .flags = PB_AF_FLOOR,
				       .rule = floor_rule(b, b->in->project, "/.pol") };

	if (a.rule == VIEW_NO_RULE || !(tree->repos.cut || tree->repos.closed || tree->repos.failed))
		return 0;
	return view_add_anchor(b, &a);
}

/* Searches these trees, together for no longer than the project. */
static int add_trees(struct view_builder *b)
{
	struct timespec begun = { 0 };
	int r = list_trees(b);

	(void)clock_gettime(CLOCK_MONOTONIC, &begun);
	for (size_t i = 0; i < b->out->ntrees && r == 0; i++) {
		unsigned ms = ms_since(&begun);

		r = search_tree(b, &b->out->trees[i], ms < REPO_MAX_MS ? REPO_MAX_MS - ms : 0);
		if (r == 0)
			r = add_other_projects(b, &b->out->trees[i]);
		if (r == 0)
			r = decide_each_name(b, &b->out->trees[i]);
	}
	return r;
}

static int add_git(struct view_builder *b)
{
	int r;

	if (floor_rule(b, b->in->project, "/.git/hooks") == VIEW_NO_RULE)
		return 0;
	r = view_git_paths(b->in, &b->out->git, &b->out->ngit, b->err);
	if (r == 0)
		r = keep_git(b, 0);
	b->out->project.path = strdup(b->in->project);
	if (r == 0 && !b->out->project.path)
		r = rt_fail(b->err, ENOMEM, "out of memory");
	if (r == 0)
		r = search_tree(b, &b->out->project, REPO_MAX_MS);
	if (r == 0)
		r = add_other_projects(b, &b->out->project);
	return r == 0 ? add_trees(b) : r;
}

/*
 * A mount on the name would not be enough: it is lost as soon as a process of the host
 * renames over the name (`polc compile -o`), and the next run would then rely on what
 * this one wrote.
 */
static int refuse_believed(const struct view_builder *b, const char *path)
{
	char shown[300];

	io_escape(shown, sizeof(shown), path, strlen(path));
	return rt_fail(b->err, EPERM, "%s lies where the command can write, and the next "
		       "run would believe it: keep it in .pol/extra of the project, which no run "
		       "writes, or outside of what the rules make writable",
		       shown);
}

/* Protects the run's own bundle and similar files, with the id of the rule for the
 * policy's files. */
static int add_kept(struct view_builder *b)
{
	uint32_t rule = VIEW_NO_RULE;
	int r = 0;

	for (size_t i = 0; i < b->in->n && rule == VIEW_NO_RULE; i++) {
		const struct view_anchor *a = &b->in->anchors[i];

		if ((a->flags & PB_AF_FLOOR) && a->path && !strcmp(a->path, "/etc/pol"))
			rule = a->rule;
	}
	for (size_t i = 0; i < b->in->nkept && r == 0; i++) {
		const char *path = b->in->kept[i];
		bool reach;

		r = within_reach(b, path, &reach);
		if (r == 0 && reach && i < b->in->nbelieved)
			r = refuse_believed(b, path);
		else if (r == 0 && reach)
			r = keep(b, path, rule, false);
	}
	return r;
}

int view_protect(struct view_builder *b)
{
	int r = add_git(b);

	if (r == 0)
		r = add_home(b);
	return r == 0 ? add_kept(b) : r;
}
