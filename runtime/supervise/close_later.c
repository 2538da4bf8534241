/* Puts descriptors into a message that only the kernel can throw away: see
 * close_later.h. */
#include "runtime/supervise/close_later.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime/base/sys.h"

/* Sends `fds` to `in`, whose queue then holds `in`. */
static ssize_t send_all(int out, const int *fds, size_t n)
{
	union {
		char buf[CMSG_SPACE((CLOSE_LATER_MOST + 1) * sizeof(int))];
		struct cmsghdr align;
	} u;
	struct iovec iov = { (char[]){ 'k' }, 1 };
	struct msghdr m = { .msg_iov = &iov,
			    .msg_iovlen = 1,
			    .msg_control = u.buf,
			    .msg_controllen = CMSG_SPACE(n * sizeof(int)) };
	struct cmsghdr *c;

	memset(&u, 0, sizeof(u));
	c = CMSG_FIRSTHDR(&m);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(n * sizeof(int));
	memcpy(CMSG_DATA(c), fds, n * sizeof(int));
	return SYS_RETRY(sendmsg(out, &m, MSG_NOSIGNAL));
}

void close_later_keep(struct close_later *c, const int *fds, size_t n)
{
	int pair[2], all[CLOSE_LATER_MOST + 1];
	size_t k = 1;

	if (n > CLOSE_LATER_MOST || socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair) != 0)
		return;
	*c = (struct close_later){ pair[0], pair[1] };
	all[0] = c->in;
	for (size_t i = 0; i < n; i++)
		if (fds[i] >= 0)
			all[k++] = fds[i];
	if (send_all(c->out, all, k) < 0)
		close_later_release(c);
}

void close_later_release(struct close_later *c)
{
	/* The order matters: the close of `out` starts the collection, and by then only
	 * the message holds `in`. */
	if (c->in >= 0)
		(void)close(c->in);
	if (c->out >= 0)
		(void)close(c->out);
	*c = (struct close_later)CLOSE_LATER_NONE;
}
