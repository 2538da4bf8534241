/*
 * How a walk ends, and how it opens many names by one call of the kernel: those before the
 * first that must be looked at by itself, which is a place, or a dot.  The call follows no
 * link (RESOLVE_NO_SYMLINKS), so where it succeeds the text is the way.
 */
#include <fcntl.h>

#include "runtime/broker/path_walk.h"
#include "runtime/broker/procfs.h"

struct leap {
	size_t dirs;  /* bytes of directories, with the '/'s behind them; 0: none */
	bool whole;   /* the last name, too, can be opened at once */
	bool process; /* a name may be a process, if the descriptor lies on a procfs: what
			 its links lead to is found otherwise (procfs.h) */
};

/* What is left begins with a name.  spot->path is the directory reached, before and after. */
static struct leap leap_from(struct walk *w)
{
	struct broker_spot *s = w->spot;
	const size_t have = s->len;
	struct leap r = { 0 };
	const char *next = w->next;

	for (;;) {
		struct name n = name_at(next);

		/* one call of the kernel takes no more */
		if (!n.n || is_dot(&n) || is_dotdot(&n) || n.after - w->next >= PATH_MAX ||
		    !append(s, n.s, n.n) || broker_trees_at(w->trees, s->path, s->len))
			break;
		r.process |= procfs_is_process(n.s, n.n);
		r.whole = n.last;
		if (n.last)
			break;
		next = n.after;
		r.dirs = (size_t)(next - w->next);
	}
	cut(s, have);
	return r;
}

static bool is_process(const struct walk *w, const struct leap *to, int fd)
{
	return to->process && is_looked_at(w->place) && procfs_may_be(fd);
}

/* Directories, as many at once as can be. If a link is on the way, the names
 * are walked one by one. */
static int leap(struct walk *w, const struct leap *to)
{
	char dirs[PATH_MAX];
	size_t have = w->spot->len, n = to->dirs;
	int fd;

	if (n == 0 || n > sizeof(dirs))
		return 0;
	memcpy(dirs, w->next, n);
	dirs[n - 1] = '\0'; /* the last '/' */
	fd = open_below(w, w->fd, dirs, O_DIRECTORY);
	if (fd >= 0 && is_process(w, to, fd)) {
		(void)close(fd);
		return 0;
	}
	if (fd < 0)
		return fd == -ELOOP ? 0 : fd;
	if (!append_names(w->spot, w->next, w->next + n)) {
		(void)close(fd);
		cut(w->spot, have);
		return -ENAMETOOLONG;
	}
	leave(w);
	w->fd = fd;
	w->own = true;
	w->next += n;
	return 0;
}

/* Nothing is a link all the way to the end, which is then what the text says: in a place
 * that is only looked at.  Most paths of a run are such. */
static bool ends_in_sight(const struct walk *w, const struct leap *to)
{
	bool r;
	int fd;

	if (is_ours(w->place) || !to->whole)
		return false;
	fd = open_below(w, w->fd, w->next, 0);
	if (fd < 0)
		return false;
	r = !is_process(w, to, fd);
	(void)close(fd);
	return r;
}

int walk_end_at_name(struct walk *w, int object, const struct stat *st,
		       const struct name *name)
{
	struct broker_spot *s = w->spot;

	s->place = w->place;
	s->parent = w->fd;
	s->own_parent = w->own;
	w->own = false;
	s->object = object;
	s->own_object = object >= 0;
	s->last = BROKER_LAST_NAME;
	s->slash = name->slash;
	s->leaf = s->path + s->len - name->n;
	if (object < 0)
		return 0;
	take_stat(s, st);
	return w->how != BROKER_WALK_PARENT && w->how != BROKER_WALK_CREATE &&
			       name->slash && !S_ISDIR(s->mode)
		       ? -ENOTDIR
		       : 0;
}

/* The object itself, where nobody wants to know its directory.  0: not found like this. */
static int object_at_once(struct walk *w, const struct leap *to, bool *ret_done)
{
	const char *last = w->next + to->dirs;
	size_t have = w->spot->len;
	struct name name = name_at(last);
	struct stat st;
	int fd;

	if (!w->alone || !to->whole || !to->dirs || !is_ours(w->place) || name.slash)
		return 0;
	fd = open_below(w, w->fd, w->next, O_NOFOLLOW);
	if (fd < 0)
		return 0;
	if (fstat(fd, &st) != 0 || S_ISLNK(st.st_mode) || is_process(w, to, fd) ||
	    !append_names(w->spot, w->next, NULL)) {
		(void)close(fd);
		cut(w->spot, have);
		return 0;
	}
	leave(w);
	*ret_done = true;
	return walk_end_at_name(w, fd, &st, &name);
}

/* What can be done at once of what is left, or nothing. */
int walk_at_once(struct walk *w, bool *ret_done)
{
	const struct leap to = leap_from(w);
	int r;

	if (ends_in_sight(w, &to))
		return BROKER_NOT_OURS;
	r = object_at_once(w, &to, ret_done);
	return r != 0 || *ret_done ? r : leap(w, &to);
}
