/* Builds and reads the control message that holds descriptors. */
#include "runtime/base/fd_pass.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime/base/sys.h"

/* Room for one descriptor more than may come, so that one too many is seen and closed. */
union control {
	char buf[CMSG_SPACE((FD_PASS_MOST + 1) * sizeof(int))];
	struct cmsghdr align;
};

int fd_pass_send(int sock, const void *p, size_t size, const int *fds, size_t n, int flags)
{
	struct iovec iov = { (void *)(uintptr_t)p, size };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1 };
	union control u;
	struct cmsghdr *c;

	if (n > FD_PASS_MOST)
		return -EINVAL;
	if (n > 0) {
		memset(&u, 0, sizeof(u));
		m.msg_control = u.buf;
		m.msg_controllen = CMSG_SPACE(n * sizeof(int));
		c = CMSG_FIRSTHDR(&m);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(n * sizeof(int));
		memcpy(CMSG_DATA(c), fds, n * sizeof(int));
	}
	return SYS_RETRY(sendmsg(sock, &m, flags | MSG_NOSIGNAL)) < 0 ? -errno : 0;
}

/* The descriptors of a message, of whatever number of control messages. */
static size_t take(struct msghdr *m, int got[FD_PASS_MOST + 1])
{
	size_t n = 0;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
		size_t k = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS ||
		    k > FD_PASS_MOST + 1 - n)
			continue;
		memcpy(got + n, CMSG_DATA(c), k * sizeof(int));
		n += k;
	}
	return n;
}

ssize_t fd_pass_receive(int sock, void *p, size_t size, int flags, int *fds, size_t most,
			size_t *ret_n)
{
	union control u;
	struct iovec iov = { p, size };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = u.buf,
			    .msg_controllen = sizeof(u.buf) };
	ssize_t r = SYS_RETRY(recvmsg(sock, &m, flags | MSG_CMSG_CLOEXEC));
	int got[FD_PASS_MOST + 1];
	size_t n;

	if (r < 0)
		return -errno;
	n = take(&m, got);
	if (n > most || (m.msg_flags & (MSG_CTRUNC | MSG_TRUNC))) {
		while (n > 0)
			(void)close(got[--n]);
		return -EPROTO;
	}
	memcpy(fds, got, n * sizeof(int));
	*ret_n = n;
	return r;
}
