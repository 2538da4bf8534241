/* Asks the kernel for the host's own addresses (rtnetlink). */
#include "runtime/egress/host_addr.h"

#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime/base/io.h"

static int add_attribute(struct guard *g, const struct ifaddrmsg *m, const uint8_t *p,
			 size_t n)
{
	uint8_t addr[16] = { [10] = 0xff, [11] = 0xff };

	if (m->ifa_family == AF_INET && n == 4)
		memcpy(addr + 12, p, 4);
	else if (m->ifa_family == AF_INET6 && n == 16)
		memcpy(addr, p, 16);
	else
		return 0;
	return guard_add_own(g, addr);
}

/* On a line between two hosts IFA_ADDRESS is the other one's: guarded as well. */
static int add_message(struct guard *g, const uint8_t *p, size_t n)
{
	struct ifaddrmsg m;
	size_t at = NLMSG_ALIGN(sizeof(m));
	int r = 0;

	if (n < sizeof(m))
		return 0;
	memcpy(&m, p, sizeof(m));
	while (r == 0 && at + sizeof(struct rtattr) <= n) {
		struct rtattr a;

		memcpy(&a, p + at, sizeof(a));
		if (a.rta_len < sizeof(a) || a.rta_len > n - at)
			break;
		if (a.rta_type == IFA_LOCAL || a.rta_type == IFA_ADDRESS)
			r = add_attribute(g, &m, p + at + sizeof(a),
					  a.rta_len - sizeof(a));
		at += RTA_ALIGN((size_t)a.rta_len);
	}
	return r;
}

/* One datagram.  1: the dump is complete. */
static int read_datagram(int fd, int flags, struct guard *g)
{
	uint8_t data[32768];
	ssize_t n = recv(fd, data, sizeof(data), flags);
	size_t at = 0;

	if (n < 0)
		return -errno;
	while (at + sizeof(struct nlmsghdr) <= (size_t)n) {
		struct nlmsghdr h;
		int r = 0;

		memcpy(&h, data + at, sizeof(h));
		if (h.nlmsg_len < sizeof(h) || h.nlmsg_len > (size_t)n - at)
			return -EBADMSG;
		if (h.nlmsg_type == NLMSG_DONE)
			return 1;
		if (h.nlmsg_type == NLMSG_ERROR)
			return -EIO;
		if (h.nlmsg_type == RTM_NEWADDR)
			r = add_message(g, data + at + sizeof(h), h.nlmsg_len - sizeof(h));
		if (r < 0)
			return r;
		at += NLMSG_ALIGN(h.nlmsg_len);
	}
	return 0;
}

static bool ask_all(int fd)
{
	struct {
		struct nlmsghdr h;
		struct ifaddrmsg m;
	} ask = { .h = { .nlmsg_len = sizeof(ask), .nlmsg_type = RTM_GETADDR,
			 .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP },
		  .m = { .ifa_family = AF_UNSPEC } };

	return send(fd, &ask, sizeof(ask), 0) == (ssize_t)sizeof(ask);
}

int host_addr_open(struct guard *g, struct rt_err *err)
{
	struct sockaddr_nl a = { .nl_family = AF_NETLINK,
				 .nl_groups = RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR };
	AUTO_CLOSE int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	int r;

	if (fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof(a)) != 0 || !ask_all(fd))
		return rt_fail_errno(err, errno, "the host's own addresses");
	do
		r = read_datagram(fd, 0, g);
	while (r == 0 || r == -EINTR);
	if (r < 0)
		return rt_fail_errno(err, -r, "the host's own addresses");
	return io_steal_fd(&fd);
}

int host_addr_read(int fd, struct guard *g)
{
	int r;

	do
		r = read_datagram(fd, MSG_DONTWAIT, g);
	while (r >= 0 || r == -EINTR);
	/* something was lost: everything once more */
	if (r == -ENOBUFS && ask_all(fd))
		return 0;
	return r == -EAGAIN ? 0 : r;
}
