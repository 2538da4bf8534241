/* A walk of resolve.h that is under way.  Internal to broker/. */
#ifndef RUNTIME_BROKER_PATH_WALK_H
#define RUNTIME_BROKER_PATH_WALK_H

#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/broker/asker.h"
#include "runtime/broker/below.h"
#include "runtime/broker/spot.h"

struct walk {
	const struct broker_trees *trees;
	const struct broker_caller *by;
	const struct broker_place *place; /* of the directory reached: TREE or LOOK */
	int fd;                           /* the directory reached */
	bool own;                         /* fd is to be closed */
	enum broker_walk how;
	bool alone; /* BROKER_WALK_ALONE */
	unsigned links, steps;
	struct broker_spot
		*spot;    /* its path and len are those of the directory reached */
	const char *next; /* in todo */
	struct name_text todo; /* what is left: a path, or the target of a link and what follows it */
};

struct name {
	const char *s, *after; /* after: behind the '/'s that follow it */
	size_t n;
	bool last, slash;
};

/* The name that begins at `s`, which is no '/'. */
static inline struct name name_at(const char *s)
{
	struct name r = { .s = s };

	r.n = strcspn(s, "/");
	r.after = s + r.n;
	r.slash = *r.after == '/';
	r.after += strspn(r.after, "/");
	r.last = !*r.after;
	return r;
}

static inline bool is_dot(const struct name *n)
{
	return n->n == 1 && n->s[0] == '.';
}

static inline bool is_dotdot(const struct name *n)
{
	return n->n == 2 && n->s[0] == '.' && n->s[1] == '.';
}

static inline void leave(struct walk *w)
{
	if (w->own)
		(void)close(w->fd);
	w->fd = -1;
	w->own = false;
}

static inline bool append(struct broker_spot *s, const char *name, size_t n)
{
	if (!name_text_room(&s->text, s->len + 1 + n + 1))
		return false;
	s->path = s->text.s;
	s->path[s->len] = '/';
	memcpy(s->path + s->len + 1, name, n);
	s->len += 1 + n;
	s->path[s->len] = '\0';
	return true;
}

/* The names up to `end`; NULL: all. */
static inline bool append_names(struct broker_spot *s, const char *p, const char *end)
{
	while (*p && p != end) {
		struct name n = name_at(p);

		if (!append(s, n.s, n.n))
			return false;
		p = n.after;
	}
	return true;
}

static inline bool is_ours(const struct broker_place *p)
{
	return p->kind != BROKER_HOLE && p->kind != BROKER_LOOK;
}

/* What the run sees there is not kept from changing by the broker. */
static inline bool is_looked_at(const struct broker_place *p)
{
	return p->kind != BROKER_TREE && p->kind != BROKER_HOLE;
}

static inline void cut(struct broker_spot *s, size_t len)
{
	s->len = len;
	s->path[len] = '\0';
}

/* The directory above; that of the root is the root. */
static inline void drop_name(struct broker_spot *s)
{
	while (s->len > 0 && s->path[s->len - 1] != '/')
		s->len--;
	cut(s, s->len ? s->len - 1 : 0);
}

static inline int open_below(const struct walk *w, int fd, const char *path, unsigned flags)
{
	return broker_open_below(w->trees, w->place, fd, path, flags);
}

static inline void take_stat(struct broker_spot *s, const struct stat *st)
{
	s->mode = st->st_mode;
	s->dev = st->st_dev;
	s->ino = st->st_ino;
	s->uid = st->st_uid;
}

/* The walk ends at the last name, of which `object` (-1: nothing) is there; spot->path holds it. */
int walk_end_at_name(struct walk *w, int object, const struct stat *st, const struct name *name);
/* Does at once what can be done of what is left, or nothing: 0.  *ret_done: it is the end. */
int walk_at_once(struct walk *w, bool *ret_done);

#endif
