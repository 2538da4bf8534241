/*
 * Sends one netlink message per transaction. The kernel processes it before sendmsg()
 * returns, so its answers are in the socket by then: either one acknowledgement, which
 * the last message requests, or errors.
 */
#include "runtime/bundle/nft_load.h"

#include <errno.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>

#include "runtime/base/io.h"
#include "runtime/bundle/nft_batch.h"

struct answers {
	int error;      /* the first error, or 0 */
	uint16_t about; /* the type of the message that caused it */
	unsigned acks;
};

static int refuse(struct rt_err *err, int e, const char *word)
{
	return rt_fail_errno(err, e, "nf_tables refuses %s", word);
}

static void read_answer(const struct nlmsghdr *h, struct answers *a)
{
	const struct nlmsgerr *m = (const void *)((const char *)h + NLMSG_HDRLEN);

	if (h->nlmsg_type != NLMSG_ERROR || h->nlmsg_len < NLMSG_HDRLEN + sizeof(*m))
		return;
	if (m->error == 0) {
		a->acks++;
	} else if (!a->error) {
		a->error = -m->error;
		a->about = m->msg.nlmsg_type;
	}
}

/* Reads the answers in the socket. There is nothing to wait for. */
static int read_answers(int sock, struct answers *a)
{
	static _Alignas(8) char buf[16384];

	for (;;) {
		ssize_t n = recv(sock, buf, sizeof(buf), MSG_DONTWAIT);
		size_t at = 0;

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EAGAIN ? 0 : -errno;
		while ((size_t)n - at >= NLMSG_HDRLEN) {
			const struct nlmsghdr *h = (const void *)(buf + at);
			size_t step = (h->nlmsg_len + 3u) & ~(size_t)3;

			if (h->nlmsg_len < NLMSG_HDRLEN ||
			    h->nlmsg_len > (size_t)n - at)
				return -EBADMSG;
			read_answer(h, a);
			at = step < (size_t)n - at ? at + step : (size_t)n;
		}
	}
}

/* Makes the send buffer large enough. Usually it already is: wmem_default is 212,992
 * bytes, more than a transaction. A transaction that is larger than the socket's limit
 * fails with EMSGSIZE. */
static void make_room(int sock, size_t len)
{
	int have = 0, want = (int)len;
	socklen_t n = sizeof(have);

	if (len < 16384 || getsockopt(sock, SOL_SOCKET, SO_SNDBUF, &have, &n) < 0 ||
	    (size_t)have > len + 64)
		return;
	/* the kernel doubles the value, and limits it to wmem_max */
	(void)setsockopt(sock, SOL_SOCKET, SO_SNDBUF, &want, sizeof(want));
}

/* `last` is the offset of the message that requests the acknowledgement. */
static int send_one(int sock, const uint8_t *bytes, size_t len, size_t last)
{
	struct sockaddr_nl to = { .nl_family = AF_NETLINK };
	struct nlmsghdr head;
	struct iovec iov[3];
	struct msghdr m = { .msg_name = &to, .msg_namelen = sizeof(to),
			    .msg_iov = iov, .msg_iovlen = 3 };
	ssize_t n;

	memcpy(&head, bytes + last, sizeof(head));
	head.nlmsg_flags |= NLM_F_ACK;
	/* sendmsg() only reads */
	iov[0] = (struct iovec){ (void *)(uintptr_t)bytes, last };
	iov[1] = (struct iovec){ &head, sizeof(head) };
	iov[2] = (struct iovec){ (void *)(uintptr_t)(bytes + last + sizeof(head)),
				 len - last - sizeof(head) };
	do
		n = sendmsg(sock, &m, 0);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	return (size_t)n == len ? 0 : -EIO;
}

int nft_load(const void *batch, size_t size, struct rt_err *err)
{
	AUTO_CLOSE int sock =
		socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_NETFILTER);
	const uint8_t *bytes;
	size_t at = 0, len, last;

	if (sock < 0)
		return rt_fail_errno(err, errno, "no netlink socket for nf_tables");
	while (nft_batch_next(batch, size, &at, &bytes, &len, &last)) {
		struct answers a = { .error = 0 };
		int r;

		make_room(sock, len);
		r = send_one(sock, bytes, len, last);
		if (r < 0)
			return refuse(err, -r, "a transaction");
		r = read_answers(sock, &a);
		if (r < 0)
			return refuse(err, -r, "to answer");
		if (a.error)
			return refuse(err, a.error, nft_batch_word(a.about));
		if (a.acks != 1)
			return rt_fail(err, EPROTO, "nf_tables has not acknowledged a "
				       "transaction");
	}
	return 0;
}
