/* Confines the gateway: it reads what the network and the command send, so whoever takes
 * it over must find nothing in it that can be used but the connections themselves. */
#include "runtime/egress/gate_confine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/landlock.h"
#include "runtime/base/own_filter.h"
#include "runtime/base/sys.h"
#include "runtime/egress/inject.h"

#ifdef POL_SAN
/* The run time of the sanitizers opens and maps on its own. */
static void build(struct own_filter *f)
{
	static const struct sock_filter san[] = {
		LOAD(arch), JEQ(AUDIT_ARCH_X86_64, 1, 0), KILL, LOAD(nr),
		JEQ(SYS_execve, 2, 0), JEQ(SYS_execveat, 1, 0), ALLOW, KILL,
	};

	*f = (struct own_filter){ .n = 0 };
	for (size_t i = 0; i < OWN_FILTER_COUNT(san); i++)
		own_filter_add(f, san[i]);
}
#else
static const int allowed[] = {
	SYS_read, SYS_recvfrom, SYS_recvmsg, SYS_sendto, SYS_splice, SYS_pipe2, SYS_close,
	SYS_epoll_wait, SYS_epoll_pwait, SYS_epoll_ctl, SYS_accept4, SYS_connect,
	SYS_shutdown, SYS_getsockopt, SYS_poll, SYS_munmap, SYS_brk, SYS_madvise,
	SYS_clock_gettime, SYS_gettimeofday, SYS_getrandom, SYS_futex, SYS_rt_sigreturn,
	SYS_rt_sigprocmask, SYS_restart_syscall, SYS_getpid, SYS_gettid, SYS_exit,
	SYS_exit_group,
};

/* Our code makes none of these calls once it serves. */
static const int deadly[] = {
	SYS_open, SYS_openat, SYS_openat2, SYS_creat, SYS_open_by_handle_at, SYS_execve,
	SYS_execveat, SYS_clone, SYS_clone3, SYS_fork, SYS_vfork, SYS_ptrace,
	SYS_process_vm_readv, SYS_process_vm_writev, SYS_mount, SYS_setns, SYS_unshare,
	SYS_bpf, SYS_io_uring_setup, SYS_bind, SYS_listen, SYS_pidfd_getfd,
};

/* Only these levels: nothing of the kernel's packet filters, no SO_* of other families. */
static const int levels[] = { SOL_SOCKET, IPPROTO_TCP };
static const int families[] = { AF_INET, AF_INET6 };
static const int types[] = { SOCK_STREAM, SOCK_DGRAM };

static void build(struct own_filter *f)
{
	size_t call;

	own_filter_begin(f, (struct sock_filter)REFUSE);
	own_filter_calls(f, allowed, OWN_FILTER_COUNT(allowed), (struct sock_filter)ALLOW);
	own_filter_calls(f, deadly, OWN_FILTER_COUNT(deadly), (struct sock_filter)KILL);
	/* only to polinject, which gets descriptors */
	own_filter_allow_if(f, SYS_sendmsg, 0, (const int[]){ GATE_INJECT }, 1);
	own_filter_allow_if(f, SYS_fcntl, 1, (const int[]){ F_SETPIPE_SZ }, 1);
	own_filter_allow_if(f, SYS_setsockopt, 1, levels, OWN_FILTER_COUNT(levels));
	call = own_filter_call(f, SYS_socket);
	OWN_FILTER_ADD(f, LOAD_ARG(0));
	own_filter_one_of(f, families, OWN_FILTER_COUNT(families));
	OWN_FILTER_ADD(f, LOAD_ARG(1));
	OWN_FILTER_ADD(f, STMT(BPF_ALU | BPF_AND | BPF_K, ~(SOCK_CLOEXEC | SOCK_NONBLOCK)));
	own_filter_one_of(f, types, OWN_FILTER_COUNT(types));
	/* no protocol but the type's own: neither MPTCP nor SCTP */
	OWN_FILTER_ADD(f, LOAD_ARG(2));
	own_filter_one_of(f, (const int[]){ 0 }, 1);
	OWN_FILTER_ADD(f, ALLOW);
	own_filter_end(f, call);
}
#endif

/* As polrun started it: as a uid without any, or in a user namespace of its own. */
static int drop_capabilities(struct rt_err *err)
{
	struct __user_cap_header_struct h = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct none[2] = { 0 };

	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0 ||
	    syscall(SYS_capset, &h, none) != 0)
		return rt_fail_errno(err, errno, "the gateway's own capabilities");
	return 0;
}

/* A second wall: without Landlock the filter alone keeps files away. */
static int wall_off_files(struct rt_err *err)
{
	int abi = sys_landlock_abi();
	struct rt_landlock_attr all = landlock_all(abi);
	AUTO_CLOSE int fd = -1;

	if (abi == 0)
		return 0;
	all.handled_access_net &= ~(uint64_t)LANDLOCK_ACCESS_NET_CONNECT_TCP; /* its work */
	fd = landlock_ruleset(&all, abi);
	if (fd < 0 || sys_landlock_restrict(fd, 0) != 0)
		return rt_fail_errno(err, errno, "the gateway's own Landlock domain");
	return 0;
}

int gate_confine(struct rt_err *err)
{
	struct own_filter f;
	int r;

	build(&f);
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0)
		return rt_fail_errno(err, errno, "the gateway's own dumpable flag");
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return rt_fail_errno(err, errno, "the gateway's own no_new_privs");
	r = drop_capabilities(err);
	if (r == 0)
		r = wall_off_files(err);
	if (r < 0)
		return r;
	r = own_filter_load(&f);
	return r == 0 ? 0 : rt_fail_errno(err, -r, "the gateway's own filter");
}

uint32_t gate_limits(uint32_t most)
{
	static const struct rlimit none = { 0, 0 }, data = { 512u << 20, 512u << 20 };
	struct rlimit files;

	(void)setrlimit(RLIMIT_CORE, &none);
	(void)setrlimit(RLIMIT_FSIZE, &none);
#ifndef POL_SAN
	(void)setrlimit(RLIMIT_DATA, &data);
#else
	(void)data;
#endif
	if (getrlimit(RLIMIT_NOFILE, &files) != 0)
		return 1024;
	if (files.rlim_max > most)
		files.rlim_max = most;
	files.rlim_cur = files.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &files);
	return (uint32_t)files.rlim_cur;
}
