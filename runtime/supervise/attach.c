/* Mounts and unmounts files in the run's mount namespace, and fills them: see attach.h. */
#include "runtime/supervise/attach.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/fd_pass.h"
#include "runtime/base/io.h"
#include "runtime/base/own_filter.h"
#include "runtime/base/sys.h"
#include "runtime/sandbox/sandbox.h"

#define PIECE ((size_t)1 << 20) /* bytes that are copied before it is looked for a request */

/* What polrun asks, by the number of descriptors beside it. */
enum { AWAY, OVER, COPY };

struct request {
	uint32_t number; /* AWAY, OVER (its target is beside it) */
	off_t size;      /* COPY: from the first descriptor to the second one */
};

struct state {
	int sock, dir, copied;
	int *mounts; /* by number: the mount that stands; -1: none */
	uint32_t n;
	int from, to; /* what is being copied; -1: nothing */
	off_t left;
};

/* --- the process ----------------------------------------------------------------------- */

/* The working directory is /proc/self/fd of the host. */
static int take_away(struct state *s, uint32_t number)
{
	int fd = s->mounts[number], r;
	char name[16];

	if (fd < 0)
		return 0;
	(void)snprintf(name, sizeof(name), "%d", fd);
	/* EINVAL: the host has renamed or removed the name, and with it went the mount */
	r = sys_umount2(name, MNT_DETACH) == 0 || errno == EINVAL ? 0 : -errno;
	(void)close(fd);
	s->mounts[number] = -1;
	return r;
}

static int put_over(struct state *s, uint32_t number, int target)
{
	struct mount_attr attr = { .attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID |
					       MOUNT_ATTR_NODEV };
	AUTO_CLOSE int fd = -1;
	char name[SANDBOX_COPY_NAME];
	int r = take_away(s, number);

	if (r < 0)
		return r;
	sandbox_copy_name(number, name);
	fd = sys_open_tree(s->dir, name, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
	if (fd < 0 || sys_mount_setattr(fd, "", AT_EMPTY_PATH, &attr, sizeof(attr)) < 0 ||
	    sys_move_mount(fd, "", target, "",
			   MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) < 0)
		return -errno;
	s->mounts[number] = io_steal_fd(&fd);
	return 0;
}

static void say(int to, int r)
{
	if (SYS_RETRY(write(to, &r, sizeof(r))) != (ssize_t)sizeof(r))
		_exit(1);
}

static void copy_piece(struct state *s)
{
	size_t most = s->left < (off_t)PIECE ? (size_t)s->left : PIECE;
	ssize_t n = SYS_RETRY(sendfile(s->to, s->from, NULL, most));
	int r = n < 0 ? -errno : n == 0 ? -EIO : 0;

	s->left -= n > 0 ? n : 0;
	if (r == 0 && s->left > 0)
		return;
	(void)close(io_steal_fd(&s->from));
	(void)close(io_steal_fd(&s->to));
	say(s->copied, r);
}

static void __attribute__((noreturn)) answer_requests(struct state *s)
{
	for (;;) {
		struct request q;
		int fds[COPY] = { -1, -1 };
		size_t n;
		ssize_t got = fd_pass_receive(s->sock, &q, sizeof(q),
					      s->from < 0 ? 0 : MSG_DONTWAIT, fds, COPY, &n);

		if (got == -EAGAIN && s->from >= 0) {
			copy_piece(s);
			continue;
		}
		if (got != (ssize_t)sizeof(q) || q.number >= s->n || (n == COPY && s->from >= 0))
			_exit(got != 0);
		if (n == COPY) {
			s->from = fds[0];
			s->to = fds[1];
			s->left = q.size;
			continue;
		}
		say(s->sock, n == OVER ? put_over(s, q.number, fds[0]) : take_away(s, q.number));
		if (n == OVER)
			(void)close(fds[0]);
	}
}

static int confine(void)
{
#ifdef POL_SAN
	/* the sanitizers make many calls of their own */
	return 0;
#else
	static const int calls[] = {
		SYS_recvmsg,      SYS_write,           SYS_close,      SYS_open_tree,
		SYS_move_mount,   SYS_umount2,         SYS_exit_group, SYS_mount_setattr,
		SYS_rt_sigreturn, SYS_restart_syscall, SYS_sendfile,
	};
	struct own_filter f;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return -errno;
	own_filter_begin(&f, (struct sock_filter)KILL);
	own_filter_calls(&f, calls, OWN_FILTER_COUNT(calls), (struct sock_filter)ALLOW);
	own_filter_add(&f, (struct sock_filter)KILL);
	return own_filter_load(&f);
#endif
}

static int enter(struct state *s, int init_pidfd, pid_t polrun)
{
	AUTO_CLOSE int self = -1;
	int r = sys_die_with(polrun);

	if (r < 0)
		return r;
	self = sys_open("/proc/self/fd", O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
	if (self < 0 || setns(init_pidfd, CLONE_NEWUSER | CLONE_NEWNS) != 0 || fchdir(self) != 0)
		return -errno;
	/* the change of credentials has cleared it */
	r = sys_die_with(polrun);
	if (r < 0)
		return r;
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0)
		return -errno;
	/* a limit of file sizes is the copy's */
	(void)signal(SIGXFSZ, SIG_IGN);
	(void)close(io_steal_fd(&self));
	/* 0 to 2 as well: whoever reads the run's output does not wait for this process */
	r = io_close_others((const int[]){ s->sock, s->dir, s->copied }, 3);
	return r < 0 ? r : confine();
}

static void __attribute__((noreturn))
run_child(struct state *s, int init_pidfd, pid_t polrun)
{
	int r = enter(s, init_pidfd, polrun);

	say(s->sock, r);
	if (r < 0)
		_exit(1);
	answer_requests(s);
}

/* --- polrun's side --------------------------------------------------------------------- */

/* The other end may be gone. */
static int take_answer(int sock)
{
	int answer;
	ssize_t n = SYS_RETRY(read(sock, &answer, sizeof(answer)));

	return n == (ssize_t)sizeof(answer) ? answer : n < 0 ? -errno : -EPIPE;
}

static int ask(const struct attach *a, uint32_t number, const int *target)
{
	struct request q = { .number = number };
	int r;

	if (a->sock < 0)
		return -ENOTCONN;
	r = fd_pass_send(a->sock, &q, sizeof(q), target, target ? OVER : AWAY, 0);
	return r < 0 ? r : take_answer(a->sock);
}

int attach_over(const struct attach *a, uint32_t number, int target)
{
	return ask(a, number, &target);
}

int attach_away(const struct attach *a, uint32_t number)
{
	return ask(a, number, NULL);
}

int attach_copy(const struct attach *a, int from, int to, off_t size)
{
	const struct request q = { .size = size };

	return a->sock < 0 ? -ENOTCONN :
			     fd_pass_send(a->sock, &q, sizeof(q), (const int[]){ from, to }, COPY, 0);
}

int attach_copied(const struct attach *a)
{
	return take_answer(a->copied);
}

static int start(struct attach *a, struct state *s, int init_pidfd, struct rt_err *err)
{
	pid_t polrun = getpid();
	int r;

	a->pid = fork();
	r = a->pid < 0 ? -errno : 0;
	if (a->pid == 0)
		run_child(s, init_pidfd, polrun);
	(void)close(s->sock);
	(void)close(s->copied);
	if (r == 0)
		r = take_answer(a->sock);
	if (r == 0)
		return 0;
	attach_release(a);
	return rt_fail_errno(err, -r, "the process that mounts programs for the run");
}

int attach_start(struct attach *a, int init_pidfd, int dir, uint32_t nfiles, struct rt_err *err)
{
	struct state s = { .dir = dir, .n = nfiles, .from = -1, .to = -1 };
	AUTO_FREE int *mounts = malloc(nfiles * sizeof(*mounts));
	int sv[2], done[2];

	*a = (struct attach)ATTACH_NONE;
	if (!mounts)
		return rt_fail(err, ENOMEM, "no memory for the mounts of programs");
	memset(mounts, -1, nfiles * sizeof(*mounts));
	s.mounts = mounts;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sv) != 0)
		return rt_fail_errno(err, errno, "a socket pair");
	if (pipe2(done, O_CLOEXEC) != 0) {
		int e = errno;

		(void)close(sv[0]);
		(void)close(sv[1]);
		return rt_fail_errno(err, e, "a pipe");
	}
	a->sock = sv[0];
	a->copied = done[0];
	s.sock = sv[1];
	s.copied = done[1];
	return start(a, &s, init_pidfd, err);
}

void attach_release(struct attach *a)
{
	if (a->sock < 0)
		return;
	(void)close(a->sock);
	(void)close(a->copied);
	if (a->pid > 0)
		(void)SYS_RETRY(waitpid(a->pid, NULL, 0));
	*a = (struct attach)ATTACH_NONE;
}
