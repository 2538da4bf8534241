/* Decides what a run has left that somebody should look at. */
#include "runtime/polrun/left.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"
#include "runtime/sandbox/view_host.h"
#include "runtime/state/state_dir.h"

/* lines about one run, and of them about unknown names; the list has the rest */
enum { MAX_LINES = 20, MAX_UNKNOWN = 5 };

static void shown_project(const char *project, char out[600])
{
	io_escape(out, 600, project, strlen(project));
}

/* True if the run could write anything below the project. */
static bool can_leave(const struct sandbox_view *v, const char *project)
{
	size_t n = strlen(project);
	const struct sandbox_node *top = sandbox_view_find(v, project);

	if (top && (top->ops & PB_WRITE) && !top->scratch)
		return true;
	for (size_t i = 0; i < v->n; i++)
		if (!strncmp(v->nodes[i].path, project, n) && v->nodes[i].path[n] == '/' &&
		    (v->nodes[i].ops & PB_WRITE) && !v->nodes[i].scratch)
			return true;
	return false;
}

static const char *may_appear(const void *arg, size_t i)
{
	const struct sandbox_view *v = arg;

	return i < v->ncreatable ? v->creatable[i].path : NULL;
}

/* --- before ------------------------------------------------------------------------ */

static void say_not_kept(const struct repo_list *repos, const char *dir, FILE *out)
{
	char path[600];

	if (!repos->cut && !repos->failed)
		return;
	shown_project(dir, path);
	fprintf(out, "polrun: not all of %s was searched for repositories (%s): what the "
		     "configurations of those below that were not found name is not kept as it is\n",
		path, repos->cut ? "it is too large" : "a folder cannot be looked at");
}

static void begin_trees(struct left *l, const struct sandbox_view *view, FILE *out)
{
	l->tree = calloc(view->ntrees + 1, sizeof(*l->tree));
	for (size_t i = 0; i < view->ntrees; i++) {
		const struct sandbox_tree *t = &view->trees[i];

		say_not_kept(&t->repos, t->path, out);
		if (!l->tree)
			continue;
		l->tree[l->ntrees++] = sys_open(t->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	}
}

/* Prints one line, whatever is waiting: the list has its own verb. */
static void say_waiting(const struct left_store *s, const char *project, FILE *out)
{
	uint64_t n = s->nbad;
	char path[600];

	/* an unknown name is said once, since most are harmless: the list has them until they
	 * are acknowledged */
	for (size_t i = 0; i < s->npiles; i++) {
		n += s->pile[i].more;
		for (size_t k = 0; k < s->pile[i].n; k++)
			n += s->pile[i].v[k].kind != LEFT_UNKNOWN;
	}
	if (!n)
		return;
	shown_project(project, path);
	fprintf(out, "polrun: %" PRIu64 " %s that runs have left in %s %s to be looked at: see "
		     "polquery left list\n", n, n == 1 ? "thing" : "things", path,
		n == 1 ? "waits" : "wait");
}

static int make_record(struct left *l, struct left_store *s, const struct sandbox_view *view,
		       struct rt_err *err)
{
	const struct left_before before = { &view->project.repos, may_appear, view };
	int r;

	l->fd = left_store_create(s, l->project);
	r = l->fd < 0 ? l->fd : left_record_begin(l->fd, l->project, &before);
	if (r == 0)
		return 0;
	/* half a record would look like one of a run that found nothing before it began */
	if (l->fd >= 0) {
		(void)!ftruncate(l->fd, 0);
		(void)close(l->fd);
	}
	l->fd = -1;
	return rt_fail_errno(err, -r, "'%s'", s->shown);
}

static int open_record(struct left *l, struct left_store *s, bool can,
		       const struct sandbox_view *view, FILE *out, struct rt_err *err)
{
	int r = left_store_load(s, l->project, err);

	for (size_t i = 0; i < s->npiles && r == 0; i++)
		r = left_store_save(s, &s->pile[i], err);
	say_waiting(s, l->project, out);
	return r == 0 && can ? make_record(l, s, view, err) : r;
}

void left_begin(struct left *l, const char *dir, const char *project, const struct bundle *b,
		const struct sandbox_view *view, FILE *out)
{
	const bool can = can_leave(view, project) || view->ntrees;
	struct rt_err err = { 0 };
	struct left_store s;
	int r = 0;

	*l = (struct left){ .project = project, .can = can, .top = -1, .fd = -1,
			    .found = { .project = strdup(project) },
			    .incomplete = LEFT_KINDS };
	if (can) {
		say_not_kept(&view->project.repos, project, out);
		begin_trees(l, view, out);
		l->top = sys_open(project, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
		if (l->top >= 0)
			new_names_begin(&l->names, b, l->top);
		r = l->found.project ? state_dir_make(dir, &err) :
				       rt_fail(&err, ENOMEM, "out of memory");
	}
	if (r == 0) {
		r = left_store_open(dir, &s, &err);
		if (r == 0)
			r = open_record(l, &s, can, view, out, &err);
		left_store_release(&s);
	}
	if (r == -ENOENT && !can)
		return; /* no run has left anything yet */
	if (r < 0)
		fprintf(out, "polrun: what %s: %s\n",
			can ? "this run leaves will not be remembered" :
			      "runs have left here cannot be told", err.text);
}

/* --- after ------------------------------------------------------------------------- */

static void add_found_in(struct left *l, const char *dir, enum left_kind kind, const char *below,
			 int64_t when)
{
	char path[2 * PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s%s%s", dir, below[0] ? "/" : "", below);
	left_pile_add(&l->found, kind, path, when, false);
}

static void add_found(struct left *l, enum left_kind kind, const char *below, int64_t when)
{
	add_found_in(l, l->project, kind, below, when);
}

/* Does the name lie in a repository that is new, or is it one?  That is named as a whole. */
static bool in_new_repo(const struct repo_list *now, const struct repo_list *before,
			const char *name)
{
	for (size_t i = 0; i < now->n; i++) {
		const char *path = now->v[i].path, *slash = strrchr(path, '/');
		size_t n = now->v[i].kind == REPO_BARE ? strlen(path) :
			   (now->v[i].kind == REPO_DOT_GIT || now->v[i].kind == REPO_GIT_FILE) && slash ?
				   (size_t)(slash - path) : 0;

		if (strcmp(name, path) == 0 || (n && strncmp(name, path, n) == 0 && name[n] == '/' &&
						!repo_has(before, now->v[i].kind, path)))
			return true;
	}
	return false;
}

static void look_at_names(struct left *l, const struct repo_list *now,
			  const struct repo_list *before, int64_t when)
{
	struct name_list unknown = { .v = NULL };

	for (size_t i = 0; i < l->names.known.n; i++)
		if (!in_new_repo(now, before, l->names.known.v[i]))
			add_found(l, LEFT_WRITTEN, l->names.known.v[i], when);
	new_names_end(&l->names, l->top, &unknown);
	for (size_t i = 0; i < unknown.n; i++)
		add_found(l, LEFT_UNKNOWN, unknown.v[i], when);
	l->names_cut = l->names.known.cut || unknown.cut;
	name_list_release(&unknown);
}

/* How did the search after the run end?  LEFT_KINDS: it was complete. */
static enum left_kind how_it_ended(int r, const struct repo_list *now, const struct repo_list *before)
{
	if (r < 0)
		return LEFT_FAILED;
	if (now->cut)
		return LEFT_CUT;
	return now->failed || now->closed > before->closed ? LEFT_CLOSED : LEFT_KINDS;
}

static bool is_as_before(enum left_kind how, const struct repo_list *now,
			 const struct repo_list *before)
{
	return (how == LEFT_CUT && before->cut) ||
	       (how == LEFT_CLOSED && now->failed <= before->failed && now->closed <= before->closed);
}

/* Looks for names of the floor that are new at the top of the projects that another tree of the host had before the
 * run. */
static void look_at_projects(struct left *l, int fd, const struct sandbox_tree *tree, int64_t when)
{
	char dir[PATH_MAX], path[PATH_MAX], whole[2 * PATH_MAX];

	for (size_t i = 0; i < tree->repos.n && fd >= 0; i++) {
		const struct repo_item *it = &tree->repos.v[i];
		const size_t n = repo_project(it);

		/* the search tells the .git of a folder, and its .pol right after it */
		if (i && it->kind == REPO_POLICY && n == repo_project(it - 1) &&
		    strncmp(it->path, it[-1].path, n) == 0)
			continue;
		/* it makes no folder a project */
		if ((!n && (strchr(it->path, '/') || it->path[0] != '.')) || n >= sizeof(dir))
			continue;
		(void)snprintf(dir, sizeof(dir), "%.*s", (int)n, it->path);
		(void)snprintf(whole, sizeof(whole), "%s%s%s", tree->path, n ? "/" : "", dir);
		/* what the project has is told by the names of its own */
		if (view_at(whole, l->project))
			continue;
		for (size_t k = 0; k < l->names.nfloor; k++)
			if (new_names_changed(&l->names, k, fd, dir, path))
				add_found_in(l, tree->path, LEFT_WRITTEN, path, when);
	}
}

/* Looks for what git goes on with later in the repositories of such a tree, those that are new included. */
static void look_at_git_states(struct left *l, int fd, const struct sandbox_tree *tree, const struct repo_list *now,
			       int64_t when)
{
	char path[PATH_MAX];

	for (size_t i = 0; i < now->n && fd >= 0; i++) {
		const struct repo_item *it = &now->v[i];

		if (it->kind == REPO_GIT_FILE || it->kind == REPO_POLICY)
			continue;
		for (size_t k = 0; k < new_names_git_states(); k++)
			if (new_names_git_state(&l->names, k, fd, it->path, path))
				add_found_in(l, tree->path, LEFT_WRITTEN, path, when);
	}
}

static void add_links(struct left *l, const char *dir, struct new_links *links, const struct repo_list *now,
		      const struct repo_list *before, int64_t when)
{
	for (size_t i = 0; i < links->found.n; i++)
		if (!in_new_repo(now, before, links->found.v[i]))
			add_found_in(l, dir, LEFT_LINK, links->found.v[i], when);
	l->names_cut |= links->found.cut;
	name_list_release(&links->found);
}

/* Looks for repositories that are new in another tree of the host that the run could write. */
static void look_at_tree(struct left *l, int fd, const struct sandbox_tree *tree, int64_t when,
			 FILE *out)
{
	const struct repo_list *before = &tree->repos;
	struct left_item how = { .path = tree->path };
	struct repo_list now = { .v = NULL };
	char text[LEFT_TEXT];
	struct new_links links = { .names = &l->names, .top = fd };
	const struct repo_meets meets = { .link = new_links_meet, .link_arg = &links };
	/* nothing was there before: then the run cannot write there either */
	int r = fd < 0 ? 0 : repo_find_each(fd, tree->top, &meets, &now);

	for (size_t i = 0; i < now.n; i++) {
		char path[2 * PATH_MAX];

		(void)snprintf(path, sizeof(path), "%s/%s", tree->path, now.v[i].path);
		/* what the search before did not reach need not be new */
		if (!before->cut && !repo_has(before, now.v[i].kind, now.v[i].path) &&
		    !view_at(path, l->project))
			add_found_in(l, tree->path, (enum left_kind)(LEFT_REPO + now.v[i].kind),
				     now.v[i].path, when);
	}
	look_at_projects(l, fd, tree, when);
	look_at_git_states(l, fd, tree, &now, when);
	add_links(l, tree->path, &links, &now, before, when);
	how.kind = how_it_ended(r, &now, before);
	if (how.kind != LEFT_KINDS) {
		left_say(&how, text);
		fprintf(out, "polrun: %s\n", text);
		if (!is_as_before(how.kind, &now, before))
			left_pile_add(&l->found, how.kind, tree->path, when, false);
	}
	repo_release(&now);
}

static void look_after(struct left *l, const struct sandbox_view *view, int64_t when)
{
	struct repo_list now = { .v = NULL };
	struct new_links links = { .names = &l->names, .top = l->top };
	const struct repo_meets meets = { new_names_meet, &l->names, new_links_meet, &links };
	int r = l->top < 0 || !l->found.project ?
			-EBADF :
			repo_find_each(l->top, REPO_TOP_PROJECT, &meets, &now);

	for (size_t i = 0; i < now.n; i++)
		if (!repo_has(&view->project.repos, now.v[i].kind, now.v[i].path))
			add_found(l, (enum left_kind)(LEFT_REPO + now.v[i].kind), now.v[i].path, when);
	if (r == 0)
		look_at_names(l, &now, &view->project.repos, when);
	add_links(l, l->project, &links, &now, &view->project.repos, when);
	l->incomplete = how_it_ended(r, &now, &view->project.repos);
	l->as_before = is_as_before(l->incomplete, &now, &view->project.repos);
	repo_release(&now);
}

static void say_found(const struct left *l, size_t from, FILE *out)
{
	size_t shown = 0, unknown = 0, n = l->found.n - from;
	char text[LEFT_TEXT];
	uint64_t more;

	/* if nothing is remembered there is no list to show the rest */
	for (size_t i = from; i < l->found.n; i++) {
		unknown += l->found.v[i].kind == LEFT_UNKNOWN;
		if (l->fd >= 0 && (shown == MAX_LINES ||
				   (l->found.v[i].kind == LEFT_UNKNOWN && unknown > MAX_UNKNOWN)))
			continue;
		left_say(&l->found.v[i], text);
		fprintf(out, "polrun: %s\n", text);
		shown++;
	}
	more = n - shown + l->found.more;
	if (more)
		fprintf(out, "polrun: and %" PRIu64 " more have appeared%s\n", more,
			shown < n ? ": see polquery left list" : "");
}

void left_end(struct left *l, const struct sandbox_view *view, const size_t *which,
	      size_t n, FILE *out)
{
	struct left_item how = { .path = (char *)(uintptr_t)l->project };
	int64_t when = time(NULL);
	char text[LEFT_TEXT];
	size_t named;
	int r;

	if (!l->can)
		return;
	for (size_t i = 0; i < n && l->found.project; i++)
		left_pile_add(&l->found, LEFT_NAME, view->creatable[which[i]].path, when, false);
	named = l->found.n;
	look_after(l, view, when);
	for (size_t i = 0; i < l->ntrees; i++)
		look_at_tree(l, l->tree[i], &view->trees[i], when, out);
	say_found(l, named, out);
	if (l->names_cut)
		fprintf(out, "polrun: not all new names in the project were looked at: there are too many\n");
	if (l->incomplete != LEFT_KINDS) {
		how.kind = l->incomplete;
		left_say(&how, text);
		fprintf(out, "polrun: %s\n", text);
		/* if the search before the run failed as well, each later run reports
		 * that when it begins */
		if (!l->as_before && l->found.project)
			left_pile_add(&l->found, how.kind, l->project, when, false);
	}
	if (l->fd >= 0 && (r = left_record_end(l->fd, &l->found)) < 0)
		fprintf(out, "polrun: what this run has left is not remembered: %s\n",
			strerror(-r));
}

void left_cancel(struct left *l)
{
	/* the next reader removes an empty record; one that stays is only looked at
	 * in vain */
	if (l->fd >= 0)
		(void)!ftruncate(l->fd, 0);
}

void left_release(struct left *l)
{
	left_pile_release(&l->found);
	new_names_release(&l->names);
	if (l->top >= 0)
		(void)close(l->top);
	for (size_t i = 0; i < l->ntrees; i++)
		if (l->tree[i] >= 0)
			(void)close(l->tree[i]);
	free(l->tree);
	if (l->fd >= 0)
		(void)close(l->fd);
	*l = (struct left){ .top = -1, .fd = -1 };
}
