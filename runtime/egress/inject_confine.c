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

#include "runtime/base/io.h"
#include "runtime/base/landlock.h"
#include "runtime/base/own_filter.h"
#include "runtime/base/sys.h"

#ifdef POL_SAN
/* The run time of the sanitizers opens and maps on its own: deny only what matters
 * most. */
static void build(struct own_filter *f)
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

	*f = (struct own_filter){ .n = 0 };
	for (size_t i = 0; i < OWN_FILTER_COUNT(san); i++)
		own_filter_add(f, san[i]);
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

static void build(struct own_filter *f)
{
	own_filter_begin(f, (struct sock_filter)KILL);
	own_filter_calls(f, deadly, OWN_FILTER_COUNT(deadly), (struct sock_filter)KILL);
	own_filter_calls(f, allowed, OWN_FILTER_COUNT(allowed), (struct sock_filter)ALLOW);
	/* only whether a descriptor blocks */
	own_filter_allow_if(f, SYS_fcntl, 1, (const int[]){ F_GETFL, F_SETFL }, 2);
}
#endif

/* Everything that this kernel's Landlock can take away, and no exception. */
static int leave_files(struct rt_err *err)
{
	int abi = sys_landlock_abi();
	struct rt_landlock_attr all = landlock_all(abi);
	AUTO_CLOSE int ruleset = -1;

	if (abi < 1)
		return 0; /* the filter lets it open nothing either */
	ruleset = landlock_ruleset(&all, abi);
	if (ruleset < 0 || sys_landlock_restrict(ruleset, 0) < 0)
		return rt_fail_errno(err, errno, "Landlock");
	return 0;
}

int inject_confine(struct rt_err *err)
{
	static const struct rlimit none = { 0, 0 };
	struct own_filter f;
	int r;

	build(&f);
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0 ||
	    setrlimit(RLIMIT_CORE, &none) != 0)
		return rt_fail_errno(err, errno, "against dumps");
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return rt_fail_errno(err, errno, "no_new_privs");
	r = leave_files(err);
	if (r < 0)
		return r;
	r = own_filter_load(&f);
	return r == 0 ? 0 : rt_fail_errno(err, -r, "the filter");
}
