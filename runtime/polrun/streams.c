/* Decides what the command gets as its descriptors 0 to 2. */
#include "runtime/polrun/streams.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/kcmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"
#include "runtime/decide/rule_text.h"
#include "runtime/sandbox/view_answer.h"

static const char *const names[] = { "standard input", "standard output",
				     "standard error" };

int streams_clean(struct rt_err *err)
{
	if (sys_close_range(3, ~0U, 0) != 0)
		return rt_fail_errno(err, errno, "close_range");
	for (int fd = 0; fd < 3; fd++) {
		int flags = fcntl(fd, F_GETFL);
		struct stat st;

		if (flags < 0 && errno == EBADF) {
			/* This is the lowest free number, so open() must return it. */
			if (sys_open("/dev/null", O_RDWR | O_NOCTTY, 0) != fd)
				return rt_fail_errno(err, errno, "/dev/null");
			continue;
		}
		if (flags < 0 || fstat(fd, &st) != 0)
			return rt_fail_errno(err, errno, "%s", names[fd]);
		if (flags & O_PATH)
			return rt_fail(err, EBADF,
				       "%s is an O_PATH descriptor: the command could "
				       "reach the host's files through it", names[fd]);
		if (S_ISDIR(st.st_mode))
			return rt_fail(err, EISDIR,
				       "%s is a directory: the command could reach the "
				       "host's files through it", names[fd]);
	}
	return 0;
}

/* The copier only reads, writes and exits: its filter allows nothing else. */
static void confine_copier(void)
{
#ifndef POL_SAN
	struct sock_filter f[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 0, 5),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_read, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog prog = { sizeof(f) / sizeof(f[0]), f };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    sys_seccomp(SECCOMP_SET_MODE_FILTER, 0, &prog) != 0)
		_exit(errno);
#endif
}

__attribute__((noreturn)) static void copy(int from, int to)
{
	static char buf[65536];

	unsigned low = (unsigned)(from < to ? from : to);
	unsigned high = (unsigned)(from < to ? to : from);

	/* Only the command may hold its end of the pipe. */
	if ((low > 0 && sys_close_range(0, low - 1, 0) != 0) ||
	    (high > low + 1 && sys_close_range(low + 1, high - 1, 0) != 0) ||
	    sys_close_range(high + 1, ~0U, 0) != 0)
		_exit(errno);
	for (int sig = 1; sig < 32; sig++)
		if (sig != SIGKILL && sig != SIGSTOP && sig != SIGPIPE)
			(void)signal(sig, SIG_IGN); /* it ends when its input ends */
	confine_copier();
	for (;;) {
		ssize_t n = read(from, buf, sizeof(buf));

		if (n < 0 && errno == EINTR)
			continue;
		int r;

		if (n <= 0)
			_exit(n < 0 ? errno : 0);
		r = io_write_all(to, buf, (size_t)n);
		if (r != 0)
			_exit(r == -EPIPE ? 0 : -r);
	}
}

/* polrun still has something to say when streams_finish() has closed the pipe. */
static int keep_own(struct streams *s, int fd, struct rt_err *err)
{
	s->own[fd] = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	return s->own[fd] < 0 ? rt_fail_errno(err, errno, "%s", names[fd]) : 0;
}

static int bridge(struct streams *s, int fd, struct rt_err *err)
{
	AUTO_CLOSE int mine = -1;
	AUTO_CLOSE int theirs = -1;
	int p[2];
	pid_t pid;

	if (pipe2(p, O_CLOEXEC) != 0)
		return rt_fail_errno(err, errno, "%s", names[fd]);
	mine = fd == 0 ? p[1] : p[0];
	theirs = fd == 0 ? p[0] : p[1];
	pid = fork();
	if (pid < 0)
		return rt_fail_errno(err, errno, "%s", names[fd]);
	if (pid == 0) {
		(void)close(theirs);
		if (fd == 0)
			copy(fd, mine);
		copy(mine, fd);
	}
	s->copier[fd] = pid;
	if (SYS_RETRY(dup2(theirs, fd)) < 0)
		return rt_fail_errno(err, errno, "%s", names[fd]);
	return 0;
}

/* --- sockets --------------------------------------------------------------------- */

/*
 * A socket stays in the network namespace in which it was made: with connect() or
 * sendto() the command could reach through it what the caller reaches, whatever the policy
 * says of the network.  A connection that exists is no better: it can be given up and made
 * to another place (AF_UNSPEC).  Only a connection of unix sockets stays what it is.
 */
static int check_socket(const struct sandbox_run *run, int fd, struct rt_err *err)
{
	struct sockaddr_storage peer;
	socklen_t n = sizeof(int), m = sizeof(int), len = sizeof(peer);
	int family = 0, type = 0;

	if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &family, &n) != 0 ||
	    getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &m) != 0)
		return rt_fail_errno(err, errno, "%s", names[fd]);
	/* a name of a file is one that the command sees; abstract ones are the host's, from
	   which only Landlock's scope keeps it (ABI 6) */
	if (family == AF_UNIX &&
	    (run->landlock_abi >= 6 ||
	     ((type == SOCK_STREAM || type == SOCK_SEQPACKET) &&
	      getpeername(fd, (struct sockaddr *)&peer, &len) == 0)))
		return 0;
	return rt_fail(err, EINVAL,
		       "%s is a socket of the caller's network: the command could connect "
		       "it to any place (put a pipe between: cat | polrun … | cat)",
		       names[fd]);
}

/* --- which files need one -------------------------------------------------------- */

struct file {
	int fd;
	struct stat st;
	bool reads, writes;   /* how the caller opened it */
	bool placed;          /* `path` says where the file is */
	char path[PATH_MAX];
	uint64_t mount;
};

static uint64_t mount_of(int fd)
{
	struct statx stx;

	return statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &stx) == 0 &&
			       (stx.stx_mask & STATX_MNT_ID) ?
		       stx.stx_mnt_id : 0;
}

static int describe(int fd, struct file *ret, struct rt_err *err)
{
	int flags = fcntl(fd, F_GETFL), mode = flags & O_ACCMODE;
	struct stat at;
	char name[32];
	ssize_t n;

	if (flags < 0)
		return rt_fail_errno(err, errno, "%s", names[fd]);
	ret->fd = fd;
	ret->reads = mode != O_WRONLY;
	ret->writes = mode != O_RDONLY;
	ret->mount = mount_of(fd);
	(void)snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	n = readlink(name, ret->path, sizeof(ret->path) - 1);
	ret->path[n > 0 ? n : 0] = '\0';
	ret->placed = ret->path[0] == '/' && ret->mount &&
		      lstat(ret->path, &at) == 0 && at.st_dev == ret->st.st_dev &&
		      at.st_ino == ret->st.st_ino;
	return 0;
}

/*
 * What Landlock allows: its rules are on directories, so they also hold for a file that
 * is reached through another mount of them.
 */
static uint8_t landlock_gives(const struct file *f, const struct sandbox_view *v)
{
	uint8_t ops = 0;

	for (size_t i = 0; i < v->n; i++) {
		const struct sandbox_node *n = &v->nodes[i];
		size_t len = strlen(n->path);

		if (n->pin_fd < 0 || n->masked || n->dev != f->st.st_dev)
			continue;
		if (!f->placed || mount_of(n->pin_fd) != f->mount ||
		    (strncmp(f->path, n->path, len) == 0 &&
		     (f->path[len] == '/' || !f->path[len])))
			ops |= n->ops;
	}
	return ops;
}

/* What the view allows at the file's place; in a brokered tree, by its name. */
static uint8_t view_gives(const struct sandbox_run *run, const struct file *f,
			  const struct sandbox_view *v)
{
	const struct sandbox_node *n = f->placed ? sandbox_view_find(v, f->path) : NULL;
	uint32_t rule;

	if (!n || n->pin_fd < 0 || n->masked || n->locked)
		return 0;
	if (n->broker && !view_allows_name(&run->ctx, v, PB_WRITE, f->path, &rule))
		return sandbox_node_native(n);
	return n->ops;
}

static bool gives_more(const struct sandbox_run *run, const struct sandbox_view *v,
		       const struct file *f)
{
	uint8_t more;

	/* what the view lets the run write is then the file in an overlay, and the
	 * descriptor is the host's: opened again, it would be written itself */
	if (run->landlock_abi == 0 || run->nlayers)
		return true;
	more = landlock_gives(f, v);
	/* The right to truncate is new in ABI 3.  Before that, a run could truncate the
	 * file through /proc/self/fd if the file's mode lets it write */
	if (run->landlock_abi < 3)
		more |= PB_WRITE;
	more &= (uint8_t)~view_gives(run, f, v);
	if (((more & PB_WRITE) && !f->writes) || ((more & PB_READ) && !f->reads))
		return true;
	/* fchmod, futimens and fsetxattr need no write access, only the owner; a run as
	 * root is not the owner */
	return !f->writes && !run->root_run && f->st.st_uid == run->uid &&
	       !(view_gives(run, f, v) & PB_WRITE);
}

/* Where names are decided one by one, each change of a protected file ends the run: polrun cannot tell a write by
 * this descriptor from one of a program outside. */
static int check_protected(const struct sandbox_run *run, const struct sandbox_view *view, const struct file *f,
			   struct rt_err *err)
{
	const struct sandbox_node *n = f->placed ? sandbox_view_find(view, f->path) : NULL;
	char shown[PATH_MAX], text[EXPLAIN_RULE_CAP];
	uint32_t rule;

	if (!f->writes || !n || !n->broker || n->scratch ||
	    view_allows_name(&run->ctx, view, PB_WRITE, f->path, &rule) ||
	    bundle_rule(run->bundle, rule)->kind != PB_FILE)
		return 0;
	io_escape(shown, sizeof(shown), f->path, strlen(f->path));
	return rt_fail(err, EACCES, "%s is '%s', which may not be written: %s", names[f->fd], shown,
		       explain_rule(run->bundle, rule, text));
}

/* If both are the same file, as in `> log 2>&1`, one pipe keeps the order of what they
 * write. */
static bool shares_pipe(const struct streams *s, int fd, const struct stat files[3])
{
	return fd == 2 && s->copier[1] > 0 && files[1].st_dev == files[2].st_dev &&
	       files[1].st_ino == files[2].st_ino;
}

int streams_bridge(const struct sandbox_run *run, const struct sandbox_view *view,
		   struct streams *ret, struct rt_err *err)
{
	struct stat files[3];

	for (int fd = 0; fd < 3; fd++) {
		struct file f;
		int r = 0;

		if (fstat(fd, &files[fd]) != 0)
			return rt_fail_errno(err, errno, "%s", names[fd]);
		/* in the host's own network it gives nothing that the command does not have */
		if (S_ISSOCK(files[fd].st_mode) && !run->host_network)
			r = check_socket(run, fd, err);
		if (r < 0)
			return r;
		if (!S_ISREG(files[fd].st_mode))
			continue;
		f.st = files[fd];
		r = describe(fd, &f, err);
		if (r == 0)
			r = check_protected(run, view, &f, err);
		if (r < 0)
			return r;
		if (!gives_more(run, view, &f))
			continue;
		ret->shared = shares_pipe(ret, fd, files);
		r = fd ? keep_own(ret, fd, err) : 0;
		if (r < 0)
			return r;
		if (!ret->shared)
			r = bridge(ret, fd, err);
		else if (SYS_RETRY(dup2(1, 2)) < 0)
			r = rt_fail_errno(err, errno, "%s", names[fd]);
		if (r < 0)
			return r;
	}
	return 0;
}

int streams_finish(struct streams *s, struct rt_err *err)
{
	int r = 0;

	/* then the last open ends of the pipes are closed */
	for (int fd = 1; fd < 3; fd++)
		if (s->own[fd] > 0) {
			(void)close(fd); /* the supervisor's filter has no dup2(2) */
			(void)fcntl(s->own[fd], F_DUPFD, fd);
			(void)close(s->own[fd]);
			s->own[fd] = 0;
		}
	for (int fd = 0; fd < 3; fd++) {
		int status = 0;

		/* the copier of the input may not have noticed yet that nobody reads */
		if (s->copier[fd] > 0 &&
		    SYS_RETRY(waitpid(s->copier[fd], &status, fd == 0 ? WNOHANG : 0)) > 0 &&
		    WIFEXITED(status) && WEXITSTATUS(status) != 0)
			r = rt_fail_errno(err, WEXITSTATUS(status),
					  "%s was not copied to its end", names[fd]);
		s->copier[fd] = 0;
	}
	return r;
}

static bool is_same_file(pid_t pid, int fd, int own_fd)
{
	return syscall(SYS_kcmp, pid, getpid(), KCMP_FILE, fd, own_fd) == 0;
}

/*
 * May polrun keep the open file until the run has ended?  The supervisor lets go of 0 and 1, because a
 * pipe or a socket that the command has closed would stay open for its other end.  A pipe that
 * polrun's parent has as well stays open in any case: `sh script` with a pipe as its input is the
 * usual caller that reads on after the run.
 */
static bool can_keep(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && (S_ISREG(st.st_mode) || isatty(fd) || is_same_file(getppid(), fd, fd));
}

void streams_note(struct streams *s)
{
	for (int fd = 2; fd >= 0; fd--) {
		struct stream_given *g = &s->given[fd];

		if (g->fd > 0 || (fd < 2 && (is_same_file(getpid(), 2, fd) || !can_keep(fd))))
			continue;
		g->flags = fcntl(fd, F_GETFL);
		g->has_owner = fcntl(fd, F_GETOWN_EX, &g->owner) == 0;
		/* polrun writes its messages to 2 anyway */
		g->fd = g->flags < 0 ? 0 : fd == 2 ? 2 : fcntl(fd, F_DUPFD_CLOEXEC, 3);
	}
}

static bool is_same_owner(const struct f_owner_ex *a, const struct f_owner_ex *b)
{
	return a->pid == b->pid && (a->type == b->type || a->pid == 0);
}

void streams_give_back(const struct streams *s)
{
	for (int fd = 0; fd < 3; fd++) {
		const struct stream_given *g = &s->given[fd];
		struct f_owner_ex owner;

		if (g->fd <= 0)
			continue;
		if (g->has_owner && fcntl(g->fd, F_GETOWN_EX, &owner) == 0 &&
		    !is_same_owner(&owner, &g->owner))
			(void)fcntl(g->fd, F_SETOWN_EX, &g->owner);
		if (fcntl(g->fd, F_GETFL) != g->flags)
			(void)fcntl(g->fd, F_SETFL, g->flags);
	}
}
