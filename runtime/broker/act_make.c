/* Makes and removes names: directories, files, FIFOs and links.  The kernel acts on the
 * descriptor of the directory and the last name, and follows nothing there. */
#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"
#include "runtime/broker/actions.h"

int broker_may_make(struct broker_act *a, bool is_dir)
{
	const struct broker_spot *s = a->at;

	if (s->last != BROKER_LAST_NAME || s->object >= 0)
		return -EEXIST;
	if (s->missing != ENOENT)
		return -s->missing;
	if (s->slash && !is_dir)
		return -ENOENT;
	/* only bind(2) comes here for a tree that the run writes by itself */
	return s->place->kind == BROKER_WRITE_HERE ? 0 : broker_may_write(a, s, is_dir);
}

int broker_mkdir(struct broker_act *a)
{
	int r = broker_may_make(a, true);
	mode_t own;

	if (r == 0)
		r = broker_take_umask(a, &own);
	if (r < 0)
		return r;
	r = broker_done(mkdirat(a->at->parent, a->at->leaf, a->c->mode & 01777));
	(void)umask(own);
	if (r == 0 && a->b->rules.makes_dir)
		a->b->rules.makes_dir(a->b->rules.arg, a->at->parent, a->at->leaf);
	return r;
}

int broker_check_mknod(const struct broker_call *c)
{
	switch (c->mode & S_IFMT) {
	case 0:
	case S_IFREG:
	case S_IFIFO:
	case S_IFSOCK:
	case S_IFCHR:
	case S_IFBLK:
		return 0;
	case S_IFDIR:
		return -EPERM;
	}
	return -EINVAL;
}

int broker_mknod(struct broker_act *a)
{
	mode_t type = a->c->mode & S_IFMT;
	mode_t own;
	int r = broker_may_make(a, false);

	if (r < 0)
		return r;
	if (type != 0 && type != S_IFREG && type != S_IFIFO)
		return broker_refuse(a, EPERM, BROKER_BY_NATURE, a->at->path);
	r = broker_take_umask(a, &own);
	if (r < 0)
		return r;
	r = broker_done(
		mknodat(a->at->parent, a->at->leaf, type | (a->c->mode & 07777), 0));
	(void)umask(own);
	return r;
}

int broker_check_symlink(const struct broker_call *c)
{
	size_t n = strlen(c->text);

	return n == 0 ? -ENOENT : n >= PATH_MAX ? -ENAMETOOLONG : 0;
}

int broker_symlink(struct broker_act *a)
{
	int r = broker_may_make(a, false);

	if (r == 0)
		r = broker_may_lead(a, a->at->path, a->c->text);
	return r != 0 ? r
		      : broker_done(symlinkat(a->c->text, a->at->parent, a->at->leaf));
}

/* The names that rmdir(2) and unlink(2) never remove. */
static int special(const struct broker_act *a)
{
	if (a->c->verb == BROKER_UNLINK)
		return -EISDIR;
	switch ((enum broker_last)a->at->last) {
	case BROKER_LAST_DOT:
		return -EINVAL;
	case BROKER_LAST_DOTDOT:
		return -ENOTEMPTY;
	case BROKER_LAST_PLACE:
	case BROKER_LAST_NAME:
	case BROKER_LAST_NAMELESS:
		break;
	}
	return -EBUSY;
}

/* Holds the directory a name?  Only where the run may list it itself. */
static bool is_full(struct broker_act *a, const struct broker_spot *s)
{
	char *buf = a->b->work->read[0];
	uint32_t rule;
	AUTO_CLOSE int fd = -1;
	long n;

	if (!a->b->rules.allows(a->b->rules.arg, BROKER_READ, s->path, true, &rule))
		return false;
	fd = sys_open_beneath(s->object, ".", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
			      RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV);
	while (fd >= 0 && (n = syscall(SYS_getdents64, fd, buf, BROKER_READ_SIZE)) > 0)
		for (long at = 0; at < n;) {
			const struct dirent64 *e = (const void *)(buf + at);

			if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
				return true;
			at += e->d_reclen;
		}
	return false;
}

int broker_remove(struct broker_act *a)
{
	const struct broker_spot *s = a->at;
	bool is_dir = S_ISDIR(s->mode), wants_dir = a->c->verb == BROKER_RMDIR;
	int r;

	if (s->last != BROKER_LAST_NAME)
		return special(a);
	if (s->object < 0)
		return -s->missing;
	if (!wants_dir && s->slash)
		return is_dir ? -EISDIR : -ENOTDIR;
	if (broker_trees_below(&a->b->trees, s->path, s->len))
		return broker_refuse(a, EBUSY, BROKER_BY_MOUNT, s->path);
	r = broker_may_write(a, s, is_dir);
	if (r == 0)
		r = broker_may_go(a, s->path);
	/* git tries it with .git where it has removed a file of its own there, at each `git stash`: nothing
	 * is denied that the kernel would have done */
	if (r < 0 && wants_dir && is_dir && is_full(a, s)) {
		a->ret->reason = BROKER_BY_KERNEL;
		return -ENOTEMPTY;
	}
	if (r == 0)
		r = broker_done(unlinkat(s->parent, s->leaf, wants_dir ? AT_REMOVEDIR : 0));
	if (r == 0)
		broker_removed(a, s);
	return r;
}
