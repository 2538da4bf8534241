/* What the command gets as its descriptors 0 to 2. */
#include "runtime/cli/streams.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/audit.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"

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
			/* The lowest free number is this one. */
			if (open("/dev/null", O_RDWR | O_NOCTTY) != fd)
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

/* Reads, writes, ends: the copier needs nothing else. */
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
		_exit(125);
#endif
}

__attribute__((noreturn)) static void copy(int from, int to)
{
	static char buf[65536];

	unsigned low = (unsigned)(from < to ? from : to);
	unsigned high = (unsigned)(from < to ? to : from);

	/* The command's end of the pipe must be the only one. */
	if (low > 0)
		(void)sys_close_range(0, low - 1, 0);
	if (high > low + 1)
		(void)sys_close_range(low + 1, high - 1, 0);
	(void)sys_close_range(high + 1, ~0U, 0);
	for (int sig = 1; sig < 32; sig++)
		if (sig != SIGKILL && sig != SIGSTOP && sig != SIGPIPE)
			(void)signal(sig, SIG_IGN); /* it ends with its input */
	confine_copier();
	for (;;) {
		ssize_t n = read(from, buf, sizeof(buf));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0 || io_write_all(to, buf, (size_t)n) != 0)
			_exit(n < 0);
	}
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
	if (dup2(theirs, fd) < 0)
		return rt_fail_errno(err, errno, "%s", names[fd]);
	return 0;
}

int streams_bridge(struct streams *ret, struct rt_err *err)
{
	memset(ret, 0, sizeof(*ret));
	for (int fd = 0; fd < 3; fd++) {
		struct stat st;
		int r = 0;

		if (fstat(fd, &st) != 0)
			return rt_fail_errno(err, errno, "%s", names[fd]);
		if (S_ISREG(st.st_mode))
			r = bridge(ret, fd, err);
		if (r < 0)
			return r;
	}
	return 0;
}

void streams_finish(struct streams *s)
{
	for (int fd = 1; fd < 3; fd++)
		if (s->copier[fd] > 0) {
			/* polrun's own end of the pipe is the last one. */
			(void)close(fd);
			while (waitpid(s->copier[fd], NULL, 0) < 0 && errno == EINTR)
				;
			s->copier[fd] = 0;
		}
}
