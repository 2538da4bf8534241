/* Finds the wall that a name is, by the host's name of both. */
#include "runtime/supervise/stays.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/broker/broker.h"

static int by_host(const void *a, const void *b)
{
	return strcmp(((const struct stays_name *)a)->host, ((const struct stays_name *)b)->host);
}

static int add_name(struct stays *s, const struct sandbox_wall *w)
{
	char buf[PATH_MAX];
	const char *host = sandbox_view_host(s->view, w->path, buf, sizeof(buf));

	/* what has no such name is not reached by one either */
	if (!host)
		return 0;
	s->v[s->n] = (struct stays_name){ strdup(host), w };
	return s->v[s->n++].host ? 0 : -ENOMEM;
}

/* Adds TOP/DIR/.git, with the rule by which git's names are kept: the folder need not be a repository. */
static int add_mark(struct stays *s, const char *top, const char *dir, size_t n)
{
	const struct sandbox_view *view = s->view;
	struct sandbox_wall *m = &s->marks[s->nmarks];
	char path[PATH_MAX], buf[PATH_MAX];
	const char *host;
	struct stat st;

	if (s->git_rule == BROKER_NO_RULE ||
	    snprintf(path, sizeof(path), "%s%s%.*s/.git", top, n ? "/" : "", (int)n, dir) >= (int)sizeof(path))
		return 0;
	host = sandbox_view_host(view, path, buf, sizeof(buf));
	if (!host || lstat(host, &st) != 0)
		return 0;
	*m = (struct sandbox_wall){ .kind = SANDBOX_WALL_NAME, .rule = s->git_rule,
				    .path = strdup(path) };
	s->nmarks++;
	return m->path ? add_name(s, m) : -ENOMEM;
}

static int add_marks_of(struct stays *s, const struct sandbox_tree *tree)
{
	int r = tree->path ? add_mark(s, tree->path, "", 0) : 0;

	for (size_t i = 0; tree->path && i < tree->repos.n && r == 0; i++) {
		const struct repo_item *it = &tree->repos.v[i];

		if (it->kind == REPO_DOT_GIT && repo_project(it))
			r = add_mark(s, tree->path, it->path, repo_project(it));
	}
	return r;
}

int stays_init(struct stays *s, const struct sandbox_view *view, uint32_t git_rule)
{
	size_t most = 1 + view->project.repos.n;
	int r = 0;

	*s = (struct stays){ .view = view, .git_rule = git_rule };
	for (size_t i = 0; i < view->ntrees; i++)
		most += 1 + view->trees[i].repos.n;
	s->v = calloc(view->nwalls + most, sizeof(*s->v));
	s->marks = calloc(most, sizeof(*s->marks));
	if (!s->v || !s->marks)
		return -ENOMEM;
	for (size_t i = 0; i < view->nwalls && r == 0; i++)
		r = add_name(s, &view->walls[i]);
	if (r == 0)
		r = add_marks_of(s, &view->project);
	for (size_t i = 0; i < view->ntrees && r == 0; i++)
		r = add_marks_of(s, &view->trees[i]);
	if (r == 0)
		qsort(s->v, s->n, sizeof(*s->v), by_host);
	return r;
}

void stays_release(struct stays *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->v[i].host);
	for (size_t i = 0; i < s->nmarks; i++)
		free(s->marks[i].path);
	free(s->marks);
	free(s->v);
	*s = (struct stays){ 0 };
}

const struct sandbox_wall *stays_at(const struct stays *s, const char *path)
{
	char buf[PATH_MAX];
	struct stays_name key = { 0 };
	const struct stays_name *found;
	const char *host = s->n ? sandbox_view_host(s->view, path, buf, sizeof(buf)) : NULL;

	if (!host)
		return NULL;
	key.host = (char *)(uintptr_t)host;
	found = bsearch(&key, s->v, s->n, sizeof(*s->v), by_host);
	return found ? found->wall : NULL;
}
