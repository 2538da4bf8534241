/* Mounts and unmounts files in the run's mount namespace: see attach.h. */
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
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/fd_pass.h"
#include "runtime/base/io.h"
#include "runtime/base/own_filter.h"
#include "runtime/base/sys.h"
#include "runtime/sandbox/sandbox.h"

/* What polrun asks; a target beside it: mount it there. */
struct request {
	uint32_t number;
};

struct state {
	int sock, dir;
	int *mounts; /* by number: the mount that stands; -1: none */
	uint32_t n;
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

static void __attribute__((noreturn)) answer_requests(struct state *s)
{
	for (;;) {
		struct request q;
		int target = -1, r;
		size_t n;
		ssize_t got = fd_pass_receive(s->sock, &q, sizeof(q), 0, &target, 1, &n);

		if (got == -EINTR)
			continue;
		if (got != (ssize_t)sizeof(q) || q.number >= s->n)
			_exit(got != 0);
		r = n ? put_over(s, q.number, target) : take_away(s, q.number);
		if (n)
			(void)close(target);
		if (SYS_RETRY(write(s->sock, &r, sizeof(r))) != (ssize_t)sizeof(r))
			_exit(1);
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
		SYS_rt_sigreturn, SYS_restart_syscall,
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

static int close_others(const struct state *s)
{
	int low = s->sock < s->dir ? s->sock : s->dir, high = s->sock < s->dir ? s->dir : s->sock;

	/* 0 to 2 as well: whoever reads the run's output does not wait for this process */
	if (sys_close_range(0, (unsigned)low - 1, 0) < 0 ||
	    (low + 1 < high &&
	     sys_close_range((unsigned)low + 1, (unsigned)high - 1, 0) < 0) ||
	    sys_close_range((unsigned)high + 1, ~0u, 0) < 0)
		return -errno;
	return 0;
}

static int die_with(pid_t polrun)
{
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0)
		return -errno;
	return getppid() == polrun ? 0 : -ESRCH;
}

static int enter(struct state *s, int init_pidfd, pid_t polrun)
{
	AUTO_CLOSE int self = -1;
	int r = die_with(polrun);

	if (r < 0)
		return r;
	self = sys_open("/proc/self/fd", O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
	if (self < 0 || setns(init_pidfd, CLONE_NEWUSER | CLONE_NEWNS) != 0 || fchdir(self) != 0)
		return -errno;
	/* the change of credentials has cleared it */
	r = die_with(polrun);
	if (r < 0)
		return r;
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0)
		return -errno;
	(void)close(io_steal_fd(&self));
	r = close_others(s);
	return r < 0 ? r : confine();
}

static void __attribute__((noreturn))
run_child(struct state *s, int init_pidfd, pid_t polrun)
{
	int r = enter(s, init_pidfd, polrun);

	if (SYS_RETRY(write(s->sock, &r, sizeof(r))) != (ssize_t)sizeof(r) || r < 0)
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
	struct request q = { number };
	int r;

	if (a->sock < 0)
		return -ENOTCONN;
	r = fd_pass_send(a->sock, &q, sizeof(q), target, target ? 1 : 0, 0);
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

int attach_start(struct attach *a, int init_pidfd, int dir, uint32_t nfiles, struct rt_err *err)
{
	struct state s = { .dir = dir, .n = nfiles };
	int sv[2], r;
	pid_t polrun = getpid();

	*a = (struct attach)ATTACH_NONE;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sv) != 0)
		return rt_fail_errno(err, errno, "a socket pair");
	s.mounts = malloc(nfiles * sizeof(*s.mounts));
	if (!s.mounts) {
		(void)close(sv[0]);
		(void)close(sv[1]);
		return rt_fail(err, ENOMEM, "no memory for the mounts of programs");
	}
	memset(s.mounts, -1, nfiles * sizeof(*s.mounts));
	s.sock = sv[1];
	a->sock = sv[0];
	a->pid = fork();
	r = a->pid < 0 ? -errno : 0;
	if (a->pid == 0)
		run_child(&s, init_pidfd, polrun);
	free(s.mounts);
	(void)close(sv[1]);
	if (r == 0)
		r = take_answer(a->sock);
	if (r == 0)
		return 0;
	attach_release(a);
	return rt_fail_errno(err, -r, "the process that mounts programs for the run");
}

void attach_release(struct attach *a)
{
	if (a->sock < 0)
		return;
	(void)close(a->sock);
	if (a->pid > 0)
		(void)SYS_RETRY(waitpid(a->pid, NULL, 0));
	*a = (struct attach)ATTACH_NONE;
}
