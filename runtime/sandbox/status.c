/* The messages by which the run's processes tell polrun what has become of the run. */
#include "runtime/sandbox/status.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime/base/sys.h"
#include "runtime/egress/gate.h"

int status_send(int sock, enum sandbox_event event, int value, const struct rt_err *err)
{
	struct sandbox_status st;
	ssize_t n;

	memset(&st, 0, sizeof(st));
	st.event = event;
	st.value = value;
	if (err)
		st.err = *err;
	if (event == SANDBOX_EXITED) {
		struct rusage ru;

		if (getrusage(RUSAGE_CHILDREN, &ru) == 0) {
			st.cpu_us =
				(uint64_t)(ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) *
				1000000;
			st.cpu_us +=
				(uint64_t)(ru.ru_utime.tv_usec + ru.ru_stime.tv_usec);
			st.max_rss_kib = (uint64_t)ru.ru_maxrss;
		}
	}
	n = SYS_RETRY(write(sock, &st, sizeof(st)));
	return n < 0 ? -errno : 0;
}

int status_send_fds(int sock, enum sandbox_event event, int value, const int *fds, size_t n)
{
	union {
		char buf[CMSG_SPACE(GATE_SOCKET_COUNT * sizeof(int))];
		struct cmsghdr align;
	} u;
	struct sandbox_status st;
	struct iovec iov = { &st, sizeof(st) };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = u.buf,
			    .msg_controllen = CMSG_SPACE(n * sizeof(int)) };
	struct cmsghdr *c;

	if (n > GATE_SOCKET_COUNT)
		return -EINVAL;
	memset(&st, 0, sizeof(st));
	memset(&u, 0, sizeof(u));
	st.event = event;
	st.value = value;
	c = CMSG_FIRSTHDR(&m);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(n * sizeof(int));
	memcpy(CMSG_DATA(c), fds, n * sizeof(int));
	return SYS_RETRY(sendmsg(sock, &m, MSG_NOSIGNAL)) < 0 ? -errno : 0;
}
