/* Decides what the processes that ask may still do (ask_confine.h).  What they never do ends
 * them; what they merely do not need is refused. */
#include "runtime/approvals/ask_confine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <signal.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/landlock.h"
#include "runtime/base/own_filter.h"
#include "runtime/base/sys.h"
#include "runtime/sandbox/sandbox.h"

#ifdef POL_SAN
/* The run time of the sanitizers opens and maps on its own: deny only what matters most. */
static void build(struct own_filter *f, bool looks, bool socket)
{
	const struct sock_filter san[] = {
		LOAD(arch), JEQ(AUDIT_ARCH_X86_64, 1, 0), KILL, LOAD(nr),
		JEQ(SYS_execve, 3, 0), JEQ(SYS_execveat, 2, 0),
		JEQ(looks || !socket ? SYS_socket : SYS_bind, 1, 0), ALLOW, KILL,
	};

	*f = (struct own_filter){ .n = 0 };
	for (size_t i = 0; i < OWN_FILTER_COUNT(san); i++)
		own_filter_add(f, san[i]);
}
#else
static const int both[] = {
	SYS_read, SYS_write, SYS_close, SYS_lseek, SYS_poll, SYS_ppoll, SYS_recvfrom, SYS_sendto,
	SYS_fstat, SYS_newfstatat, SYS_stat, SYS_readlink, SYS_readlinkat, SYS_getdents64,
	SYS_clock_gettime, SYS_gettimeofday, SYS_time, SYS_nanosleep, SYS_clock_nanosleep,
	SYS_getpid, SYS_gettid, SYS_rt_sigprocmask, SYS_rt_sigaction, SYS_rt_sigreturn,
	SYS_restart_syscall, SYS_futex, SYS_brk, SYS_munmap, SYS_madvise, SYS_getrandom,
	SYS_exit, SYS_exit_group,
};

/* Landlock says which files. */
static const int asks[] = {
	SYS_openat, SYS_open, SYS_readv, SYS_writev, SYS_fcntl, SYS_getsockopt, SYS_mkdirat,
	SYS_unlinkat, SYS_renameat, SYS_fchmod, SYS_fsync, SYS_getpgrp, SYS_getpgid, SYS_getsid,
	SYS_getuid, SYS_geteuid, SYS_rt_sigpending, SYS_rt_sigtimedwait,
};

static const int terminal[] = { TCGETS, TCSETS, TCFLSH, TIOCGPGRP, TIOCSPGRP, TIOCGWINSZ, TIOCSWINSZ };

static const int deadly[] = {
	SYS_creat, SYS_openat2, SYS_open_by_handle_at, SYS_execve, SYS_execveat, SYS_socketpair,
	SYS_bind, SYS_listen, SYS_accept, SYS_accept4, SYS_clone, SYS_clone3, SYS_fork, SYS_vfork,
	SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_mount, SYS_setns,
	SYS_unshare, SYS_bpf, SYS_io_uring_setup, SYS_pidfd_getfd, SYS_pidfd_send_signal,
};

/* Opening for reading: nothing is made, cut or written. */
static void allow_reading(struct own_filter *f, int nr, unsigned arg)
{
	size_t call = own_filter_call(f, nr);

	OWN_FILTER_ADD(f, LOAD_ARG(arg));
	OWN_FILTER_ADD(f, JUMP(BPF_JMP | BPF_JSET | BPF_K,
			       O_ACCMODE | O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY), 0, 1));
	OWN_FILTER_ADD(f, KILL);
	OWN_FILTER_ADD(f, ALLOW);
	own_filter_end(f, call);
}

static void build(struct own_filter *f, bool looks, bool socket)
{
	static const int unix_only[] = { AF_UNIX }, sockets[] = { SYS_socket, SYS_connect };
	const int signals[] = { SIGSTOP, SIGCONT, SANDBOX_HOLD, SANDBOX_STOP_ALL,
				SANDBOX_STOPPED_ALL, SANDBOX_RELEASE };

	own_filter_begin(f, (struct sock_filter)REFUSE);
	own_filter_calls(f, deadly, OWN_FILTER_COUNT(deadly), (struct sock_filter)KILL);
	own_filter_calls(f, both, OWN_FILTER_COUNT(both), (struct sock_filter)ALLOW);
	if (looks) {
		allow_reading(f, SYS_open, 1);
		allow_reading(f, SYS_openat, 2);
		own_filter_allow_if(f, SYS_kill, 1, signals, OWN_FILTER_COUNT(signals));
	} else {
		own_filter_calls(f, asks, OWN_FILTER_COUNT(asks), (struct sock_filter)ALLOW);
		/* it stops itself at ^Z */
		own_filter_allow_if(f, SYS_tgkill, 0, (const int[]){ getpid() }, 1);
		own_filter_allow_if(f, SYS_ioctl, 1, terminal, OWN_FILTER_COUNT(terminal));
	}
	if (!looks && socket) {
		own_filter_allow_if(f, SYS_socket, 0, unix_only, 1);
		own_filter_calls(f, &sockets[1], 1, (struct sock_filter)ALLOW);
	}
	own_filter_calls(f, sockets, OWN_FILTER_COUNT(sockets), (struct sock_filter)KILL);
}
#endif

static int filter(bool looks, bool socket, struct rt_err *err)
{
	static const struct rlimit none = { 0, 0 };
	struct own_filter f;
	int r;

	build(&f, looks, socket);
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0 || setrlimit(RLIMIT_CORE, &none) != 0)
		return rt_fail_errno(err, errno, "against dumps");
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return rt_fail_errno(err, errno, "no_new_privs");
	r = own_filter_load(&f);
	return r == 0 ? 0 : rt_fail_errno(err, -r, "the filter");
}

/* What is not there gets no rule: then it cannot be made either. */
static int allow_below(int ruleset, const char *path, uint64_t rights)
{
	AUTO_CLOSE int fd = sys_open(path, O_PATH | O_CLOEXEC, 0);
	struct landlock_path_beneath_attr a = { .allowed_access = rights, .parent_fd = fd };

	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	return sys_landlock_add(ruleset, LANDLOCK_RULE_PATH_BENEATH, &a, 0) < 0 ? -errno : 0;
}

static int wall_off_files(const char *dir, struct rt_err *err)
{
	const uint64_t reading = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
	const uint64_t writing = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG |
				 LANDLOCK_ACCESS_FS_REMOVE_FILE;
	uint64_t tty = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE |
		       LANDLOCK_ACCESS_FS_IOCTL_DEV;
	int abi = sys_landlock_abi(), r;
	struct rt_landlock_attr all = landlock_all(abi);
	AUTO_CLOSE int ruleset = -1;

	if (abi < 1)
		return 0; /* such a kernel leaves the filter alone */
	ruleset = landlock_ruleset(&all, abi);
	if (ruleset < 0)
		return rt_fail_errno(err, errno, "Landlock");
	r = allow_below(ruleset, "/proc", reading);
	if (r == 0)
		r = allow_below(ruleset, "/dev/tty", tty & all.handled_access_fs);
	if (r == 0)
		r = allow_below(ruleset, dir, reading | writing);
	if (r == 0 && sys_landlock_restrict(ruleset, 0) < 0)
		r = -errno;
	return r < 0 ? rt_fail_errno(err, -r, "Landlock") : 0;
}

int ask_confine(const char *dir, bool socket, struct rt_err *err)
{
	int r;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return rt_fail_errno(err, errno, "no_new_privs");
	r = wall_off_files(dir, err);
	return r < 0 ? r : filter(false, socket, err);
}

int look_confine(struct rt_err *err)
{
	return filter(true, false, err);
}
