/*
 * Saves a file by rename(2), where only this one file of the host is mounted in a private tree: programs
 * write beside it and rename, and the kernel moves nothing over a mount.  The run may write the file itself, so
 * its content is replaced in place, through the mount that the run sees; nothing is done that the run could not
 * do by open(2).  Other than a rename it is no single step for who reads the file outside.
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

/* A file that lies in the private tree itself, and not on another mount in it. */
static bool is_own(const struct broker_spot *s)
{
	return s->last == BROKER_LAST_NAME && !s->slash && S_ISREG(s->mode) &&
	       (s->place->kind == BROKER_WRITE_HERE || s->place->kind == BROKER_TREE) && s->dev == s->place->dev;
}

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

int broker_save(struct broker_act *a)
{
	const struct broker_call *c = a->c;
	struct broker_spot from, to;
	int r;

	if (c->verb != BROKER_RENAME || (c->flags & ~(uint64_t)RENAME_NOREPLACE) || !a->b->alone_files.n)
		return BROKER_NOT_OURS;
	if (broker_resolve(&a->b->alone_files, &c->by, c->to.base, c->to.raw, BROKER_WALK_PARENT, &to) != 0)
		return BROKER_NOT_OURS;
	if (to.place->kind != BROKER_ALONE || to.slash || !S_ISREG(to.mode)) {
		broker_spot_release(&to);
		return BROKER_NOT_OURS;
	}
	r = broker_resolve(&a->b->alone_files, &c->by, c->path.base, c->path.raw, BROKER_WALK_PARENT, &from);
	if (r == 0) {
		if (!is_own(&from) || broker_trees_find(&a->b->alone_files, to.path, (size_t)(strrchr(to.path, '/') - to.path),
							NULL) != from.place)
			r = BROKER_NOT_OURS;
		else /* mv(1) asks so first; on a read-only mount the kernel would say nothing of the name */
			r = c->flags ? -EEXIST : save(a, &from, &to);
		broker_spot_release(&from);
	} else {
		r = BROKER_NOT_OURS;
	}
	broker_spot_release(&to);
	return r;
}
