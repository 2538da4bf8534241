/* Confines polinject (inject_confine.h): it reads what the command and the servers
 * send. */
#include "runtime/egress/inject_confine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/base/compat.h"
#include "runtime/base/filter_insn.h"
#include "runtime/base/io.h"
#include "runtime/base/sys.h"

enum { MAX_INSNS = 160 };

#ifdef POL_SAN
/* The run time of the sanitizers opens and maps on its own: deny only what matters
 * most. */
static size_t build(struct sock_filter *f)
{
	static const struct sock_filter san[] = {
		LOAD(arch),
		JEQ(AUDIT_ARCH_X86_64, 1, 0),
		KILL,
		LOAD(nr),
		JEQ(SYS_execve, 4, 0),
		JEQ(SYS_execveat, 3, 0),
		JEQ(SYS_socket, 2, 0),
		JEQ(SYS_connect, 1, 0),
		ALLOW,
		KILL,
	};

	for (size_t i = 0; i < sizeof(san) / sizeof(*san); i++)
		f[i] = san[i];
	return sizeof(san) / sizeof(*san);
}
#else
static const int allowed[] = {
	SYS_read,          SYS_write,        SYS_readv,          SYS_writev,
	SYS_close,         SYS_recvmsg,      SYS_recvfrom,       SYS_sendmsg,
	SYS_sendto,        SYS_shutdown,     SYS_setsockopt,     SYS_getsockopt,
	SYS_fstat,         SYS_epoll_wait,   SYS_epoll_pwait,    SYS_epoll_ctl,
	SYS_clock_gettime, SYS_gettimeofday, SYS_time,           SYS_getpid,
	SYS_gettid,        SYS_rt_sigreturn, SYS_rt_sigprocmask, SYS_restart_syscall,
	SYS_futex,         SYS_brk,          SYS_munmap,         SYS_madvise,
	SYS_getrandom,     SYS_exit,         SYS_exit_group,
};

/* It makes none of these calls: who does has taken it over. */
static const int deadly[] = {
	SYS_open,
	SYS_openat,
	SYS_openat2,
	SYS_creat,
	SYS_open_by_handle_at,
	SYS_execve,
	SYS_execveat,
	SYS_socket,
	SYS_socketpair,
	SYS_connect,
	SYS_bind,
	SYS_accept,
	SYS_accept4,
	SYS_clone,
	SYS_clone3,
	SYS_fork,
	SYS_vfork,
	SYS_ptrace,
	SYS_process_vm_readv,
	SYS_process_vm_writev,
	SYS_mount,
	SYS_setns,
	SYS_unshare,
	SYS_bpf,
	SYS_io_uring_setup,
	SYS_pidfd_getfd,
	SYS_kill,
	SYS_tgkill,
};

static size_t build(struct sock_filter *f)
{
	_Static_assert(sizeof(allowed) / sizeof(allowed[0]) * 2 +
				       sizeof(deadly) / sizeof(deadly[0]) * 2 + 20 <
			       MAX_INSNS,
		       "the filter fits");
	static const struct sock_filter head[] = {
		LOAD(arch),
		JEQ(AUDIT_ARCH_X86_64, 1, 0),
		KILL,
		LOAD(nr),
		/* new memory must not be executable */
		JEQ(SYS_mmap, 2, 0),
		JEQ(SYS_mprotect, 1, 0),
		JEQ(SYS_mremap, 3, 4),
		LOAD_ARG(2),
		JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1),
		KILL,
		ALLOW,
	};
	size_t n = 0;

	for (; n < sizeof(head) / sizeof(head[0]); n++)
		f[n] = head[n];
	for (size_t i = 0; i < sizeof(deadly) / sizeof(deadly[0]); i++) {
		f[n++] = (struct sock_filter)JEQ(deadly[i], 0, 1);
		f[n++] = (struct sock_filter)KILL;
	}
	for (size_t i = 0; i < sizeof(allowed) / sizeof(allowed[0]); i++) {
		f[n++] = (struct sock_filter)JEQ(allowed[i], 0, 1);
		f[n++] = (struct sock_filter)ALLOW;
	}
	/* fcntl: only whether a descriptor blocks */
	f[n++] = (struct sock_filter)JEQ(SYS_fcntl, 0, 4);
	f[n++] = (struct sock_filter)LOAD_ARG(1);
	f[n++] = (struct sock_filter)JEQ(F_GETFL, 1, 0);
	f[n++] = (struct sock_filter)JEQ(F_SETFL, 0, 1);
	f[n++] = (struct sock_filter)ALLOW;
	f[n++] = (struct sock_filter)REFUSE;
	return n;
}
#endif

/* Everything that this kernel's Landlock can take away, and no exception. */
static int leave_files(struct rt_err *err)
{
	struct rt_landlock_attr attr = { .handled_access_fs =
						 LANDLOCK_ACCESS_FS_REFER - 1 };
	int abi = sys_landlock_abi();
	AUTO_CLOSE int ruleset = -1;

	if (abi < 1)
		return 0; /* the filter lets it open nothing either */
	if (abi >= 2)
		attr.handled_access_fs |= LANDLOCK_ACCESS_FS_REFER;
	if (abi >= 3)
		attr.handled_access_fs |= LANDLOCK_ACCESS_FS_TRUNCATE;
	if (abi >= 5)
		attr.handled_access_fs |= LANDLOCK_ACCESS_FS_IOCTL_DEV;
	if (abi >= 4)
		attr.handled_access_net =
			LANDLOCK_ACCESS_NET_BIND_TCP | LANDLOCK_ACCESS_NET_CONNECT_TCP;
	if (abi >= 6)
		attr.scoped =
			LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | LANDLOCK_SCOPE_SIGNAL;
	ruleset = sys_landlock_create(&attr,
				      abi >= 6   ? sizeof(attr)
				      : abi >= 4 ? 16
						 : 8,
				      0);
	if (ruleset < 0 || sys_landlock_restrict(ruleset, 0) < 0)
		return rt_fail_errno(err, errno, "Landlock");
	return 0;
}

int inject_confine(struct rt_err *err)
{
	static const struct rlimit none = { 0, 0 };
	struct sock_filter f[MAX_INSNS];
	struct sock_fprog prog = { .filter = f };
	int r;

	prog.len = (unsigned short)build(f);
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0 ||
	    setrlimit(RLIMIT_CORE, &none) != 0)
		return rt_fail_errno(err, errno, "against dumps");
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return rt_fail_errno(err, errno, "no_new_privs");
	r = leave_files(err);
	if (r < 0)
		return r;
	if (sys_seccomp(SECCOMP_SET_MODE_FILTER, 0, &prog) < 0)
		return rt_fail_errno(err, errno, "the filter");
	return 0;
}
