/*
 * The last steps of the process that becomes the command, and the filter of pid 1.
 * After the command's filter is loaded, only write, read, close, execve and exit_group
 * are called.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/close_range.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/base/envp.h"
#include "runtime/base/sys.h"
#include "runtime/sandbox/plan.h"
#include "runtime/sandbox/status.h"

int step_rlimit(struct init *in, const struct plan_op *op, struct rt_err *err)
{
	struct rlimit old, new = { .rlim_cur = op->v, .rlim_max = op->v };

	(void)in;
#ifdef POL_SAN
	/* the sanitizers reserve terabytes of private memory */
	if (op->fd == RLIMIT_DATA && op->v >= UINT64_C(1) << 30)
		return 0;
#endif
	/* never raise a limit above the caller's, the soft one neither: the caller has lowered it
	 * for what it starts, and the command can raise it again as far as the hard one */
	if (getrlimit((__rlimit_resource_t)op->fd, &old) < 0)
		return step_fail(err, STEP_RLIMIT, errno, "resource %d", op->fd);
	if (old.rlim_max < op->v)
		new.rlim_max = old.rlim_max;
	if (old.rlim_cur < op->v)
		new.rlim_cur = old.rlim_cur;
	if (setrlimit((__rlimit_resource_t)op->fd, &new) < 0)
		return step_fail(err, STEP_RLIMIT, errno, "resource %d", op->fd);
	return 0;
}

int step_pgrp(struct init *in, const struct plan_op *op, struct rt_err *err)
{
	(void)in, (void)op;
	return setpgid(0, 0) == 0 ? 0 : step_fail(err, STEP_PGRP, errno, "setpgid");
}

int step_signals(struct init *in, const struct plan_op *op, struct rt_err *err)
{
	struct sigaction sa = { .sa_handler = SIG_DFL };
	sigset_t none;

	(void)op;
	for (int s = 1; s < 32; s++)
		if (s != SIGKILL && s != SIGSTOP && !(s == SIGHUP && sigismember(&in->ignored, s)) &&
		    sigaction(s, &sa, NULL) < 0)
			return step_fail(err, STEP_SIGNALS, errno, "signal %d", s);
	(void)umask((mode_t)in->plan->umask);
	(void)sigemptyset(&none);
	if (sigprocmask(SIG_SETMASK, &none, NULL) < 0)
		return step_fail(err, STEP_SIGNALS, errno, "sigprocmask");
	return 0;
}

int step_close(struct init *in, const struct plan_op *op, struct rt_err *err)
{
	(void)in, (void)op;
	/* the socket is still needed: it is closed at the exec */
	if (sys_close_range(3, ~0u, CLOSE_RANGE_CLOEXEC) < 0)
		return step_fail(err, STEP_CLOSE, errno, "close_range");
	return 0;
}

int step_seccomp(struct init *in, const struct plan_op *op, struct rt_err *err)
{
	struct sock_fprog prog = {
		.len = (unsigned short)(op->len / sizeof(struct sock_filter)),
		/* the kernel does not write to it */
		.filter = (struct sock_filter *)(uintptr_t)plan_at(in->plan, op->other),
	};
	bool listener = op->flags & PLAN_F_SPECIAL;
	unsigned flags = listener ? SECCOMP_FILTER_FLAG_NEW_LISTENER |
					    SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
				  : 0;
	int r = sys_seccomp(SECCOMP_SET_MODE_FILTER, flags, &prog);

	/* before Linux 5.19 the flag does not exist: signals only restart a notified
	 * call */
	if (r < 0 && errno == EINVAL && listener)
		r = sys_seccomp(SECCOMP_SET_MODE_FILTER,
				SECCOMP_FILTER_FLAG_NEW_LISTENER, &prog);
	if (r < 0)
		return step_fail(err, STEP_SECCOMP, errno, "load");
	if (listener)
		in->listener = r;
	return 0;
}

static int exec_search(const char *name, char *const *argv, char *const *envp)
{
	int e = ENOENT;

	for (const char *dir = envp_path(envp), *end; dir; dir = *end ? end + 1 : NULL) {
		char path[4096];

		end = strchrnul(dir, ':');
		if (snprintf(path, sizeof(path), "%.*s%s%s", (int)(end - dir), dir,
			     end > dir ? "/" : "", name) >= (int)sizeof(path))
			continue;
		(void)execve(path, argv, envp);
		if (errno != ENOENT && errno != ENOTDIR)
			e = errno;
		if (e != ENOENT && e != EACCES)
			break;
	}
	return e;
}

static char **strings(const struct plan_head *h, uint32_t off, uint32_t n)
{
	char **v = calloc((size_t)n + 1, sizeof(*v));
	char *s = (char *)(uintptr_t)plan_at(h, off);

	for (uint32_t i = 0; v && i < n; i++) {
		v[i] = s;
		s += strlen(s) + 1;
	}
	return v;
}

int step_exec(struct init *in, const struct plan_op *op, struct rt_err *err)
{
	const struct plan_head *h = in->plan;
	/* allocated before the filter is loaded: malloc may need a call that the filter
	 * denies */
	static char **argv, **envp;
	int e;
	ssize_t n;
	char ack;

	if (op->flags & PLAN_F_SPECIAL) {
		argv = strings(h, h->argv, h->argc);
		envp = strings(h, h->envp, h->envc);
		return argv && envp ? 0
				    : step_fail(err, STEP_EXEC, ENOMEM, "arguments");
	}
	e = -status_send(in->sock, SANDBOX_READY, in->listener, NULL);
	if (e)
		return step_fail(err, STEP_EXEC, e, "the status");
	/* wait for polrun: it takes the listener and begins to watch the walls.  Until
	 * polrun has the listener nobody answers notified calls, and nobody inside may
	 * answer them */
	n = SYS_RETRY(read(in->sock, &ack, 1));
	if (n < 0)
		return step_fail(err, STEP_EXEC, errno, "the start");
	if (n != 1)
		_exit(125);
	if (in->listener >= 0)
		(void)close(in->listener);
	if (h->exec_path || (argv[0] && strchr(argv[0], '/'))) {
		(void)execve(h->exec_path ? plan_at(h, h->exec_path) : argv[0], argv,
			     envp);
		e = errno;
	} else {
		e = argv[0] && *argv[0] ? exec_search(argv[0], argv, envp) : ENOENT;
	}
	(void)status_send(in->sock, SANDBOX_EXEC_FAILED, e, NULL);
	_exit(e == ENOENT ? 127 : 126);
}

/* The calls that pid 1 still needs: to wait, pass signals on, report and end. */
static const int init_calls[] = {
	SYS_read, SYS_write,     SYS_poll,         SYS_ppoll,           SYS_wait4,
	SYS_kill, SYS_getrusage, SYS_rt_sigreturn, SYS_restart_syscall, SYS_exit_group,
	SYS_exit,
};

#define N_INIT_CALLS (sizeof(init_calls) / sizeof(*init_calls))

int step_seccomp_init(struct init *in, const struct plan_op *op, struct rt_err *err)
{
	struct sock_filter f[N_INIT_CALLS + 6];
	struct sock_fprog prog = { .filter = f };
	unsigned short n = 0;

	(void)in, (void)op;
#ifdef POL_SAN
	/* the sanitizers make many calls of their own; this variant is never shipped */
	return 0;
#endif
	f[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
					      offsetof(struct seccomp_data, arch));
	f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
					      AUDIT_ARCH_X86_64, 1, 0);
	f[n++] =
		(struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
	f[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
					      offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < N_INIT_CALLS; i++)
		f[n++] = (struct sock_filter)BPF_JUMP(
			BPF_JMP | BPF_JEQ | BPF_K, (unsigned)init_calls[i],
			(unsigned char)(N_INIT_CALLS - i), 0);
	f[n++] =
		(struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
	f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	prog.len = n;
	if (sys_seccomp(SECCOMP_SET_MODE_FILTER, 0, &prog) < 0)
		return step_fail(err, STEP_SECCOMP_INIT, errno, "load");
	return 0;
}
