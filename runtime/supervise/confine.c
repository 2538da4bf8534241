/* Confines the supervisor itself: whoever takes it over through the listener cannot
 * execute, connect, or open a file by name.  Calls that it never makes end it, and with
 * it the run; calls that it merely does not need are refused.  Landlock and its scopes
 * are not used here, because the supervisor could then no longer reach its children. */
#include "runtime/supervise/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <linux/audit.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/base/own_filter.h"
#include "runtime/base/sys.h"

#ifdef POL_SAN
/* The run time of the sanitizers opens and maps on its own: deny only what matters
 * most. */
static void build(struct own_filter *f, const int *broker, size_t n)
{
	static const struct sock_filter san[] = {
		LOAD(arch), JEQ(AUDIT_ARCH_X86_64, 1, 0), KILL,
		LOAD(nr),
		JEQ(SYS_execve, 3, 0), JEQ(SYS_execveat, 2, 0), JEQ(SYS_socket, 1, 0),
		ALLOW, REFUSE,
	};

	(void)broker, (void)n;
	*f = (struct own_filter){ .n = 0 };
	for (size_t i = 0; i < OWN_FILTER_COUNT(san); i++)
		own_filter_add(f, san[i]);
}
#else
static const int allowed[] = {
	SYS_read, SYS_write, SYS_readv, SYS_writev, SYS_close, SYS_lseek,
	SYS_poll, SYS_ppoll, SYS_fstat, SYS_newfstatat, SYS_readlinkat,
	SYS_getdents64, SYS_statx,
	SYS_inotify_add_watch, /* opens nothing; only reports changes */
	SYS_inotify_rm_watch,
	SYS_fcntl, SYS_flock, SYS_ftruncate, SYS_fsync, SYS_recvmsg, SYS_recvfrom,
	SYS_getsockopt, SYS_process_vm_readv, SYS_pidfd_open, SYS_pidfd_getfd,
	SYS_pidfd_send_signal, SYS_wait4, SYS_waitid, SYS_timerfd_settime,
	SYS_timer_settime, SYS_clock_gettime, SYS_clock_nanosleep, SYS_gettimeofday,
	SYS_getpid, SYS_gettid, SYS_rt_sigprocmask, SYS_rt_sigaction,
	SYS_rt_sigreturn, SYS_restart_syscall, SYS_futex, SYS_brk, SYS_munmap,
	SYS_madvise, SYS_getrandom, SYS_exit, SYS_exit_group,
};

/* Our code makes none of these calls once the command runs. */
static const int deadly[] = {
	SYS_open, SYS_openat, SYS_creat, SYS_open_by_handle_at, SYS_execve,
	SYS_execveat, SYS_socket, SYS_connect, SYS_clone, SYS_clone3, SYS_fork,
	SYS_vfork, SYS_ptrace, SYS_process_vm_writev, SYS_mount, SYS_setns,
	SYS_unshare, SYS_bpf, SYS_io_uring_setup,
};

static const int ioctls[] = {
	(int)SECCOMP_IOCTL_NOTIF_RECV, (int)SECCOMP_IOCTL_NOTIF_SEND,
	(int)SECCOMP_IOCTL_NOTIF_ID_VALID, (int)SECCOMP_IOCTL_NOTIF_SET_FLAGS,
	TCGETS, /* stdio asks whether stderr is a terminal */
	TIOCGPGRP, TIOCSPGRP, TCSETS, /* the terminal is given back (polrun/terminal.h) */
	(int)SECCOMP_IOCTL_NOTIF_ADDFD, /* the broker's alone: the last one */
};

/* The broker reads two limits of its callers, and marks them by one that has no use (confined.h). */
static const int limits[] = { RLIMIT_FSIZE, RLIMIT_NOFILE, RLIMIT_LOCKS };

/* The broker acts with the ids of the run's user; programs are copied, and mounted by attach.h; of
 * a FIFO it is asked whether somebody writes it. */
static const int beside_broker[] = {
	SYS_setfsuid, SYS_setfsgid, SYS_geteuid, SYS_getegid, SYS_sendfile, SYS_sendmsg, SYS_tee,
};

static void add_broker(struct own_filter *f, const int *broker, size_t n)
{
	own_filter_calls(f, beside_broker, OWN_FILTER_COUNT(beside_broker),
			 (struct sock_filter)ALLOW);
	for (size_t i = 0; i < n; i++)
		if (broker[i] != SYS_openat2 && broker[i] != SYS_prlimit64) /* decided elsewhere */
			own_filter_calls(f, &broker[i], 1, (struct sock_filter)ALLOW);
}

static void build(struct own_filter *f, const int *broker, size_t n)
{
	size_t call;

	own_filter_begin(f, (struct sock_filter)REFUSE);
	own_filter_calls(f, deadly, OWN_FILTER_COUNT(deadly), (struct sock_filter)KILL);
	/* openat2: only relative to a descriptor.  Its resolve flags are in memory,
	   which a filter cannot read */
	call = own_filter_call(f, SYS_openat2);
	OWN_FILTER_ADD(f, LOAD_ARG(0));
	OWN_FILTER_ADD(f, JEQ(AT_FDCWD, 0, 1));
	OWN_FILTER_ADD(f, KILL);
	OWN_FILTER_ADD(f, ALLOW);
	own_filter_end(f, call);
	own_filter_calls(f, allowed, OWN_FILTER_COUNT(allowed), (struct sock_filter)ALLOW);
	/* tgkill: only for itself (polrun stops when the command stops) */
	own_filter_allow_if(f, SYS_tgkill, 0, (const int[]){ getpid() }, 1);
	/* a file is mapped for its name (deep_name.h), and nothing of it is read */
	own_filter_allow_if(f, SYS_mmap, 2, (const int[]){ PROT_NONE }, 1);
	/* kill: to ask whether a process group is empty, and for its own group what the terminal would
	   have sent (terminal.h) */
	call = own_filter_call(f, SYS_kill);
	OWN_FILTER_ADD(f, LOAD_ARG(1));
	OWN_FILTER_ADD(f, JEQ(0, 0, 1));
	OWN_FILTER_ADD(f, ALLOW);
	own_filter_one_of(f, (const int[]){ SIGTSTP, SIGINT, SIGQUIT }, 3);
	OWN_FILTER_ADD(f, LOAD_ARG(0));
	own_filter_one_of(f, (const int[]){ 0 }, 1);
	OWN_FILTER_ADD(f, ALLOW);
	own_filter_end(f, call);
	own_filter_allow_if(f, SYS_ioctl, 1, ioctls, OWN_FILTER_COUNT(ioctls) - (n == 0));
	if (n) {
		own_filter_allow_if(f, SYS_prlimit64, 1, limits, OWN_FILTER_COUNT(limits));
		add_broker(f, broker, n);
	}
}
#endif

int confine_self(const int *broker, size_t n, struct rt_err *err)
{
	struct own_filter f;
	int r;

	build(&f, broker, n);
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0)
		return rt_fail_errno(err, errno, "the supervisor's own dumpable flag");
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return rt_fail_errno(err, errno, "the supervisor's own no_new_privs");
	r = own_filter_load(&f);
	return r == 0 ? 0 : rt_fail_errno(err, -r, "the supervisor's own filter");
}

static int drop_pages(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size, (void)arg;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD && !(p->p_flags & PF_W))
			sys_advise((const void *)(info->dlpi_addr + p->p_vaddr), p->p_memsz,
				   MADV_DONTNEED);
	}
	return 0;
}

void drop_program_pages(void)
{
	(void)dl_iterate_phdr(drop_pages, NULL);
}
