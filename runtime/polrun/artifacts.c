/* Decides what differs between two looks at a tree. */
#include "runtime/polrun/artifacts.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"
#include "runtime/sandbox/view_host.h"
#include "runtime/stage/stage_stat.h"
#include "runtime/stage/stage_walk.h"

struct name {
	char *path; /* from the top of the tree; "": the top */
	struct effect_look look;
};

struct names {
	struct name *v;
	size_t n, cap;
};

struct artifact_tree {
	int top;
	char *at; /* inside */
	bool nested; /* other places of the view lie in it */
	bool lost;   /* not all of it was seen before the run */
	struct names before;
};

static void release(struct names *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->v[i].path);
	free(l->v);
	*l = (struct names){ .n = 0 };
}

/* --- one look ---------------------------------------------------------------------------- */

struct look {
	struct artifacts *a;
	const struct artifact_tree *tree;
	struct names *to;
	size_t room;
};

static void cut(struct artifacts *a, const char *at, const char *path, const char *why)
{
	char shown[200], whole[PATH_MAX + 2];

	if (a->cut[0])
		return;
	(void)snprintf(whole, sizeof(whole), "%s%s%s", at, path[0] ? "/" : "", path);
	io_escape(shown, sizeof(shown), whole, strlen(whole));
	(void)snprintf(a->cut, sizeof(a->cut), "%s: %s", shown, why);
}

static bool is_place(const struct look *l, const char *path)
{
	const struct sandbox_node *n;
	char whole[2 * PATH_MAX];

	if (!l->tree->nested || !path[0])
		return false;
	(void)snprintf(whole, sizeof(whole), "%s/%s", l->tree->at, path);
	n = sandbox_view_find(l->a->view, whole);
	return n && !n->noted && strcmp(n->path, whole) == 0;
}

static int meet(void *arg, const struct stage_found *f)
{
	struct look *l = arg;
	struct names *to = l->to;

	if (is_place(l, f->path))
		return STAGE_SKIP;
	if (f->closed)
		cut(l->a, l->tree->at, f->path,
		    f->closed == -EXDEV ? "something is mounted there" : "cannot be looked into");
	if (f->closed == -EXDEV)
		return STAGE_SKIP;
	if (!l->room--)
		return -E2BIG;
	if (to->n == to->cap) {
		size_t cap = to->cap ? 2 * to->cap : 256;
		struct name *v = reallocarray(to->v, cap, sizeof(*v));

		if (!v)
			return -ENOMEM;
		to->v = v;
		to->cap = cap;
	}
	to->v[to->n] = (struct name){ strdup(f->path), effect_look_of(&f->st) };
	return to->v[to->n++].path ? 0 : -ENOMEM;
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct name *)a)->path, ((const struct name *)b)->path);
}

/* A single file is a tree of one name. */
static int look(struct artifacts *a, const struct artifact_tree *t, struct names *to, size_t *room)
{
	struct look l = { a, t, to, *room };
	struct stat st;
	int r;

	if (fstat(t->top, &st) != 0)
		return -errno;
	if (S_ISDIR(st.st_mode)) {
		r = stage_walk(t->top, meet, &l);
	} else {
		const struct stage_found f = { .dir = t->top, .name = "", .path = "", .st = st };

		r = meet(&l, &f);
	}
	*room = l.room;
	/* a name without a path would not compare */
	while (to->n && !to->v[to->n - 1].path)
		to->n--;
	if (r < 0)
		cut(a, t->at, "", r == -E2BIG ? "there are too many names" : strerror(-r));
	if (to->n)
		qsort(to->v, to->n, sizeof(*to->v), by_path);
	return r;
}

/* --- before and after ---------------------------------------------------------------------- */

static int add_tree(struct artifacts *a, const struct sandbox_node *n)
{
	struct artifact_tree *t = &a->v[a->n];

	*t = (struct artifact_tree){ .top = fcntl(n->pin_fd, F_DUPFD_CLOEXEC, 3) };
	if (t->top < 0)
		return -errno;
	a->n++;
	t->at = strdup(n->path);
	if (!t->at)
		return -ENOMEM;
	for (size_t i = 0; i < a->view->n && !t->nested; i++)
		t->nested = &a->view->nodes[i] != n && view_below(a->view->nodes[i].path, n->path);
	return 0;
}

int artifacts_begin(struct artifacts *a, const struct sandbox_view *view)
{
	size_t room = ARTIFACTS_MOST;
	int r = 0;

	artifacts_release(a);
	a->view = view;
	a->v = calloc(view->n + 1, sizeof(*a->v));
	if (!a->v)
		return -ENOMEM;
	a->self = sys_open("/proc/self/fd", O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
	if (a->self < 0)
		return -errno;
	for (size_t i = 0; i < view->n && r == 0; i++) {
		const struct sandbox_node *n = &view->nodes[i];

		if (!sandbox_node_writes_itself(n) || n->pin_fd < 0)
			continue;
		r = add_tree(a, n);
		if (r == 0) /* what is not searched is said (cut) */
			a->v[a->n - 1].lost =
				look(a, &a->v[a->n - 1], &a->v[a->n - 1].before, &room) < 0;
	}
	return r;
}

/* A FIFO must not make polrun wait. */
static int open_for_digest(const struct artifacts *a, const struct artifact_tree *t,
			   const char *path)
{
	const int flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
	struct open_how how = { .flags = (unsigned)flags };
	char number[16];

	if (path[0])
		return sys_open_beneath(t->top, path, flags | O_NOFOLLOW, STAGE_RESOLVE);
	(void)snprintf(number, sizeof(number), "%d", t->top);
	return sys_openat2(a->self, number, &how);
}

static void digest(const struct artifacts *a, const struct artifact_tree *t, const char *path,
		   struct effect *it)
{
	AUTO_CLOSE int fd = open_for_digest(a, t, path);
	struct stat st;

	it->digested = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
		       stage_digest_fd(fd, it->digest) == 0;
}

static void put(const struct artifacts *a, const struct artifact_tree *t, struct effects *e,
		const char *path, const struct effect_look *before, const struct effect_look *after)
{
	const struct effect change = { .before = *before, .after = *after };
	char whole[2 * PATH_MAX];
	struct effect *it;

	if (effect_op_of(&change) == EFFECT_NONE)
		return;
	(void)snprintf(whole, sizeof(whole), "%s%s%s", t->at, path[0] ? "/" : "", path);
	it = effects_put(e, whole, before, after);
	if (it && e->digest && S_ISREG(after->mode))
		digest(a, t, path, it);
}

static void compare(const struct artifacts *a, const struct artifact_tree *t,
		    const struct names *now, struct effects *e)
{
	static const struct effect_look nothing;
	const struct names *was = &t->before;
	size_t i = 0, j = 0;

	while (i < was->n || j < now->n) {
		int c = i == was->n ? 1 : j == now->n ? -1 : strcmp(was->v[i].path, now->v[j].path);

		if (c < 0)
			put(a, t, e, was->v[i].path, &was->v[i].look, &nothing);
		else if (c > 0)
			put(a, t, e, now->v[j].path, &nothing, &now->v[j].look);
		else
			put(a, t, e, was->v[i].path, &was->v[i].look, &now->v[j].look);
		i += c <= 0;
		j += c >= 0;
	}
}

void artifacts_end(struct artifacts *a, struct effects *e)
{
	size_t room = ARTIFACTS_MOST;

	for (size_t i = 0; i < a->n; i++) {
		struct names now = { .n = 0 };

		/* half a look would make of the rest what has gone */
		if (!a->v[i].lost && look(a, &a->v[i], &now, &room) == 0)
			compare(a, &a->v[i], &now, e);
		release(&now);
	}
}

void artifacts_release(struct artifacts *a)
{
	for (size_t i = 0; i < a->n; i++) {
		release(&a->v[i].before);
		free(a->v[i].at);
		(void)close(a->v[i].top);
	}
	if (a->v && a->self >= 0)
		(void)close(a->self);
	free(a->v);
	*a = (struct artifacts){ .n = 0 };
}
