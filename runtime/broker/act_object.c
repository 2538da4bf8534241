/* Changes of an object that exists: size, mode, owner, times, extended attributes; and
 * what access(2) says of it.  All of them act on the very object that was looked at. */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"
#include "runtime/broker/actions.h"
#include "runtime/broker/tracee.h"

static int may_change(struct broker_act *a)
{
	return broker_may_write(a, a->at, S_ISDIR(a->at->mode));
}

int broker_check_truncate(const struct broker_call *c)
{
	return c->length < 0 ? -EINVAL : 0;
}

/* As the kernel: the limit of the caller counts for what a file grows to, with its signal. */
static int meets_limit(const struct broker_act *a)
{
	const struct broker_caller *by = &a->c->by;
	struct rlimit most;
	bool of_process;
	struct stat st;

	if (!by->pid)
		return 0;
	if (prlimit(by->pid, RLIMIT_FSIZE, NULL, &most) != 0 || fstat(a->at->object, &st) != 0)
		return -EIO;
	if (a->c->length <= st.st_size || (rlim_t)a->c->length <= most.rlim_cur)
		return 0;
	AUTO_CLOSE int pidfd = tracee_pidfd(by->proc_fd, by->pid, &of_process);

	if (pidfd >= 0)
		(void)sys_pidfd_send_signal(pidfd, SIGXFSZ, NULL, 0);
	return -EFBIG;
}

int broker_truncate(struct broker_act *a)
{
	const struct broker_spot *s = a->at;
	AUTO_CLOSE int fd = -1;
	int r;

	if (S_ISDIR(s->mode))
		return -EISDIR;
	if (!S_ISREG(s->mode))
		return -EINVAL;
	r = broker_may_change_program(a, s);
	if (r == 0)
		r = may_change(a);
	if (r == 0)
		r = broker_may_write_names(a, s);
	if (r == 0)
		r = meets_limit(a);
	if (r < 0)
		return r;
	fd = broker_reopen(a->b, s->object, O_WRONLY);
	return fd < 0 ? fd : broker_done(ftruncate(fd, a->c->length));
}

int broker_chmod(struct broker_act *a)
{
	char name[BROKER_FD_NAME];
	int r;

	if (S_ISLNK(a->at->mode))
		return -EOPNOTSUPP;
	r = may_change(a);
	if (r < 0)
		return r;
	broker_fd_name(a->at->object, name);
	return broker_done(fchmodat(a->b->self, name, a->c->mode & 07777, 0));
}

int broker_chown(struct broker_act *a)
{
	int r = may_change(a);

	return r < 0 ? r
		     : broker_done(fchownat(a->at->object, "", a->c->uid, a->c->gid,
					    AT_EMPTY_PATH));
}

static bool is_nsec(long n)
{
	return n == UTIME_NOW || n == UTIME_OMIT || (n >= 0 && n < 1000000000);
}

int broker_check_utimens(const struct broker_call *c)
{
	if (!is_nsec(c->times[0].tv_nsec) || !is_nsec(c->times[1].tv_nsec))
		return -EINVAL;
	/* nothing is changed, and the kernel does not even look at the path */
	return c->times[0].tv_nsec == UTIME_OMIT && c->times[1].tv_nsec == UTIME_OMIT
		       ? BROKER_NOT_OURS
		       : 0;
}

int broker_utimens(struct broker_act *a)
{
	int r = may_change(a);

	return r < 0 ? r
		     : broker_done(utimensat(a->at->object, "", a->c->times,
					     AT_EMPTY_PATH));
}

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* Opens for fsetxattr(2), which needs no more than a descriptor.  A file that one may
 * only write is opened for writing; not at first, since a program that runs is not. */
static int open_for_xattr(const struct broker_act *a)
{
	int fd = broker_reopen(a->b, a->at->object, O_RDONLY);

	if (fd == -EACCES && S_ISREG(a->at->mode))
		fd = broker_reopen(a->b, a->at->object, O_WRONLY);
	return fd;
}

int broker_check_xattr(const struct broker_call *c)
{
	size_t n = strlen(c->text);

	if (c->verb == BROKER_SETXATTR &&
	    (c->flags & ~(uint64_t)(XATTR_CREATE | XATTR_REPLACE)))
		return -EINVAL;
	if (n == 0 || n > XATTR_NAME_MAX)
		return -ERANGE;
	return c->verb == BROKER_SETXATTR && c->size > XATTR_SIZE_MAX ? -E2BIG : 0;
}

int broker_xattr(struct broker_act *a)
{
	const struct broker_call *c = a->c;
	const struct broker_spot *s = a->at;
	AUTO_CLOSE int fd = -1;
	int r = may_change(a);

	if (r < 0)
		return r;
	/* others belong to root, or to the security of the host */
	if (!begins(c->text, "user.") && !begins(c->text, "system.posix_acl_"))
		return broker_refuse(a, strchr(c->text, '.') ? EPERM : EOPNOTSUPP,
				     BROKER_BY_NATURE, s->path);
	if (!S_ISREG(s->mode) && !S_ISDIR(s->mode))
		return broker_refuse(a, EPERM, BROKER_BY_NATURE, s->path);
	fd = open_for_xattr(a);
	if (fd == -EACCES)
		return broker_refuse(a, EACCES, BROKER_BY_CLOSED, s->path);
	if (fd < 0)
		return fd;
	return broker_done(
		c->verb == BROKER_SETXATTR
			? fsetxattr(fd, c->text, c->value, c->size, (int)c->flags)
			: fremovexattr(fd, c->text));
}

int broker_check_access(const struct broker_call *c)
{
	return c->mode & ~(mode_t)(R_OK | W_OK | X_OK) ? -EINVAL : 0;
}

int broker_access(struct broker_act *a)
{
	const struct broker_spot *s = a->at;
	int r = a->c->mode & W_OK ? broker_might_write(a, s, S_ISDIR(s->mode)) : 0;

	if (r < 0)
		return r;
	/* a run has one user; where polrun is root that is its id of the file system
	 * (setfsuid), and root itself the real one */
	return broker_done(faccessat(s->object, "", (int)a->c->mode,
				     AT_EMPTY_PATH | AT_EACCESS));
}
