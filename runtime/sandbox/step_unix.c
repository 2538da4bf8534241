/*
 * Decides which unix sockets a run in the host's network may make if Landlock has no
 * scope for abstract sockets: only connected pairs of streams and of packets.  All
 * others could be connected to an address or send to one.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"
#include "runtime/sandbox/plan.h"
#include "runtime/sandbox/unix_wall.h"

#define LOAD(field) \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define IS(value, yes, no) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, yes, no)
#define FAIL(e) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (e))
#define PASS BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

/* The kernel takes families and types as 32 bits; 4 of them hold the type. */
#define TYPE_BITS 0xfu
#define X32_BIT 0x40000000u

static const struct sock_filter filter[] = {
	LOAD(arch),
	IS(AUDIT_ARCH_X86_64, 1, 0),
	FAIL(EPERM),
	LOAD(nr),
	BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, X32_BIT, 0, 1),
	FAIL(ENOSYS),
	/* io_uring can make and connect sockets without a system call */
	IS(SYS_io_uring_setup, 0, 1),
	FAIL(ENOSYS),
	IS(SYS_socket, 0, 3),
	LOAD(args[0]),
	IS(AF_UNIX, 0, 9),
	FAIL(EAFNOSUPPORT),
	IS(SYS_socketpair, 0, 7),
	LOAD(args[0]),
	IS(AF_UNIX, 0, 5),
	LOAD(args[1]),
	BPF_STMT(BPF_ALU | BPF_AND | BPF_K, TYPE_BITS),
	IS(SOCK_STREAM, 2, 0),
	IS(SOCK_SEQPACKET, 1, 0),
	FAIL(EAFNOSUPPORT),
	PASS,
};

int step_seccomp_unix(struct init *in, const struct plan_op *op, struct rt_err *err)
{
	struct sock_fprog prog = {
		.len = sizeof(filter) / sizeof(filter[0]),
		/* the kernel does not write to it */
		.filter = (struct sock_filter *)(uintptr_t)filter,
	};

	(void)in, (void)op;
	if (sys_seccomp(SECCOMP_SET_MODE_FILTER, 0, &prog) < 0)
		return step_fail(err, STEP_SECCOMP_UNIX, errno, "load");
	return 0;
}

static int check_stream(int fd, struct rt_err *err)
{
	struct sockaddr_un peer;
	socklen_t n = sizeof(int);
	int domain = 0, type = 0;

	if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &n) < 0)
		return errno == ENOTSOCK
			       ? 0
			       : rt_fail_errno(err, errno, "descriptor %d: its family",
					       fd);
	n = sizeof(int);
	if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &n) < 0)
		return rt_fail_errno(err, errno, "descriptor %d: its type", fd);
	n = sizeof(peer);
	if (domain != AF_UNIX || ((type == SOCK_STREAM || type == SOCK_SEQPACKET) &&
				  getpeername(fd, (struct sockaddr *)&peer, &n) == 0))
		return 0;
	return rt_fail(
		err, EINVAL,
		"network full: descriptor %d is a unix socket without a "
		"connection, by which the host's abstract sockets would be reached "
		"(no Landlock scope, ABI 6)",
		fd);
}

/* Makes a socket that listens at a name that the kernel chooses.  -errno on failure. */
static int listener(int type, struct sockaddr_un *ret, socklen_t *ret_len)
{
	AUTO_CLOSE int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
	int taken;

	*ret = (struct sockaddr_un){ .sun_family = AF_UNIX };
	*ret_len = sizeof(*ret);
	if (fd < 0 || bind(fd, (struct sockaddr *)ret, sizeof(sa_family_t)) < 0 ||
	    listen(fd, 4) < 0 || getsockname(fd, (struct sockaddr *)ret, ret_len) < 0)
		return -errno;
	taken = fd;
	fd = -1;
	return taken;
}

/* Checks that a pair that was shut down stays a pair; this is not so in Linux 5.15. */
static int check_pair(int type, struct rt_err *err)
{
	struct sockaddr_un to;
	socklen_t len;
	AUTO_CLOSE int server = listener(type, &to, &len), a = -1, b = -1;
	int pair[2];

	if (server < 0)
		return rt_fail_errno(err, -server, "a unix socket to try");
	if (socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, pair) < 0)
		return rt_fail_errno(err, errno, "a pair of unix sockets to try");
	a = pair[0], b = pair[1];
	(void)shutdown(a, SHUT_RDWR);
	for (int i = 0; i < 2; i++)
		if (connect(pair[i], (struct sockaddr *)&to, len) == 0 ||
		    errno != EISCONN)
			return rt_fail(err, EOPNOTSUPP,
				       "network full: this kernel has no Landlock "
				       "scope (ABI 6, "
				       "Linux 6.12), and pairs of unix sockets can be "
				       "connected to "
				       "the host's abstract ones");
	return 0;
}

int unix_wall_check(struct rt_err *err)
{
	int r = check_pair(SOCK_STREAM, err);

	if (r == 0)
		r = check_pair(SOCK_SEQPACKET, err);
	for (int fd = 0; r == 0 && fd < 3; fd++)
		r = check_stream(fd, err);
	return r;
}
