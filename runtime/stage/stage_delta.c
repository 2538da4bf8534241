/* Reads upper layers, and decides what each of their objects means. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"
#include "runtime/stage/stage_attr.h"
#include "runtime/stage/stage_entry.h"
#include "runtime/stage/stage_stat.h"
#include "runtime/stage/stage_walk.h"

/* --- the list ------------------------------------------------------------------------ */

/* Takes over the strings of `e`, also on failure. */
static int add(struct stage_delta *d, struct stage_entry *e)
{
	if (d->n == d->cap) {
		size_t cap = d->cap ? 2 * d->cap : 64;
		struct stage_entry *v = reallocarray(d->v, cap, sizeof(*v));

		if (!v) {
			free(e->path);
			free(e->target);
			return -ENOMEM;
		}
		d->v = v;
		d->cap = cap;
	}
	d->v[d->n++] = *e;
	return e->path ? 0 : -ENOMEM;
}

static int order(const void *a, const void *b)
{
	const struct stage_entry *x = a, *y = b;

	return stage_base_order(x->tree, x->path, y->tree, y->path);
}

struct stage_entry *stage_delta_get(const struct stage_delta *d, unsigned tree,
				    const char *path)
{
	struct stage_entry key = { .tree = tree, .path = (char *)(uintptr_t)path };

	return d->n ? bsearch(&key, d->v, d->n, sizeof(key), order) : NULL;
}

void stage_delta_release(struct stage_delta *d)
{
	for (size_t i = 0; i < d->n; i++) {
		free(d->v[i].path);
		free(d->v[i].target);
	}
	free(d->v);
	*d = (struct stage_delta){ .v = NULL };
}

size_t stage_above(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (size_t)(slash - path) : 0;
}

bool stage_entry_below(const struct stage_entry *e, unsigned tree, const char *path)
{
	size_t n = strlen(path);

	return e->tree == tree &&
	       (!n || (!strncmp(e->path, path, n) && (!e->path[n] || e->path[n] == '/')));
}

char *stage_entry_name(const struct stage_record *r, const struct stage_entry *e, bool outside)
{
	const struct stage_tree *t = &r->tree[e->tree];
	const char *top = outside ? t->host : t->path;
	size_t n = strlen(top), k = strlen(e->path);
	char *name = malloc(n + k + 2);

	if (!name)
		return NULL;
	memcpy(name, top, n);
	if (k)
		name[n++] = '/';
	memcpy(name + n, e->path, k + 1);
	return name;
}

/* --- reading an upper layer ------------------------------------------------------------ */

struct reading {
	const struct stage_base *base;
	struct stage_delta *to;
	unsigned tree;
};

static bool is_whiteout(const struct stat *st, const struct stage_attrs *a)
{
	return (S_ISCHR(st->st_mode) && st->st_rdev == makedev(0, 0)) ||
	       (S_ISREG(st->st_mode) && !st->st_size && a->whiteout);
}

static char *read_target(int dir, const char *name)
{
	char target[PATH_MAX];
	ssize_t n = readlinkat(dir, name, target, sizeof(target));

	return n < 0 || (size_t)n >= sizeof(target) ? NULL : strndup(target, (size_t)n);
}

/* A directory is in the upper layer as soon as something below it is. */
static bool is_plain_dir(const struct stage_entry *e, const struct stage_attrs *a)
{
	const struct stage_stat *b = e->base ? &e->base->st : NULL;
	uint8_t digest[STAGE_DIGEST];

	if (!b || !S_ISDIR(b->mode) || b->mode != e->now.mode)
		return false;
	if (b->known != STAGE_BY_DIGEST)
		return b->known == STAGE_BY_TIMES && !a->n;
	stage_attrs_digest(a, digest);
	return !memcmp(digest, b->digest, sizeof(digest));
}

static void note_attrs(struct stage_entry *e, const struct stage_attrs *a)
{
	char name[120];

	e->covers = a->opaque;
	e->attrs = a->n && (!e->base || e->op == STAGE_TYPE);
	e->plain = !a->strange && is_plain_dir(e, a);
	if (!a->strange)
		return;
	io_escape(name, sizeof(name), a->strange, strlen(a->strange));
	e->state = STAGE_UNFIT;
	(void)snprintf(e->why, sizeof(e->why), "the attribute %s cannot be carried over", name);
}

/* Of what may not be read, neither content nor attributes are known. */
static int read_attrs(const struct stage_found *f, struct stage_entry *e,
		      struct stage_attrs *a)
{
	AUTO_CLOSE int fd = sys_openat(f->dir, f->name, O_PATH | O_NOFOLLOW | O_CLOEXEC, 0);
	int r = fd < 0 ? -errno : stage_attrs_read(fd, a);

	if (r == 0 && S_ISREG(f->st.st_mode)) {
		AUTO_CLOSE int in = sys_openat(f->dir, f->name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC,
					       0);

		if (in < 0) {
			r = -errno;
			stage_attrs_release(a);
		} else if (stage_has_writer(in)) {
			e->state = STAGE_UNFIT;
			(void)snprintf(e->why, sizeof(e->why), "another process has it open for writing");
		}
	}
	if (r == 0)
		r = f->closed;
	if (r == -ENAMETOOLONG) {
		e->state = STAGE_UNFIT;
		(void)snprintf(e->why, sizeof(e->why),
			       "what lies in it is too deep to be reviewed: no path is that long");
		return 0;
	}
	if (r != -EACCES && r != -EPERM)
		return r;
	*a = (struct stage_attrs){ .v = NULL };
	e->state = STAGE_UNFIT;
	(void)snprintf(e->why, sizeof(e->why), "its mode %04o does not let you read it",
		       f->st.st_mode & 07777);
	return 0;
}

static enum stage_op op_of(const struct stage_entry *e)
{
	if (!e->base)
		return STAGE_CREATE;
	if ((e->base->st.mode & S_IFMT) != (e->now.mode & S_IFMT))
		return STAGE_TYPE;
	return S_ISDIR(e->now.mode) ? STAGE_MODE : STAGE_MODIFY;
}

static int meet(void *arg, const struct stage_found *f)
{
	struct reading *in = arg;
	struct stage_entry e = { .tree = in->tree, .link = STAGE_NO_LINK,
				 .path = strdup(f->path),
				 .base = stage_base_find(in->base, in->tree, f->path) };
	struct stage_attrs a = { .v = NULL };
	int r = f->closed == -EXDEV ? -EXDEV : e.path ? read_attrs(f, &e, &a) : -ENOMEM;

	if (r < 0) {
		free(e.path);
		return r;
	}
	if (is_whiteout(&f->st, &a)) {
		stage_attrs_release(&a);
		e.op = STAGE_DELETE;
		return add(in->to, &e);
	}
	stage_stat_of(&f->st, &e.now);
	e.op = op_of(&e);
	if (!e.state)
		note_attrs(&e, &a);
	stage_attrs_release(&a);
	if (S_ISLNK(e.now.mode) && !(e.target = read_target(f->dir, f->name))) {
		free(e.path);
		return -ENOMEM;
	}
	return add(in->to, &e);
}

/* --- what a directory covers ----------------------------------------------------------- */

static bool covered(const struct stage_delta *upper, size_t n, const struct stage_entry *e)
{
	struct stage_delta found = { upper->v, n, 0 };
	char path[PATH_MAX];
	size_t len = strlen(e->path);

	if (e->covers)
		return true;
	while (len) {
		const struct stage_entry *up;

		(void)memcpy(path, e->path, len);
		path[len] = '\0';
		len = stage_above(path);
		path[len] = '\0';
		up = stage_delta_get(&found, e->tree, path);
		if (up && up->covers)
			return true;
	}
	return false;
}

/* Everything that lay below this name and that the upper layer does not have: deleted. */
static int delete_below(struct stage_delta *d, size_t upper, const struct stage_base *base,
			unsigned tree, const char *path)
{
	struct stage_delta found = { d->v, upper, 0 };
	size_t n = strlen(path), i;
	char prefix[PATH_MAX + 1];

	memcpy(prefix, path, n);
	if (n)
		prefix[n++] = '/';
	prefix[n] = '\0';
	for (i = stage_base_first(base, tree, prefix); i < base->n; i++) {
		const struct stage_node *b = &base->v[i];
		struct stage_entry e = { .op = STAGE_DELETE, .tree = tree, .base = b,
					 .link = STAGE_NO_LINK };
		int r;

		if (b->tree != tree || strncmp(b->path, prefix, n) != 0)
			break;
		found.v = d->v;
		if (!b->path[0] || stage_delta_get(&found, tree, b->path))
			continue;
		e.path = strdup(b->path);
		r = add(d, &e);
		if (r < 0)
			return r;
	}
	return 0;
}

static int order_all(const void *a, const void *b)
{
	int r = order(a, b);
	const struct stage_entry *x = a, *y = b;

	/* the upper layer's own entry before one that was found below a directory */
	return r ? r : (x->op == STAGE_DELETE) - (y->op == STAGE_DELETE);
}

static void drop_needless(struct stage_delta *d)
{
	size_t n = 0;

	qsort(d->v, d->n, sizeof(*d->v), order_all);
	for (size_t i = 0; i < d->n; i++)
		if (d->v[i].plain || (n && order(&d->v[n - 1], &d->v[i]) == 0))
			free(d->v[i].path);
		else
			d->v[n++] = d->v[i];
	d->n = n;
}

static int add_deleted(struct stage_delta *d, const struct stage_base *base)
{
	size_t upper = d->n;
	int r = 0;

	qsort(d->v, d->n, sizeof(*d->v), order);
	for (size_t i = 0; i < upper && r == 0; i++) {
		const struct stage_entry *e = &d->v[i];
		bool was_dir = e->base && S_ISDIR(e->base->st.mode);

		if (was_dir && (!S_ISDIR(e->now.mode) || covered(d, upper, e)))
			r = delete_below(d, upper, base, e->tree, e->path);
	}
	if (r == 0)
		drop_needless(d);
	return r;
}

static void find_links(struct stage_delta *d)
{
	for (size_t i = 0; i < d->n; i++) {
		struct stage_entry *e = &d->v[i];

		if (!S_ISREG(e->now.mode) || e->now.nlink < 2)
			continue;
		for (size_t j = 0; j < i; j++)
			if (d->v[j].tree == e->tree && d->v[j].now.ino == e->now.ino &&
			    d->v[j].now.dev == e->now.dev && S_ISREG(d->v[j].now.mode)) {
				e->link = (long)j;
				break;
			}
	}
}

int stage_delta_find(const struct stage_record *rec, const struct stage_base *base,
		     struct stage_delta *ret, struct rt_err *err)
{
	struct stage_delta d = { .v = NULL };
	struct reading in = { .base = base, .to = &d };
	int r = 0;

	for (; in.tree < rec->ntrees && r == 0; in.tree++)
		r = stage_walk(rec->tree[in.tree].upper, meet, &in);
	if (r == 0)
		r = add_deleted(&d, base);
	if (r < 0) {
		stage_delta_release(&d);
		return rt_fail_errno(err, -r, "reading what the run wrote");
	}
	find_links(&d);
	*ret = d;
	return 0;
}
