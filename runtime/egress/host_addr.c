/* Asks the kernel for the host's own addresses (rtnetlink). */
#include "runtime/egress/host_addr.h"

#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime/base/host.h"
#include "runtime/base/io.h"

static int add_attribute(struct guard *g, const struct ifaddrmsg *m, const uint8_t *p,
			 size_t n)
{
	uint8_t addr[16];

	if (m->ifa_family == AF_INET && n == 4)
		host_map_v4(addr, p);
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

/* --- routes ------------------------------------------------------------------------ */

struct route_ask {
	struct nlmsghdr h;
	struct rtmsg m;
	struct rtattr a;
	uint8_t addr[16];
};

static size_t write_ask(struct route_ask *ret, const uint8_t addr[16])
{
	bool four = host_is_v4(addr);
	size_t n = four ? 4 : 16;

	*ret = (struct route_ask){ .h = { .nlmsg_type = RTM_GETROUTE,
					  .nlmsg_flags = NLM_F_REQUEST },
				   .m = { .rtm_family = four ? AF_INET : AF_INET6,
					  .rtm_dst_len = (unsigned char)(n * 8) },
				   .a = { .rta_type = RTA_DST } };
	memcpy(ret->addr, addr + 16 - n, n);
	ret->a.rta_len = (unsigned short)RTA_LENGTH(n);
	ret->h.nlmsg_len = (uint32_t)(offsetof(struct route_ask, addr) + n);
	return ret->h.nlmsg_len;
}

/* There is no such route, so connect() fails as well; any other error says nothing. */
static bool is_no_route(const uint8_t *p, size_t n)
{
	struct nlmsgerr e;

	if (n < sizeof(e))
		return false;
	memcpy(&e, p, sizeof(e));
	return e.error == -ENETUNREACH || e.error == -EHOSTUNREACH || e.error == -EACCES ||
	       e.error == -EINVAL;
}

/* One message of the kernel.  -1: it answers another question. */
static int read_route(const uint8_t *p, size_t n, uint32_t seq)
{
	struct nlmsghdr h;
	struct rtmsg m;

	if (n < sizeof(h))
		return 1;
	memcpy(&h, p, sizeof(h));
	if (h.nlmsg_seq != seq)
		return -1;
	if (h.nlmsg_type == NLMSG_ERROR)
		return !is_no_route(p + sizeof(h), n - sizeof(h));
	if (h.nlmsg_type != RTM_NEWROUTE || n < sizeof(h) + sizeof(m))
		return 1;
	memcpy(&m, p + sizeof(h), sizeof(m));
	return m.rtm_type == RTN_LOCAL || m.rtm_type == RTN_ANYCAST;
}

/* What the kernel delivers to a socket of this host.  It answers before send() returns.
 * If it does not, the address counts as the host's. */
static bool is_local(int routes, const uint8_t addr[16])
{
	static uint32_t seq;
	uint8_t data[8192];
	struct route_ask ask;
	size_t size = write_ask(&ask, addr);
	int r = -1;

	ask.h.nlmsg_seq = ++seq;
	if (send(routes, &ask, size, MSG_DONTWAIT) != (ssize_t)size)
		return true;
	while (r < 0) {
		ssize_t n = recv(routes, data, sizeof(data), MSG_DONTWAIT);

		r = n < 0 ? 1 : read_route(data, (size_t)n, seq);
	}
	return r != 0;
}

int host_addr_open_routes(struct guard *g, struct rt_err *err)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);

	if (fd < 0)
		return rt_fail_errno(err, errno, "the host's routes");
	g->routes = fd;
	g->is_local = is_local;
	return 0;
}
