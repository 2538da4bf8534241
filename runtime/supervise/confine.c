/* Confines the supervisor itself: whoever takes it over through the listener cannot
 * execute, connect, or open a file by name.  Calls that it never makes end it, and with
 * it the run; calls that it merely does not need are refused.  Landlock and its scopes
 * are not used here, because the supervisor could then no longer reach its children. */
#include "runtime/supervise/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/audit.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/base/filter_insn.h"
#include "runtime/base/sys.h"

enum { MAX_INSNS = 224 };

#ifdef POL_SAN
/* The run time of the sanitizers opens and maps on its own: deny only what matters
 * most. */
static const struct sock_filter *build(struct sock_filter *f, size_t *ret_n)
{
	static const struct sock_filter san[] = {
		LOAD(arch), JEQ(AUDIT_ARCH_X86_64, 1, 0), KILL,
		LOAD(nr),
		JEQ(SYS_execve, 3, 0), JEQ(SYS_execveat, 2, 0), JEQ(SYS_socket, 1, 0),
		ALLOW, REFUSE,
	};

	memcpy(f, san, sizeof(san));
	*ret_n = sizeof(san) / sizeof(san[0]);
	return f;
}
#else
static const int allowed[] = {
	SYS_read, SYS_write, SYS_readv, SYS_writev, SYS_close, SYS_lseek,
	SYS_poll, SYS_ppoll, SYS_fstat, SYS_newfstatat, SYS_readlinkat,
	SYS_getdents64, SYS_statx,
	SYS_inotify_add_watch, /* opens nothing; only reports changes */
	SYS_fcntl, SYS_ftruncate, SYS_fsync, SYS_recvmsg, SYS_recvfrom,
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

static const unsigned long ioctls[] = {
	SECCOMP_IOCTL_NOTIF_RECV, SECCOMP_IOCTL_NOTIF_SEND,
	SECCOMP_IOCTL_NOTIF_ID_VALID, SECCOMP_IOCTL_NOTIF_SET_FLAGS,
	TCGETS, /* stdio asks whether stderr is a terminal */
};

static const struct sock_filter *build(struct sock_filter *f, size_t *ret_n)
{
	_Static_assert(sizeof(allowed) / sizeof(allowed[0]) * 2 +
			       sizeof(deadly) / sizeof(deadly[0]) * 2 +
			       sizeof(ioctls) / sizeof(ioctls[0]) * 2 + 32 < MAX_INSNS,
		       "the filter fits");
	static const struct sock_filter head[] = {
		LOAD(arch), JEQ(AUDIT_ARCH_X86_64, 1, 0), KILL,
		LOAD(nr),
		/* new memory must not be executable */
		JEQ(SYS_mmap, 2, 0), JEQ(SYS_mprotect, 1, 0), JEQ(SYS_mremap, 3, 4),
		LOAD_ARG(2),
		JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1),
		REFUSE, ALLOW,
	};
	const size_t nio = sizeof(ioctls) / sizeof(ioctls[0]);
	uint32_t self = (uint32_t)getpid();
	size_t n = sizeof(head) / sizeof(head[0]);

	memcpy(f, head, sizeof(head));
	for (size_t i = 0; i < sizeof(deadly) / sizeof(deadly[0]); i++) {
		f[n++] = (struct sock_filter)JEQ(deadly[i], 0, 1);
		f[n++] = (struct sock_filter)KILL;
	}
	/* openat2: only relative to a descriptor.  Its resolve flags are in memory,
	   which a filter cannot read */
	f[n++] = (struct sock_filter)JEQ(SYS_openat2, 0, 4);
	f[n++] = (struct sock_filter)LOAD_ARG(0);
	f[n++] = (struct sock_filter)JEQ(AT_FDCWD, 0, 1);
	f[n++] = (struct sock_filter)KILL;
	f[n++] = (struct sock_filter)ALLOW;
	for (size_t i = 0; i < sizeof(allowed) / sizeof(allowed[0]); i++) {
		f[n++] = (struct sock_filter)JEQ(allowed[i], 0, 1);
		f[n++] = (struct sock_filter)ALLOW;
	}
	/* tgkill: only for itself (polrun stops when the command stops) */
	f[n++] = (struct sock_filter)JEQ(SYS_tgkill, 0, 4);
	f[n++] = (struct sock_filter)LOAD_ARG(0);
	f[n++] = (struct sock_filter)JEQ(self, 0, 1);
	f[n++] = (struct sock_filter)ALLOW;
	f[n++] = (struct sock_filter)REFUSE;
	f[n++] = (struct sock_filter)JEQ(SYS_ioctl, 0, 1 + 2 * nio);
	f[n++] = (struct sock_filter)LOAD_ARG(1);
	for (size_t i = 0; i < nio; i++) {
		f[n++] = (struct sock_filter)JEQ(ioctls[i], 0, 1);
		f[n++] = (struct sock_filter)ALLOW;
	}
	f[n++] = (struct sock_filter)REFUSE;
	*ret_n = n;
	return f;
}
#endif

int confine_self(struct rt_err *err)
{
	struct sock_filter f[MAX_INSNS];
	struct sock_fprog prog;
	size_t n = 0;

	prog.filter = (struct sock_filter *)(uintptr_t)build(f, &n);
	prog.len = (unsigned short)n;
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0)
		return rt_fail_errno(err, errno, "the supervisor's own dumpable flag");
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return rt_fail_errno(err, errno, "the supervisor's own no_new_privs");
	if (sys_seccomp(SECCOMP_SET_MODE_FILTER, 0, &prog) != 0)
		return rt_fail_errno(err, errno, "the supervisor's own filter");
	return 0;
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
