/* Decides which call of the broker a system call is.  The table says where its
 * arguments are; what they mean is in the functions of its rows. */
#include "runtime/broker/decode.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>
#include <utime.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"
#include "runtime/broker/deep_name.h"
#include "runtime/broker/tracee.h"

#define NR_FCHMODAT2 452 /* 6.6 */
#define EXECVE_CHECK 0x10000 /* AT_EXECVE_CHECK, 6.14: may it be executed? */

enum { NONE = -1 };

struct reading {
	int proc_fd;
	pid_t pid;
	const struct broker_ids *ids;
	struct deep_last *last;
	const __u64 *args;
	struct broker_decoded *d;
};

struct row {
	int nr;
	int8_t verb, dir, path, to_dir, to;
	int8_t mode, flags; /* arguments; NONE: none, and `fixed` are the flags */
	uint32_t fixed;
	bool follow;
	int (*more)(struct reading *r, const struct row *row);
};

static int fetch(const struct reading *r, uint64_t addr, void *buf, size_t n)
{
	return tracee_read(r->pid, addr, buf, n) == n ? 0 : -EFAULT;
}

/* A text of the caller that has to end within `cap` bytes. */
static int fetch_text(const struct reading *r, uint64_t addr, char *buf, size_t cap)
{
	char last;

	if (tracee_string(r->pid, addr, buf, cap))
		return 0;
	/* too long, or not there? */
	return addr && fetch(r, addr + cap - 1, &last, 1) == 0 ? -ENAMETOOLONG
							       : -EFAULT;
}

/* A descriptor in the spelling of the run's /proc. */
static void spell(int fd, char out[PATH_MAX])
{
	if (fd == AT_FDCWD)
		(void)snprintf(out, PATH_MAX, "/proc/thread-self/cwd");
	else
		(void)snprintf(out, PATH_MAX, "/proc/thread-self/fd/%d", fd);
}

/* How many bytes of the path spell the directory above and are followed by a name. */
static size_t goes_up(const char *raw)
{
	size_t n = strncmp(raw, "../", 3) == 0 ? 3 + strspn(raw + 3, "/") : 0;

	return raw[n] ? n : 0;
}

/* A removed directory contains nothing, but its ".." still leads to the directory above in the kernel.  A
 * path that begins with ".." is therefore resolved from there. */
static void begin_above(const struct reading *r, int dirfd, char *raw, struct name_text *base)
{
	struct open_how how = { .flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
				.resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS };
	AUTO_CLOSE int fd = tracee_open_base(r->proc_fd, r->pid, dirfd);
	char above[PATH_MAX], name[32];
	size_t n, used = 0;

	do {
		int up = fd < 0 ? -1 : sys_openat2(fd, "..", &how);

		if (fd >= 0)
			(void)close(fd);
		fd = up;
		(void)snprintf(name, sizeof(name), "self/fd/%d", fd);
		n = goes_up(raw + used);
		if (fd < 0 || n == 0 || !tracee_link(r->proc_fd, name, above))
			return;
		used += n;
	} while (tracee_is_gone(above));
	/* as in spell(): "/" is what the kernel tells of a directory that it cannot name */
	if (!above[1])
		return;
	memcpy(base->s, above, strlen(above) + 1);
	memmove(raw, raw + used, strlen(raw + used) + 1);
}

/* Where a path starts, if it is a relative one. */
static int fetch_base(const struct reading *r, int dirfd, char *raw, struct name_text *base)
{
	int e;

	/* the empty one is nothing, or the descriptor itself: name_descriptor() */
	if (raw[0] == '/' || !raw[0])
		return 0;
	e = deep_name_of_base(r->proc_fd, r->pid, dirfd, r->last, base);
	if (e < 0)
		return e;
	if (tracee_is_gone(base->s) && goes_up(raw))
		begin_above(r, dirfd, raw, base);
	/* has it no name, or is that its name?  The walk looks */
	if (tracee_is_gone(base->s) || !base->s[1])
		spell(dirfd, base->s);
	return 0;
}

/*
 * What a descriptor leads to, in the spelling of the run's /proc.  If it leads to no
 * name of a tree, the kernel sees on which mount it is: those that the broker has
 * handed out are on a writable one.
 */
static void name_descriptor(struct reading *r, int fd)
{
	struct broker_call *c = &r->d->call;

	c->follow = true;
	spell(fd, r->d->path);
}

/* The descriptor alone is the argument: one for paths only will not do. */
static int fetch_descriptor(struct reading *r, int fd)
{
	unsigned long flags;
	char name[48];

	(void)snprintf(name, sizeof(name), "%d/fdinfo/%d", r->pid, fd);
	if (!tracee_number(r->proc_fd, name, "flags", 8, &flags) || (flags & O_PATH))
		return BROKER_NOT_OURS;
	name_descriptor(r, fd);
	return 0;
}

static int fetch_path(const struct reading *r, int dir, int path, char *raw, struct name_text *base)
{
	int dirfd = dir == NONE ? AT_FDCWD : (int)(uint32_t)r->args[dir], e;

	e = fetch_text(r, r->args[path], raw, PATH_MAX);
	return e < 0 ? e : fetch_base(r, dirfd, raw, base);
}

static int at_flags(struct reading *r, const struct row *row, uint64_t known)
{
	uint64_t flags = row->flags == NONE ? 0 : (uint32_t)r->args[row->flags];

	if (flags & ~(known | AT_EMPTY_PATH))
		return -EINVAL;
	if (flags & AT_SYMLINK_NOFOLLOW)
		r->d->call.follow = false;
	r->d->call.flags = flags;
	if ((flags & AT_EMPTY_PATH) && !r->d->path[0])
		name_descriptor(r, (int)(uint32_t)r->args[row->dir]);
	return 0;
}

static bool needs_writing(uint64_t flags)
{
	return (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC)) ||
	       (flags & O_TMPFILE) == O_TMPFILE;
}

static int more_open(struct reading *r, const struct row *row)
{
	struct broker_call *c = &r->d->call;

	(void)row;
	r->d->cloexec = c->flags & O_CLOEXEC;
	return c->flags & O_PATH ? BROKER_NOT_OURS : 0;
}

/* With RESOLVE_* the kernel alone knows; on the read-only mount it refuses. */
static int more_open2(struct reading *r, const struct row *row)
{
	struct open_how how;
	int e;

	if (r->args[3] != sizeof(how))
		return BROKER_NOT_OURS;
	e = fetch(r, r->args[2], &how, sizeof(how));
	if (e < 0)
		return e;
	if (how.resolve || how.flags > UINT32_MAX)
		return BROKER_NOT_OURS;
	r->d->call.flags = how.flags;
	r->d->call.mode = (mode_t)how.mode;
	if (how.mode & ~(uint64_t)07777 || (how.mode && !(how.flags & O_CREAT) &&
					    (how.flags & O_TMPFILE) != O_TMPFILE))
		return -EINVAL;
	return more_open(r, row);
}

static int more_unlink(struct reading *r, const struct row *row)
{
	uint32_t flags = (uint32_t)r->args[row->flags];

	if (flags & ~(uint32_t)AT_REMOVEDIR)
		return -EINVAL;
	r->d->call.verb = flags ? BROKER_RMDIR : BROKER_UNLINK;
	return 0;
}

static int more_symlink(struct reading *r, const struct row *row)
{
	(void)row;
	return fetch_text(r, r->args[0], r->d->text, sizeof(r->d->text));
}

static int more_link(struct reading *r, const struct row *row)
{
	r->d->call.follow = r->args[row->flags] & AT_SYMLINK_FOLLOW;
	return at_flags(r, row, AT_SYMLINK_FOLLOW);
}

static int more_at(struct reading *r, const struct row *row)
{
	return at_flags(r, row, AT_SYMLINK_NOFOLLOW);
}

static int more_exec(struct reading *r, const struct row *row)
{
	return at_flags(r, row, AT_SYMLINK_NOFOLLOW | EXECVE_CHECK);
}

static int more_access(struct reading *r, const struct row *row)
{
	int e = at_flags(r, row, AT_SYMLINK_NOFOLLOW | AT_EACCESS);

	/* what is not about writing the kernel answers */
	return e == 0 && !(r->d->call.mode & W_OK) ? BROKER_NOT_OURS : e;
}

static int more_truncate(struct reading *r, const struct row *row)
{
	(void)row;
	r->d->call.length = (off_t)r->args[1];
	return 0;
}

/* The run has one user and one group; others mean nothing there. */
static int more_chown(struct reading *r, const struct row *row)
{
	struct broker_call *c = &r->d->call;
	int at = row->path == NONE ? 0 : row->path;
	uid_t uid = (uid_t)r->args[at + 1];
	gid_t gid = (gid_t)r->args[at + 2];

	if ((uid != (uid_t)-1 && uid != r->ids->inside_uid) ||
	    (gid != (gid_t)-1 && gid != r->ids->inside_gid))
		return -EINVAL;
	c->uid = uid == (uid_t)-1 ? uid : r->ids->uid;
	c->gid = gid == (gid_t)-1 ? gid : r->ids->gid;
	return at_flags(r, row, AT_SYMLINK_NOFOLLOW);
}

static void set_now(struct broker_call *c)
{
	c->times[0] = c->times[1] = (struct timespec){ 0, UTIME_NOW };
}

static int more_utime(struct reading *r, const struct row *row)
{
	struct utimbuf t;

	(void)row;
	set_now(&r->d->call);
	if (!r->args[1])
		return 0;
	if (fetch(r, r->args[1], &t, sizeof(t)) < 0)
		return -EFAULT;
	r->d->call.times[0] = (struct timespec){ t.actime, 0 };
	r->d->call.times[1] = (struct timespec){ t.modtime, 0 };
	return 0;
}

static int more_utimes(struct reading *r, const struct row *row)
{
	uint64_t addr = r->args[row->path + 1];
	struct timeval t[2];

	set_now(&r->d->call);
	if (!r->d->path[0] && row->dir != NONE)
		return BROKER_NOT_OURS;
	if (!addr)
		return 0;
	if (fetch(r, addr, t, sizeof(t)) < 0)
		return -EFAULT;
	for (int i = 0; i < 2; i++) {
		if (t[i].tv_usec < 0 || t[i].tv_usec >= 1000000)
			return -EINVAL;
		r->d->call.times[i] =
			(struct timespec){ t[i].tv_sec, t[i].tv_usec * 1000 };
	}
	return 0;
}

static int more_utimens(struct reading *r, const struct row *row)
{
	set_now(&r->d->call);
	if (!r->args[1] && r->args[3])
		return -EINVAL;
	if (r->args[2] &&
	    fetch(r, r->args[2], r->d->call.times, sizeof(r->d->call.times)) < 0)
		return -EFAULT;
	return at_flags(r, row, AT_SYMLINK_NOFOLLOW);
}

static int more_xattr(struct reading *r, const struct row *row)
{
	struct broker_call *c = &r->d->call;
	int e = fetch_text(r, r->args[1], r->d->text, XATTR_NAME_MAX + 1);

	if (e < 0)
		return e == -ENAMETOOLONG ? -ERANGE : e;
	if (row->verb == BROKER_REMOVEXATTR)
		return 0;
	c->size = r->args[3];
	c->value = r->d->value;
	if (c->size > sizeof(r->d->value))
		return -E2BIG;
	return fetch(r, r->args[2], r->d->value, c->size);
}

/* A name in the file system; other addresses, and what is wrong with them, are the
 * kernel's: it reads the address again, and on the read-only mount it makes no name. */
static int more_bind(struct reading *r, const struct row *row)
{
	struct sockaddr_un name;
	size_t n = (uint32_t)r->args[2], head = offsetof(struct sockaddr_un, sun_path);

	(void)row;
	if (n <= head || n > sizeof(name) || fetch(r, r->args[1], &name, n) < 0 ||
	    name.sun_family != AF_UNIX || !name.sun_path[0])
		return BROKER_NOT_OURS;
	n = strnlen(name.sun_path, n - head);
	memcpy(r->d->path, name.sun_path, n);
	r->d->path[n] = '\0';
	r->d->call.fd = (int)(uint32_t)r->args[0];
	return fetch_base(r, AT_FDCWD, r->d->path, &r->d->base);
}

#define CREAT_FLAGS (O_WRONLY | O_CREAT | O_TRUNC)

static const struct row rows[] = {
	{ SYS_open, BROKER_OPEN, NONE, 0, NONE, NONE, 2, 1, 0, true, more_open },
	{ SYS_creat, BROKER_OPEN, NONE, 0, NONE, NONE, 1, NONE, CREAT_FLAGS, true,
	  more_open },
	{ SYS_openat, BROKER_OPEN, 0, 1, NONE, NONE, 3, 2, 0, true, more_open },
	{ SYS_openat2, BROKER_OPEN, 0, 1, NONE, NONE, NONE, NONE, 0, true, more_open2 },
	{ SYS_mkdir, BROKER_MKDIR, NONE, 0, NONE, NONE, 1, NONE, 0, false, NULL },
	{ SYS_mkdirat, BROKER_MKDIR, 0, 1, NONE, NONE, 2, NONE, 0, false, NULL },
	{ SYS_rmdir, BROKER_RMDIR, NONE, 0, NONE, NONE, NONE, NONE, 0, false, NULL },
	{ SYS_unlink, BROKER_UNLINK, NONE, 0, NONE, NONE, NONE, NONE, 0, false, NULL },
	{ SYS_unlinkat, BROKER_UNLINK, 0, 1, NONE, NONE, NONE, 2, 0, false,
	  more_unlink },
	{ SYS_mknod, BROKER_MKNOD, NONE, 0, NONE, NONE, 1, NONE, 0, false, NULL },
	{ SYS_mknodat, BROKER_MKNOD, 0, 1, NONE, NONE, 2, NONE, 0, false, NULL },
	{ SYS_symlink, BROKER_SYMLINK, NONE, 1, NONE, NONE, NONE, NONE, 0, false,
	  more_symlink },
	{ SYS_symlinkat, BROKER_SYMLINK, 1, 2, NONE, NONE, NONE, NONE, 0, false,
	  more_symlink },
	{ SYS_link, BROKER_LINK, NONE, 0, NONE, 1, NONE, NONE, 0, false, NULL },
	{ SYS_linkat, BROKER_LINK, 0, 1, 2, 3, NONE, 4, 0, false, more_link },
	{ SYS_rename, BROKER_RENAME, NONE, 0, NONE, 1, NONE, NONE, 0, false, NULL },
	{ SYS_renameat, BROKER_RENAME, 0, 1, 2, 3, NONE, NONE, 0, false, NULL },
	{ SYS_renameat2, BROKER_RENAME, 0, 1, 2, 3, NONE, 4, 0, false, NULL },
	{ SYS_truncate, BROKER_TRUNCATE, NONE, 0, NONE, NONE, NONE, NONE, 0, true,
	  more_truncate },
	{ SYS_chmod, BROKER_CHMOD, NONE, 0, NONE, NONE, 1, NONE, 0, true, NULL },
	{ SYS_fchmodat, BROKER_CHMOD, 0, 1, NONE, NONE, 2, NONE, 0, true, NULL },
	{ NR_FCHMODAT2, BROKER_CHMOD, 0, 1, NONE, NONE, 2, 3, 0, true, more_at },
	{ SYS_chown, BROKER_CHOWN, NONE, 0, NONE, NONE, NONE, NONE, 0, true,
	  more_chown },
	{ SYS_lchown, BROKER_CHOWN, NONE, 0, NONE, NONE, NONE, NONE, 0, false,
	  more_chown },
	{ SYS_fchownat, BROKER_CHOWN, 0, 1, NONE, NONE, NONE, 4, 0, true, more_chown },
	{ SYS_utime, BROKER_UTIMENS, NONE, 0, NONE, NONE, NONE, NONE, 0, true,
	  more_utime },
	{ SYS_utimes, BROKER_UTIMENS, NONE, 0, NONE, NONE, NONE, NONE, 0, true,
	  more_utimes },
	{ SYS_futimesat, BROKER_UTIMENS, 0, 1, NONE, NONE, NONE, NONE, 0, true,
	  more_utimes },
	{ SYS_utimensat, BROKER_UTIMENS, 0, 1, NONE, NONE, NONE, 3, 0, true,
	  more_utimens },
	{ SYS_setxattr, BROKER_SETXATTR, NONE, 0, NONE, NONE, NONE, 4, 0, true,
	  more_xattr },
	{ SYS_lsetxattr, BROKER_SETXATTR, NONE, 0, NONE, NONE, NONE, 4, 0, false,
	  more_xattr },
	{ SYS_removexattr, BROKER_REMOVEXATTR, NONE, 0, NONE, NONE, NONE, NONE, 0, true,
	  more_xattr },
	{ SYS_lremovexattr, BROKER_REMOVEXATTR, NONE, 0, NONE, NONE, NONE, NONE, 0,
	  false, more_xattr },
	{ SYS_fchmod, BROKER_CHMOD, 0, NONE, NONE, NONE, 1, NONE, 0, true, NULL },
	{ SYS_fchown, BROKER_CHOWN, 0, NONE, NONE, NONE, NONE, NONE, 0, true,
	  more_chown },
	{ SYS_fsetxattr, BROKER_SETXATTR, 0, NONE, NONE, NONE, NONE, 4, 0, true,
	  more_xattr },
	{ SYS_fremovexattr, BROKER_REMOVEXATTR, 0, NONE, NONE, NONE, NONE, NONE, 0,
	  true, more_xattr },
	{ SYS_bind, BROKER_BIND, NONE, NONE, NONE, NONE, NONE, NONE, 0, false,
	  more_bind },
	{ SYS_execve, BROKER_EXEC, NONE, 0, NONE, NONE, NONE, NONE, 0, true, NULL },
	{ SYS_execveat, BROKER_EXEC, 0, 1, NONE, NONE, NONE, 4, 0, true, more_exec },
	{ SYS_landlock_restrict_self, BROKER_CONFINE, NONE, NONE, NONE, NONE, NONE, NONE, 0,
	  false, NULL },
	{ SYS_access, BROKER_ACCESS, NONE, 0, NONE, NONE, 1, NONE, 0, true,
	  more_access },
	{ SYS_faccessat, BROKER_ACCESS, 0, 1, NONE, NONE, 2, NONE, 0, true,
	  more_access },
	{ SYS_faccessat2, BROKER_ACCESS, 0, 1, NONE, NONE, 2, 3, 0, true, more_access },
};

static int fetch_first(struct reading *r, const struct row *row)
{
	struct broker_decoded *d = r->d;
	int fd = row->dir == NONE ? AT_FDCWD : (int)(uint32_t)r->args[row->dir];

	if (row->path == NONE)
		return row->dir == NONE ? 0 : fetch_descriptor(r, fd);
	if (row->verb == BROKER_UTIMENS && !r->args[row->path] && fd != AT_FDCWD)
		return fetch_descriptor(r, fd);
	return fetch_path(r, row->dir, row->path, d->path, &d->base);
}

static const struct row *row_of(int nr)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].nr == nr)
			return &rows[i];
	return NULL;
}

bool broker_decodes(int nr)
{
	return row_of(nr) != NULL;
}

int broker_decode(const struct broker_source *from, const struct seccomp_notif *req,
		  int64_t since, struct broker_decoded *ret)
{
	struct reading r = { from->proc_fd, (pid_t)req->pid, &from->ids, from->last, req->data.args,
			     ret };
	struct broker_call *c = &ret->call;
	const struct row *row = row_of(req->data.nr);
	int e;

	if (!row)
		return BROKER_NOT_OURS;
	*c = (struct broker_call){ .by = { r.pid, from->proc_fd,
					   since + BROKER_MOST_WAIT },
				   .verb = (enum broker_verb)row->verb,
				   .follow = row->follow,
				   .umask = BROKER_UMASK_ASK,
				   .path = { .raw = ret->path },
				   .to = { .raw = ret->to },
				   .text = ret->text };
	c->flags = row->flags == NONE ? row->fixed : (uint32_t)r.args[row->flags];
	c->mode = row->mode == NONE ? 0 : (mode_t)r.args[row->mode];
	ret->cloexec = false;
	ret->path[0] = ret->to[0] = ret->text[0] = '\0';
	name_text_release(&ret->base);
	name_text_release(&ret->to_base);
	if (c->verb == BROKER_EXEC && !from->starts)
		return BROKER_NOT_OURS;
	/* an open that writes nothing needs no path */
	if (c->verb == BROKER_OPEN && row->flags != NONE && !from->reads &&
	    !needs_writing(c->flags))
		return BROKER_NOT_OURS;
	e = fetch_first(&r, row);
	if (e == 0 && row->to != NONE)
		e = fetch_path(&r, row->to_dir, row->to, ret->to, &ret->to_base);
	if (e == 0 && row->more)
		e = row->more(&r, row);
	c->path.base = ret->base.s;
	c->to.base = ret->to_base.s;
	return e;
}
