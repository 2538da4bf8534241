/*
 * Saves a file by rename(2), where only this one file of the host is mounted in a private tree: programs
 * write beside it and rename, and the kernel moves nothing over a mount.  The run may write the file itself, so
 * its content is replaced in place, through the mount that the run sees; nothing is done that the run could not
 * do by open(2).  Other than a rename it is no single step for who reads the file outside.  What link(2) makes of
 * such a file is a copy, in the private tree.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"
#include "runtime/broker/actions.h"

#define MOST_SAVED (4u << 20) /* what settings and logins never are */

/* Where the names of the tree are decided one by one, the rules are asked as for any other rename in it. */
static int may_save(struct broker_act *a, const struct broker_spot *from, const struct broker_spot *to)
{
	int r = from->place->kind == BROKER_TREE ? broker_may_move(a, from->path, to->path, false, BROKER_BY_RULE) : 0;

	return r == 0 && from->place->kind == BROKER_TREE ? broker_may_go(a, from->path) : r;
}

/* Replaces what the file holds; what it held is written back if that fails. */
static int write_over(int fd, const char *text, size_t n, const char *was, size_t nwas)
{
	int r = lseek(fd, 0, SEEK_SET) == 0 ? io_write_all(fd, text, n) : -errno;

	if (r == 0 && ftruncate(fd, (off_t)n) != 0)
		r = -errno;
	if (r < 0 && lseek(fd, 0, SEEK_SET) == 0 && io_write_all(fd, was, nwas) == 0)
		(void)!ftruncate(fd, (off_t)nwas);
	return r;
}

static int save(struct broker_act *a, const struct broker_spot *from, const struct broker_spot *to)
{
	AUTO_CLOSE int in = broker_reopen(a->b, from->object, O_RDONLY);
	AUTO_CLOSE int out = broker_reopen(a->b, to->object, O_RDWR);
	AUTO_FREE char *is = NULL, *was = NULL;
	size_t nis, nwas;
	int r = may_save(a, from, to);

	if (r != 0)
		return r;
	/* what cannot be opened, or is too large, is refused as the kernel does: something is mounted there */
	if (in < 0 || out < 0)
		return BROKER_NOT_OURS;
	if (io_read_all(in, MOST_SAVED, &is, &nis) < 0 || io_read_all(out, MOST_SAVED, &was, &nwas) < 0)
		return BROKER_NOT_OURS;
	r = write_over(out, is, nis, was, nwas);
	if (r == 0 && unlinkat(from->parent, from->leaf, 0) != 0)
		r = -errno;
	return r;
}

/* A second name for it: a copy, since no name can lead into another mount.  ssh keeps the old known_hosts so
 * before it saves the new one. */
static int keep_copy(struct broker_act *a, const struct broker_spot *from, const struct broker_spot *to)
{
	struct open_how how = { .flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
				.mode = from->mode & 0777,
				.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV };
	AUTO_CLOSE int in = broker_reopen(a->b, from->object, O_RDONLY);
	AUTO_CLOSE int out = -1;
	AUTO_FREE char *text = NULL;
	size_t n;
	int r = to->place->kind == BROKER_TREE ? broker_may_move(a, from->path, to->path, false, BROKER_BY_RULE) : 0;

	if (r != 0)
		return r;
	if (in < 0 || io_read_all(in, MOST_SAVED, &text, &n) < 0)
		return BROKER_NOT_OURS;
	out = sys_openat2(to->parent, to->leaf, &how);
	if (out < 0)
		return -errno;
	r = io_write_all(out, text, n);
	if (r < 0)
		(void)unlinkat(to->parent, to->leaf, 0);
	return r < 0 ? r : 0;
}

/* Does the directory of the name lie in the private tree itself? */
static bool is_in_own(const struct broker_spot *s)
{
	struct stat st;

	return s->last == BROKER_LAST_NAME && !s->slash && s->parent >= 0 &&
	       (s->place->kind == BROKER_WRITE_HERE || s->place->kind == BROKER_TREE) && fstat(s->parent, &st) == 0 &&
	       st.st_dev == s->place->dev;
}

static int make_call(struct broker_act *a, const struct broker_spot *alone, const struct broker_spot *other)
{
	const struct broker_call *c = a->c;

	if (!is_in_own(other) || broker_trees_find(&a->b->alone_files, alone->path,
						   (size_t)(strrchr(alone->path, '/') - alone->path), NULL) != other->place)
		return BROKER_NOT_OURS;
	if (c->verb == BROKER_LINK)
		return other->object >= 0 ? -EEXIST : other->missing != ENOENT ? -other->missing : keep_copy(a, alone, other);
	if (!S_ISREG(other->mode) || other->dev != other->place->dev)
		return BROKER_NOT_OURS;
	/* mv(1) asks so first; on a read-only mount the kernel would say nothing of the name */
	return c->flags ? -EEXIST : save(a, other, alone);
}

int broker_save(struct broker_act *a)
{
	const struct broker_call *c = a->c;
	const bool link = c->verb == BROKER_LINK;
	const struct broker_path *paths[] = { link ? &c->path : &c->to, link ? &c->to : &c->path };
	struct broker_spot alone, other;
	int r = BROKER_NOT_OURS;

	if (!(link || (c->verb == BROKER_RENAME && !(c->flags & ~(uint64_t)RENAME_NOREPLACE))) || !a->b->alone_files.n ||
	    broker_resolve(&a->b->alone_files, &c->by, paths[0]->base, paths[0]->raw, BROKER_WALK_PARENT, &alone) != 0)
		return BROKER_NOT_OURS;
	if (alone.place->kind == BROKER_ALONE && !alone.slash && S_ISREG(alone.mode) &&
	    broker_resolve(&a->b->alone_files, &c->by, paths[1]->base, paths[1]->raw, BROKER_WALK_PARENT, &other) == 0) {
		r = make_call(a, &alone, &other);
		broker_spot_release(&other);
	}
	broker_spot_release(&alone);
	return r;
}
