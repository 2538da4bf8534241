/* Walks a path from the descriptor of a tree, name by name.  Decides which directory
 * and which object a path means, and what of it the rules will see; asks no rule
 * itself. */
#include "runtime/broker/resolve.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/sys.h"
#include "runtime/broker/procfs.h"
#include "runtime/broker/path_walk.h"

/* Goes to the directory that spot->path names. */
static int enter(struct walk *w)
{
	const char *rest;

	leave(w);
	w->place = broker_trees_find(w->trees, w->spot->path, w->spot->len, &rest);
	if (!w->place || w->place->kind == BROKER_HOLE)
		return BROKER_NOT_OURS;
	if (!*rest) {
		w->fd = w->place->fd;
		return 0;
	}
	w->fd = open_below(w, w->place->fd, rest, O_DIRECTORY);
	w->own = w->fd >= 0;
	return w->own ? 0 : w->fd;
}

static int stat_object(struct broker_spot *s)
{
	struct stat st;

	if (fstat(s->object, &st) != 0)
		return -errno;
	take_stat(s, &st);
	return 0;
}

/* The path ends at a tree's own directory, or in the directory reached. */
static int end_at_place(struct walk *w, const struct broker_place *place, bool slash)
{
	struct broker_spot *s = w->spot;

	leave(w);
	s->place = place;
	s->object = place->fd;
	s->last = BROKER_LAST_PLACE;
	s->slash = slash;
	return stat_object(s);
}

static int end_here(struct walk *w, enum broker_last last)
{
	struct broker_spot *s = w->spot;

	if (!is_ours(w->place))
		return BROKER_NOT_OURS;
	s->place = w->place;
	s->object = w->fd;
	s->own_object = w->own;
	w->own = false;
	s->last = (uint8_t)last;
	return stat_object(s);
}

/*
 * Starts anew from an absolute text.  Places have physical names: as far as the text
 * spells one there is no link on the way, so that the walk begins at the last tree that
 * it spells. *ret_done: it ends there.
 */
static int begin(struct walk *w, bool *ret_done)
{
	const struct broker_place *start = NULL;
	const char *p = w->todo.s + strspn(w->todo.s, "/");
	struct broker_spot *s = w->spot;
	size_t len = 0;

	*ret_done = false;
	cut(s, 0);
	for (w->next = p; *p;) {
		struct name n = name_at(p);
		const struct broker_place *at;

		if (is_dot(&n) || is_dotdot(&n) || !append(s, n.s, n.n))
			break;
		at = broker_trees_at(w->trees, s->path, s->len);
		p = n.after;
		if (!at || at->kind == BROKER_HOLE)
			continue;
		if (n.last && is_ours(at)) {
			*ret_done = true;
			return end_at_place(w, at, n.slash);
		}
		if (n.last)
			return BROKER_NOT_OURS;
		start = at;
		len = s->len;
		w->next = p;
	}
	cut(s, len);
	if (!start)
		return enter(w);
	leave(w);
	w->place = start;
	w->fd = start->fd;
	return 0;
}

/* As the kernel's fs.protected_symlinks, whether or not it is on: in a sticky directory
 * that everybody may write, only one's own links and those of its owner are followed.
 */
static int may_follow(const struct walk *w, uid_t link_uid)
{
	struct stat dir;

	if (link_uid == w->trees->uid)
		return 0;
	if (fstat(w->fd, &dir) != 0)
		return -errno;
	if ((dir.st_mode & (S_ISVTX | S_IWOTH)) != (S_ISVTX | S_IWOTH) ||
	    dir.st_uid == link_uid)
		return 0;
	return -EACCES;
}

/* Asks about the name by which the walk reaches something through the link. */
static int ask_follow(const struct walk *w, const struct name *link)
{
	const struct broker_caller *by = w->by;
	const char *dir = w->spot->path + (w->spot->len ? 1 : 0);
	struct broker_spot s;
	int r = 0;

	if (!by->may_follow)
		return 0;
	broker_spot_init(&s);
	if (!append_names(&s, dir, NULL))
		r = -ENAMETOOLONG;
	for (const char *p = link->s; *p && r == 0;) {
		struct name n = name_at(p);

		p = n.after;
		if (is_dotdot(&n))
			drop_name(&s);
		else if (!is_dot(&n) && !append(&s, n.s, n.n))
			r = -ENAMETOOLONG;
	}
	if (r == 0 && !by->may_follow(by->arg, s.len ? s.path : "/"))
		r = BROKER_REFUSED;
	broker_spot_release(&s);
	return r;
}

/* Puts the link's target before what is left. */
static int follow(struct walk *w, int link, uid_t link_uid, const struct name *name,
		  bool *ret_done)
{
	const size_t at = (size_t)(name->after - w->todo.s), rest = strlen(name->after);
	char target[PATH_MAX];
	ssize_t n;
	int r = may_follow(w, link_uid);

	if (r == 0)
		r = ask_follow(w, name);
	if (r != 0)
		return r;
	if (++w->links > BROKER_MOST_LINKS)
		return -ELOOP;
	n = readlinkat(link, "", target, sizeof(target));
	if (n < 0)
		return -errno;
	if (n == 0)
		return -ENOENT;
	if ((size_t)n >= sizeof(target))
		return -ENAMETOOLONG;
	/* links in links in links: the kernel, which keeps each rest apart, counts them
	 */
	if (!name_text_room(&w->todo, (size_t)n + 1 + rest + 1))
		return -ELOOP;
	memmove(w->todo.s + n + name->slash, w->todo.s + at, rest + 1);
	if (name->slash)
		w->todo.s[n] = '/';
	memcpy(w->todo.s, target, (size_t)n);
	w->next = w->todo.s;
	return target[0] == '/' ? begin(w, ret_done) : 0;
}

static int dot(struct walk *w, const struct name *name, bool *ret_done)
{
	struct broker_spot *s = w->spot;
	/* as the kernel: a directory that may not be searched has neither "." nor ".."
	 */
	int r = open_below(w, w->fd, ".", O_DIRECTORY);

	if (r < 0)
		return r;
	(void)close(r);
	if (is_dotdot(name)) {
		w->steps += (unsigned)(s->len / 64);
		drop_name(s);
		r = enter(w);
		if (r != 0)
			return r;
	}
	w->next = name->after;
	if (!name->last)
		return 0;
	*ret_done = true;
	s->slash = name->slash;
	return end_here(w, is_dot(name) ? BROKER_LAST_DOT : BROKER_LAST_DOTDOT);
}

/* The name is another place's. */
static int step_to_place(struct walk *w, const struct broker_place *at,
			 const struct name *name, bool *ret_done)
{
	if (at->kind == BROKER_HOLE || (name->last && !is_ours(at)))
		return BROKER_NOT_OURS;
	if (name->last) {
		*ret_done = true;
		return end_at_place(w, at, name->slash);
	}
	leave(w);
	w->place = at;
	w->fd = at->fd;
	w->next = name->after;
	return 0;
}

static bool follows_last(enum broker_walk how, bool slash)
{
	switch (how) {
	case BROKER_WALK_FOLLOW:
	case BROKER_WALK_LINK:
		return true;
	case BROKER_WALK_NOFOLLOW:
		return slash;
	case BROKER_WALK_CREATE:
		return !slash;
	case BROKER_WALK_PARENT:
		break;
	}
	return false;
}

/* A file without a name: whoever asks sees to what it is. */
static int end_nameless(struct walk *w, const struct procfs_link *l, bool *ret_done)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC };
	struct broker_spot *s = w->spot;

	if (w->how != BROKER_WALK_LINK)
		return BROKER_NOT_OURS;
	leave(w);
	s->object = sys_openat2(l->dir, l->name, &how);
	if (s->object < 0)
		return BROKER_NOT_OURS;
	s->own_object = true;
	s->last = BROKER_LAST_NAMELESS;
	s->place = NULL;
	*ret_done = true;
	return stat_object(s) == 0 && S_ISREG(s->mode) ? 0 : BROKER_NOT_OURS;
}

/* Is the object of the link still at the path that it tells?  What is in no tree is the
 * kernel's, or is looked at further on; but it may have no name. */
static int is_there(const struct walk *w, const struct procfs_link *l)
{
	const struct broker_caller nobody = { .until = w->by->until };
	struct broker_spot found;
	struct stat st;
	int r = broker_resolve(w->trees, &nobody, "", l->text, BROKER_WALK_NOFOLLOW,
			       &found);

	if (r != 0)
		return r == BROKER_NOT_OURS && !l->ends_gone ? 0 : r < 0 ? BROKER_NOT_OURS : r;
	r = fstatat(l->dir, l->name, &st, 0) == 0 && found.object >= 0 &&
			    st.st_dev == found.dev && st.st_ino == found.ino
		    ? 0
		    : BROKER_NOT_OURS;
	broker_spot_release(&found);
	return r;
}

/* A process's name in the root of the run's procfs: goes on at the path to which the
 * link behind it leads. */
static int through_proc(struct walk *w, const char *names, bool *ret_done)
{
	struct procfs_link l;
	size_t n, rest, at;
	bool last;
	int r;

	switch (procfs_link(w->by, w->fd, names, &l)) {
	case PROCFS_OWN:
	case PROCFS_OBJECT:
		return BROKER_NOT_OURS;
	case PROCFS_UNDECIDED:
		return BROKER_UNDECIDED;
	case PROCFS_PATH:
		break;
	}
	names += l.used;
	last = !*names;
	if (last && !follows_last(w->how, false))
		return BROKER_NOT_OURS;
	if (++w->links > BROKER_MOST_LINKS)
		return -ELOOP;
	r = is_there(w, &l);
	if (r == BROKER_NOT_OURS && l.ends_gone && last)
		return end_nameless(w, &l, ret_done);
	if (r != 0)
		return r;
	n = strlen(l.text);
	rest = strlen(names);
	at = (size_t)(names - w->todo.s);
	if (!name_text_room(&w->todo, n + rest + 1))
		return -ENAMETOOLONG;
	memmove(w->todo.s + n, w->todo.s + at, rest + 1);
	memcpy(w->todo.s, l.text, n);
	/* it is the object itself, also if that is a link */
	if (last)
		w->how = BROKER_WALK_NOFOLLOW;
	return begin(w, ret_done);
}

static int step(struct walk *w, const struct name *name, bool *ret_done)
{
	struct broker_spot *s = w->spot;
	const struct broker_place *at;
	size_t before = s->len;
	struct stat st;
	int fd, r;

	if (is_looked_at(w->place) && procfs_is_process(name->s, name->n) &&
	    procfs_is_root(w->fd))
		return through_proc(w, name->s, ret_done);
	if (!append(s, name->s, name->n))
		return -ENAMETOOLONG;
	at = broker_trees_at(w->trees, s->path, s->len);
	if (at)
		return step_to_place(w, at, name, ret_done);
	fd = open_below(w, w->fd, s->path + before + 1, O_NOFOLLOW);
	if (fd < 0 && !(name->last && (fd == -ENOENT || fd == -ENAMETOOLONG)))
		return fd;
	if (fd < 0) {
		*ret_done = true;
		s->missing = -fd;
		return walk_end_at_name(w, -1, NULL, name);
	}
	r = fstat(fd, &st) == 0 ? 0 : -errno;
	if (r == 0 && S_ISLNK(st.st_mode) &&
	    (!name->last || follows_last(w->how, name->slash))) {
		cut(s, before);
		r = is_looked_at(w->place) && procfs_may_be(fd)
			    ? BROKER_NOT_OURS
			    : follow(w, fd, st.st_uid, name, ret_done);
	} else if (r == 0 && name->last) {
		*ret_done = true;
		return walk_end_at_name(w, fd, &st, name);
	} else if (r == 0 && !S_ISDIR(st.st_mode)) {
		r = -ENOTDIR;
	} else if (r == 0) {
		leave(w);
		w->fd = fd;
		w->own = true;
		w->next = name->after;
		return 0;
	}
	(void)close(fd);
	return r;
}

static int walk(struct walk *w)
{
	bool done = false;
	int r = begin(w, &done);

	while (r == 0 && !done) {
		struct name name;

		w->next += strspn(w->next, "/");
		r = *w->next ? walk_at_once(w, &done) : end_here(w, BROKER_LAST_DOT);
		if (r != 0 || done || !*w->next)
			break;
		if (++w->steps > BROKER_MOST_STEPS)
			return -ELOOP;
		/* a file system may be slow */
		if (broker_is_late(w->by))
			return BROKER_TOO_LATE;
		name = name_at(w->next);
		if (is_dot(&name) || is_dotdot(&name))
			r = dot(w, &name, &done);
		else
			r = step(w, &name, &done);
	}
	/* what is only looked at, the kernel walks itself and says what is wrong */
	if (r < 0 && w->place && is_looked_at(w->place))
		return BROKER_NOT_OURS;
	if (r == 0 && w->spot->last != BROKER_LAST_NAMELESS &&
	    !is_ours(w->spot->place))
		return BROKER_NOT_OURS;
	return r;
}

int broker_resolve(const struct broker_trees *trees, const struct broker_caller *by,
		   const char *base, const char *raw, unsigned how,
		   struct broker_spot *ret)
{
	struct walk w; /* its text is not cleared, nor that of a spot: they are large */
	size_t n = strlen(raw), have = 0;
	int r;

	w.trees = trees;
	w.by = by;
	w.place = NULL;
	w.fd = -1;
	w.own = false;
	w.how = (enum broker_walk)(how & ~BROKER_WALK_ALONE);
	w.alone = how & BROKER_WALK_ALONE;
	w.links = w.steps = 0;
	w.spot = ret;
	broker_spot_init(ret);
	if (n == 0)
		return -ENOENT;
	if (base && n >= PATH_MAX)
		return -ENAMETOOLONG;
	have = raw[0] == '/' ? 0 : strlen(base) + 1;
	name_text_init(&w.todo);
	if (!name_text_room(&w.todo, have + n + 1))
		return -ENAMETOOLONG;
	if (have) {
		memcpy(w.todo.s, base, have - 1);
		w.todo.s[have - 1] = '/';
	}
	memcpy(w.todo.s + have, raw, n + 1);
	r = walk(&w);
	leave(&w);
	name_text_release(&w.todo);
	if (r != 0)
		broker_spot_release(ret);
	return r;
}

void broker_spot_init(struct broker_spot *s)
{
	memset(s, 0, offsetof(struct broker_spot, text));
	name_text_init(&s->text);
	s->parent = s->object = -1;
	s->leaf = "";
	s->path = s->text.s;
}

void broker_spot_release(struct broker_spot *s)
{
	if (s->own_parent)
		(void)close(s->parent);
	if (s->own_object)
		(void)close(s->object);
	s->parent = s->object = -1;
	s->own_parent = s->own_object = false;
	name_text_release(&s->text);
	s->path = s->text.s;
	s->leaf = "";
	s->len = 0;
}
