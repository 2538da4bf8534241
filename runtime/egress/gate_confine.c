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

#include "runtime/base/filter_insn.h"
#include "runtime/base/io.h"
#include "runtime/base/sys.h"
#include "runtime/egress/inject.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

enum { MAX_INSNS = 256 };

#ifdef POL_SAN
/* The run time of the sanitizers opens and maps on its own. */
static size_t build(struct sock_filter *f)
{
	static const struct sock_filter san[] = {
		LOAD(arch), JEQ(AUDIT_ARCH_X86_64, 1, 0), KILL, LOAD(nr),
		JEQ(SYS_execve, 2, 0), JEQ(SYS_execveat, 1, 0), ALLOW, KILL,
	};

	memcpy(f, san, sizeof(san));
	return COUNT(san);
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

static size_t put(struct sock_filter *f, size_t n, struct sock_filter insn)
{
	f[n] = insn;
	return n + 1;
}

/* Goes on if the accumulator is one of the values, else refuses. */
static size_t one_of(struct sock_filter *f, size_t n, const int *v, size_t count)
{
	for (size_t i = 0; i < count; i++)
		n = put(f, n, (struct sock_filter)JEQ(v[i], count - i, 0));
	return put(f, n, (struct sock_filter)REFUSE);
}

static size_t build(struct sock_filter *f)
{
	static const struct sock_filter head[] = {
		LOAD(arch), JEQ(AUDIT_ARCH_X86_64, 1, 0), KILL,
		LOAD(nr),
		/* new memory must not be executable */
		JEQ(SYS_mmap, 2, 0), JEQ(SYS_mprotect, 1, 0), JEQ(SYS_mremap, 3, 4),
		LOAD_ARG(2),
		JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1),
		REFUSE, ALLOW,
	};
	size_t n = COUNT(head), jump;

	_Static_assert((COUNT(allowed) + COUNT(deadly)) * 2 + 48 < MAX_INSNS,
		       "the filter fits");
	memcpy(f, head, sizeof(head));
	for (size_t i = 0; i < COUNT(allowed); i++) {
		n = put(f, n, (struct sock_filter)JEQ(allowed[i], 0, 1));
		n = put(f, n, (struct sock_filter)ALLOW);
	}
	for (size_t i = 0; i < COUNT(deadly); i++) {
		n = put(f, n, (struct sock_filter)JEQ(deadly[i], 0, 1));
		n = put(f, n, (struct sock_filter)KILL);
	}
	/* only to polinject, which gets descriptors */
	jump = n;
	n = put(f, n, (struct sock_filter)JEQ(SYS_sendmsg, 0, 0));
	n = put(f, n, (struct sock_filter)LOAD_ARG(0));
	n = put(f, n, (struct sock_filter)JEQ(GATE_INJECT, 1, 0));
	n = put(f, n, (struct sock_filter)REFUSE);
	n = put(f, n, (struct sock_filter)ALLOW);
	f[jump].jf = (uint8_t)(n - jump - 1);
	jump = n;
	n = put(f, n, (struct sock_filter)JEQ(SYS_fcntl, 0, 0));
	n = put(f, n, (struct sock_filter)LOAD_ARG(1));
	n = put(f, n, (struct sock_filter)JEQ(F_SETPIPE_SZ, 1, 0));
	n = put(f, n, (struct sock_filter)REFUSE);
	n = put(f, n, (struct sock_filter)ALLOW);
	f[jump].jf = (uint8_t)(n - jump - 1);
	jump = n;
	n = put(f, n, (struct sock_filter)JEQ(SYS_setsockopt, 0, 0));
	n = put(f, n, (struct sock_filter)LOAD_ARG(1));
	n = one_of(f, n, levels, COUNT(levels));
	n = put(f, n, (struct sock_filter)ALLOW);
	f[jump].jf = (uint8_t)(n - jump - 1);
	jump = n;
	n = put(f, n, (struct sock_filter)JEQ(SYS_socket, 0, 0));
	n = put(f, n, (struct sock_filter)LOAD_ARG(0));
	n = one_of(f, n, families, COUNT(families));
	n = put(f, n, (struct sock_filter)LOAD_ARG(1));
	n = put(f, n, (struct sock_filter)STMT(BPF_ALU | BPF_AND | BPF_K,
					       ~(SOCK_CLOEXEC | SOCK_NONBLOCK)));
	n = one_of(f, n, types, COUNT(types));
	/* no protocol but the type's own: neither MPTCP nor SCTP */
	n = put(f, n, (struct sock_filter)LOAD_ARG(2));
	n = put(f, n, (struct sock_filter)JEQ(0, 1, 0));
	n = put(f, n, (struct sock_filter)REFUSE);
	n = put(f, n, (struct sock_filter)ALLOW);
	f[jump].jf = (uint8_t)(n - jump - 1);
	return put(f, n, (struct sock_filter)REFUSE);
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
	struct rt_landlock_attr a = { .handled_access_fs = (1u << 13) - 1 };
	size_t size = sizeof(a.handled_access_fs);
	AUTO_CLOSE int fd = -1;

	if (abi == 0)
		return 0;
	if (abi >= 2)
		a.handled_access_fs |= LANDLOCK_ACCESS_FS_REFER;
	if (abi >= 3)
		a.handled_access_fs |= LANDLOCK_ACCESS_FS_TRUNCATE;
	if (abi >= 5)
		a.handled_access_fs |= LANDLOCK_ACCESS_FS_IOCTL_DEV;
	if (abi >= 6) {
		a.scoped = LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | LANDLOCK_SCOPE_SIGNAL;
		size = sizeof(a);
	}
	fd = sys_landlock_create(&a, size, 0);
	if (fd < 0 || sys_landlock_restrict(fd, 0) != 0)
		return rt_fail_errno(err, errno, "the gateway's own Landlock domain");
	return 0;
}

int gate_confine(struct rt_err *err)
{
	struct sock_filter f[MAX_INSNS];
	struct sock_fprog prog = { .filter = f };
	int r;

	prog.len = (unsigned short)build(f);
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0)
		return rt_fail_errno(err, errno, "the gateway's own dumpable flag");
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return rt_fail_errno(err, errno, "the gateway's own no_new_privs");
	r = drop_capabilities(err);
	if (r == 0)
		r = wall_off_files(err);
	if (r < 0)
		return r;
	if (sys_seccomp(SECCOMP_SET_MODE_FILTER, 0, &prog) != 0)
		return rt_fail_errno(err, errno, "the gateway's own filter");
	return 0;
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
