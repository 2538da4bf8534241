/* Gives an object another name: link(2) and rename(2).  Both names are asked about.  A
 * directory takes along everything below it: each name there is asked about, at its old
 * place and at its new one. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"
#include "runtime/broker/actions.h"

/* A directory that moves, and how much of it may still be looked at. */
struct moved {
	struct broker_act *a;
	struct name_text from, to;
	size_t nfrom, nto;
	int into; /* the directory that has its new name, if names are exchanged; -1 */
	size_t into_len; /* of `to` as it began */
	unsigned names, depth;
	int64_t until; /* sys_now_ms() */
	int64_t pause_ms; /* of the next rules.pause */
	/* what is being read of the directory at each depth */
	char (*read)[BROKER_READ_SIZE];
};

static int look_below(struct moved *m, int fd);

/* Can it be read by another name, or by who has it open? */
static int is_read_elsewhere(const struct broker_act *a, int fd, const char *name)
{
	const struct broker_rules *rules = &a->b->rules;
	AUTO_CLOSE int below = -1;
	struct stat st;

	if (fstatat(fd, name, &st, AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW) != 0)
		return -errno;
	/* nobody can tell whether a FIFO is open */
	if (S_ISFIFO(st.st_mode))
		return true;
	if (!S_ISREG(st.st_mode) || !rules->in_use || st.st_nlink > 1)
		return S_ISREG(st.st_mode) && st.st_nlink > 1;
	if (name[0])
		below = sys_open_beneath(fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC,
					 RESOLVE_BENEATH | RESOLVE_NO_XDEV);
	if (name[0] && below < 0)
		return -errno;
	return rules->in_use(rules->arg, name[0] ? below : fd);
}

/*
 * A file that gets a name which must not be read: what somebody writes there later must not be
 * read in another way.  `name`: in the directory `fd`, or "" for the object itself.
 */
static int may_hide(struct broker_act *a, const char *from, const char *to, int fd, const char *name)
{
	const struct broker_rules *rules = &a->b->rules;
	uint32_t rule = BROKER_NO_RULE, other;
	int r;

	if (rules->allows(rules->arg, BROKER_READ, to, false, &rule) ||
	    !rules->allows(rules->arg, BROKER_READ, from, false, &other))
		return 0;
	r = is_read_elsewhere(a, fd, name);
	return r > 0 ? broker_refuse_unread(a, rule, to) : r;
}

static int too_much(struct moved *m)
{
	return broker_is_late(&m->a->c->by)
		       ? BROKER_TOO_LATE
		       : broker_refuse(m->a, EACCES, BROKER_BY_MANY, m->from.s);
}

static int open_dir(int fd, const char *name)
{
	int r = sys_open_beneath(
		fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK,
		RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV);

	return r < 0 ? -errno : r;
}

/* One name of a directory; from and to end with it. */
static int look_at(struct moved *m, int dir, const struct dirent64 *e)
{
	bool is_dir = e->d_type == DT_DIR, is_link = e->d_type == DT_LNK;
	AUTO_CLOSE int fd = -1;
	struct stat st;
	int r;

	if (e->d_type == DT_UNKNOWN) {
		if (fstatat(dir, e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
			return -errno;
		is_dir = S_ISDIR(st.st_mode);
		is_link = S_ISLNK(st.st_mode);
	}
	r = broker_may_move(m->a, m->from.s, m->to.s, is_dir, BROKER_BY_MOVED);
	if (r == 0 && !is_dir && !is_link)
		r = may_hide(m->a, m->from.s, m->to.s, dir, e->d_name);
	if (r == 0)
		r = broker_may_go(m->a, m->from.s);
	if (r == 0) {
		broker_touch(m->a, m->from.s, dir, e->d_name);
		broker_touch(m->a, m->to.s, m->into, m->to.s + m->into_len + 1);
	}
	if (r == 0 && is_link)
		r = broker_may_lead_as(m->a, m->to.s, dir, e->d_name);
	if (r != 0 || !is_dir)
		return r;
	if (m->depth == BROKER_MOST_DEEP)
		return too_much(m);
	fd = open_dir(dir, e->d_name);
	if (fd == -EXDEV)
		return broker_refuse(m->a, EBUSY, BROKER_BY_MOUNT, m->from.s);
	/* what cannot be looked at is not known to be allowed, nor what is not there at the
	 * moment: who has moved it away may move it back */
	if (fd < 0)
		return broker_refuse(m->a, EACCES,
				     fd == -ENOENT ? BROKER_BY_CHANGE : BROKER_BY_MANY,
				     m->from.s);
	m->depth++;
	r = look_below(m, fd);
	m->depth--;
	return r;
}

static int look_at_name(struct moved *m, int dir, const struct dirent64 *e)
{
	const struct broker_rules *rules = &m->a->b->rules;
	size_t n = strlen(e->d_name), nfrom = m->nfrom, nto = m->nto;
	int64_t now;
	int r;

	if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
		return 0;
	if (!name_text_room(&m->from, nfrom + n + 2) || !name_text_room(&m->to, nto + n + 2))
		return too_much(m);
	/* one name may take long: each that the file system has to be asked about */
	now = sys_now_ms();
	if (++m->names > BROKER_MOST_MOVED || now > m->until)
		return too_much(m);
	if (rules->pause && now >= m->pause_ms) {
		if (!rules->pause(rules->arg))
			return -EIO;
		m->pause_ms = sys_now_ms() + BROKER_PAUSE_MS;
	}
	m->from.s[nfrom] = m->to.s[nto] = '/';
	memcpy(m->from.s + nfrom + 1, e->d_name, n + 1);
	memcpy(m->to.s + nto + 1, e->d_name, n + 1);
	m->nfrom += n + 1;
	m->nto += n + 1;
	r = look_at(m, dir, e);
	m->nfrom = nfrom;
	m->nto = nto;
	m->from.s[nfrom] = m->to.s[nto] = '\0';
	return r;
}

static int look_below(struct moved *m, int fd)
{
	char *buf = m->read[m->depth];
	long n;

	while ((n = syscall(SYS_getdents64, fd, buf, BROKER_READ_SIZE)) > 0)
		for (long at = 0; at < n;) {
			const struct dirent64 *e = (const void *)(buf + at);
			int r = look_at_name(m, fd, e);

			if (r != 0)
				return r;
			at += e->d_reclen;
		}
	return n < 0 ? -errno : 0;
}

static bool all_allowed(const struct broker_rules *rules, const char *path)
{
	return rules->allows_below &&
	       rules->allows_below(rules->arg, BROKER_WRITE, path) &&
	       rules->allows_below(rules->arg, BROKER_READ, path);
}

/* May all that lies below the directory move along? */
static int may_move_below(struct broker_act *a, const struct broker_spot *from,
			  const struct broker_spot *to)
{
	struct moved m;
	AUTO_CLOSE int fd = -1;
	int r;

	if (broker_trees_below(&a->b->trees, from->path, from->len) ||
	    broker_trees_below(&a->b->trees, to->path, to->len))
		return broker_refuse(a, EBUSY, BROKER_BY_MOUNT, from->path);
	if (!a->b->rules.touches && all_allowed(&a->b->rules, from->path) &&
	    all_allowed(&a->b->rules, to->path))
		return 0;
	if (a->b->rules.lock && !a->b->alone)
		return BROKER_NEEDS_LOCK;
	m.a = a;
	m.nfrom = from->len;
	m.nto = m.into_len = to->len;
	m.into = S_ISDIR(to->mode) ? to->object : -1;
	m.names = m.depth = 0;
	m.read = a->b->work->read;
	name_text_init(&m.from);
	name_text_init(&m.to);
	m.until = sys_now_ms() + BROKER_MOST_MS;
	m.pause_ms = sys_now_ms() + BROKER_PAUSE_MS;
	if (a->c->by.until && a->c->by.until < m.until)
		m.until = a->c->by.until;
	fd = open_dir(from->object, ".");
	if (fd < 0 || !name_text_room(&m.from, from->len + 1) || !name_text_room(&m.to, to->len + 1)) {
		r = broker_refuse(a, EACCES, BROKER_BY_MANY, from->path);
	} else {
		memcpy(m.from.s, from->path, from->len + 1);
		memcpy(m.to.s, to->path, to->len + 1);
		r = look_below(&m, fd);
	}
	name_text_release(&m.from);
	name_text_release(&m.to);
	return r;
}

static int may_move(struct broker_act *a, const struct broker_spot *from,
		    const struct broker_spot *to)
{
	bool is_dir = S_ISDIR(from->mode);
	int r = broker_may_move(a, from->path, to->path, is_dir, BROKER_BY_RULE);

	if (r == 0 && (S_ISREG(from->mode) || S_ISFIFO(from->mode)))
		r = may_hide(a, from->path, to->path, from->object, "");
	if (r == 0)
		r = broker_may_go(a, from->path);
	if (r == 0 && to->object >= 0)
		r = broker_may_go(a, to->path);
	if (r == 0 && S_ISLNK(from->mode))
		r = broker_may_lead_as(a, to->path, from->object, "");
	if (r == 0) {
		broker_touch(a, from->path, from->object, "");
		broker_touch(a, to->path, to->object, "");
	}
	return r == 0 && is_dir ? may_move_below(a, from, to) : r;
}

/* The kernel sees that it lies on the mount of the new name's tree, and that it was
 * made to be given a name.  One that has a name elsewhere is judged by that one only.
 */
static int may_name(struct broker_act *a)
{
	struct stat st;

	if (fstat(a->at->object, &st) != 0)
		return -errno;
	return st.st_nlink != 0 ? BROKER_NOT_OURS : broker_may_write(a, a->to, false);
}

/* A file with two names can be written by one after somebody has moved the other. */
static int hold(const struct broker_act *a, int fd)
{
	const struct broker_rules *rules = &a->b->rules;

	return rules->hold(rules->arg, fd, NULL, true);
}

static int hold_new(const struct broker_act *a)
{
	AUTO_CLOSE int fd = sys_open_beneath(a->to->parent, a->to->leaf,
					     O_PATH | O_NOFOLLOW | O_CLOEXEC,
					     RESOLVE_BENEATH | RESOLVE_NO_XDEV);
	int r = fd < 0 ? -errno : hold(a, fd);

	if (r < 0)
		(void)unlinkat(a->to->parent, a->to->leaf, 0);
	return r;
}

/* Through either name the object can be read, and what the run has open for writing, too. */
static int may_be_read(struct broker_act *a)
{
	const struct broker_rules *rules = &a->b->rules;
	uint32_t rule = BROKER_NO_RULE;

	return rules->allows(rules->arg, BROKER_READ, a->to->path, false, &rule)
		       ? 0
		       : broker_refuse_unread(a, rule, a->to->path);
}

int broker_link(struct broker_act *a)
{
	char name[BROKER_FD_NAME];
	bool held;
	int r;

	if (a->to->last != BROKER_LAST_NAME || a->to->object >= 0)
		return -EEXIST;
	if (a->to->missing != ENOENT)
		return -a->to->missing;
	if (a->to->slash)
		return -ENOENT;
	/* through the new name the object can be written; a directory gets none */
	r = a->at->last == BROKER_LAST_NAMELESS
		    ? may_name(a)
		    : broker_may_move(a, a->at->path, a->to->path, S_ISDIR(a->at->mode),
				      BROKER_BY_RULE);
	if (r == 0 && (S_ISREG(a->at->mode) || S_ISFIFO(a->at->mode)))
		r = may_be_read(a);
	if (r == 0 && S_ISLNK(a->at->mode))
		r = broker_may_lead_as(a, a->to->path, a->at->object, "");
	if (r != 0)
		return r;
	if (a->at->last != BROKER_LAST_NAMELESS)
		broker_touch(a, a->at->path, a->at->object, "");
	broker_touch(a, a->to->path, -1, "");
	held = a->b->rules.hold && S_ISREG(a->at->mode);
	r = held ? hold(a, a->at->object) : 0;
	if (r < 0)
		return r;
	broker_fd_name(a->at->object, name);
	if (linkat(a->b->self, name, a->to->parent, a->to->leaf, AT_SYMLINK_FOLLOW) != 0)
		return -errno;
	return held ? hold_new(a) : 0;
}

/* What the kernel refuses of any two names, whatever the rules say. */
static int may_rename(const struct broker_act *a)
{
	const struct broker_spot *from = a->at, *to = a->to;
	bool exchange = a->c->flags & RENAME_EXCHANGE;

	if (from->last != BROKER_LAST_NAME)
		return -EBUSY;
	if (to->last != BROKER_LAST_NAME)
		return a->c->flags & RENAME_NOREPLACE ? -EEXIST : -EBUSY;
	if (from->object < 0)
		return -from->missing;
	if (to->object < 0 && to->missing != ENOENT)
		return -to->missing;
	if ((a->c->flags & RENAME_NOREPLACE) && to->object >= 0)
		return -EEXIST;
	if (exchange && to->object < 0)
		return -ENOENT;
	if (exchange && to->slash && !S_ISDIR(to->mode))
		return -ENOTDIR;
	if (!S_ISDIR(from->mode) && (from->slash || (to->slash && !exchange)))
		return -ENOTDIR;
	return 0;
}

int broker_check_rename(const struct broker_call *c)
{
	const uint64_t known = RENAME_NOREPLACE | RENAME_EXCHANGE | RENAME_WHITEOUT;

	return (c->flags & ~known) ||
			       ((c->flags & RENAME_EXCHANGE) &&
				(c->flags & (RENAME_NOREPLACE | RENAME_WHITEOUT)))
		       ? -EINVAL
		       : 0;
}

int broker_rename(struct broker_act *a)
{
	uint64_t flags = a->c->flags;
	int r = may_rename(a);

	if (r == 0 && (flags & RENAME_WHITEOUT))
		r = broker_refuse(a, EPERM, BROKER_BY_NATURE, a->at->path);
	if (r == 0) {
		r = broker_replace(a);
		if (r != BROKER_NOT_OURS)
			return r;
		r = may_move(a, a->at, a->to);
	}
	if (r == 0 && (flags & RENAME_EXCHANGE))
		r = may_move(a, a->to, a->at);
	if (r != 0)
		return r;
	r = broker_done(renameat2(a->at->parent, a->at->leaf, a->to->parent, a->to->leaf,
				  (unsigned)flags));
	if (r == 0 && !(flags & RENAME_EXCHANGE))
		broker_removed(a, a->to);
	return r;
}
