/*
 * What the egress gateway needs inside: routes that keep every packet in the run's own
 * network namespace, and the sockets through which polgate, outside, takes what the
 * command sends.  A socket stays in the namespace in which it was made, whoever holds it.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_log.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"
#include "runtime/bundle/format.h"
#include "runtime/egress/gate.h"
#include "runtime/sandbox/plan.h"
#include "runtime/sandbox/status.h"

#define BACKLOG 4096 /* the kernel takes net.core.somaxconn if that is less */
#define LOG_BYTES 128 /* of a denied packet: addresses and ports */

/* --- netlink ----------------------------------------------------------------------- */

/* Sends one request and waits for its acknowledgement; 0 or -errno. */
static int request(int sock, const void *msg, size_t size)
{
	struct sockaddr_nl to = { .nl_family = AF_NETLINK };
	char answer[512];
	struct nlmsghdr h;
	struct nlmsgerr e;
	ssize_t n = SYS_RETRY(sendto(sock, msg, size, 0, (const void *)&to, sizeof(to)));

	if (n < 0)
		return -errno;
	n = SYS_RETRY(recv(sock, answer, sizeof(answer), 0));
	if (n < 0)
		return -errno;
	if ((size_t)n < NLMSG_HDRLEN + sizeof(e))
		return -EBADMSG;
	memcpy(&h, answer, sizeof(h));
	memcpy(&e, answer + NLMSG_HDRLEN, sizeof(e));
	return h.nlmsg_type == NLMSG_ERROR ? e.error : -EBADMSG;
}

/* --- routes ------------------------------------------------------------------------ */

/* A local route to everywhere: the kernel delivers each packet inside. */
static int add_route(int sock, uint8_t family)
{
	struct {
		struct nlmsghdr h;
		struct rtmsg r;
		struct rtattr oif;
		uint32_t lo;
	} m = {
		.h = { .nlmsg_len = sizeof(m), .nlmsg_type = RTM_NEWROUTE,
		       .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL },
		.r = { .rtm_family = family, .rtm_table = RT_TABLE_LOCAL,
		       .rtm_protocol = RTPROT_STATIC, .rtm_scope = RT_SCOPE_HOST,
		       .rtm_type = RTN_LOCAL },
		.oif = { .rta_len = RTA_LENGTH(sizeof(uint32_t)), .rta_type = RTA_OIF },
		.lo = if_nametoindex("lo"),
	};

	return m.lo ? request(sock, &m, sizeof(m)) : -errno;
}

/*
 * Gives lo an address that is no loopback address.  Programs that look up names ask first
 * which families the machine has (AI_ADDRCONFIG), and loopback addresses do not count.  It
 * is the one of the pool that stands for no name.
 */
static int add_address(int sock, uint8_t family)
{
	static const uint8_t v6[16] = PB_POOL_V6;
	static const uint8_t v4[4] = { PB_POOL_V4 >> 24, PB_POOL_V4 >> 16 & 0xff,
				       PB_POOL_V4 >> 8 & 0xff, PB_POOL_V4 & 0xff };
	const size_t len = family == AF_INET ? sizeof(v4) : sizeof(v6);
	struct {
		struct nlmsghdr h;
		struct ifaddrmsg a;
		struct rtattr local;
		uint8_t addr[16];
	} m = {
		.h = { .nlmsg_len = (uint32_t)(offsetof(__typeof__(m), addr) + len),
		       .nlmsg_type = RTM_NEWADDR,
		       .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL },
		.a = { .ifa_family = family, .ifa_prefixlen = (uint8_t)(8 * len),
		       .ifa_flags = IFA_F_NODAD, .ifa_scope = RT_SCOPE_UNIVERSE,
		       .ifa_index = if_nametoindex("lo") },
		.local = { .rta_len = (uint16_t)RTA_LENGTH(len), .rta_type = IFA_LOCAL },
	};

	memcpy(m.addr, family == AF_INET ? v4 : v6, len);
	return m.a.ifa_index ? request(sock, &m, m.h.nlmsg_len) : -errno;
}

static int add_family(int sock, uint8_t family)
{
	int r = add_route(sock, family);

	return r < 0 ? r : add_address(sock, family);
}

/* Without IPv6 in the kernel, or with IPv6 switched off, there is nothing to route. */
static bool has_no_v6(int e)
{
	return e == -EAFNOSUPPORT || e == -EOPNOTSUPP || e == -EADDRNOTAVAIL || e == -EACCES ||
	       e == -ENODEV || e == -EINVAL;
}

int step_routes(struct init *in, const struct plan_op *op, struct rt_err *err)
{
	AUTO_CLOSE int sock = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	int r;

	(void)in, (void)op;
	if (sock < 0)
		return step_fail(err, STEP_ROUTES, errno, "socket");
	r = add_family(sock, AF_INET);
	if (r < 0)
		return step_fail(err, STEP_ROUTES, -r, "a local route to everywhere");
	r = add_family(sock, AF_INET6);
	if (r < 0 && !has_no_v6(r))
		return step_fail(err, STEP_ROUTES, -r, "the same for IPv6");
	return 0;
}

/* --- sockets ----------------------------------------------------------------------- */

static const struct {
	int family, type;
	uint16_t port;
} made[] = {
	[GATE_TCP4] = { AF_INET, SOCK_STREAM, GATE_PORT },
	[GATE_TCP6] = { AF_INET6, SOCK_STREAM, GATE_PORT },
	[GATE_DNS_UDP4] = { AF_INET, SOCK_DGRAM, GATE_DNS_PORT },
	[GATE_DNS_UDP6] = { AF_INET6, SOCK_DGRAM, GATE_DNS_PORT },
	[GATE_DNS_TCP4] = { AF_INET, SOCK_STREAM, GATE_DNS_PORT },
	[GATE_DNS_TCP6] = { AF_INET6, SOCK_STREAM, GATE_DNS_PORT },
};

/*
 * On the loopback address, not on every address: the kernel redirects to it, and a
 * datagram's answer from another address would not match its connection.
 */
static int bind_loopback(int fd, int family, uint16_t port)
{
	struct sockaddr_in a4 = { .sin_family = AF_INET, .sin_port = htons(port),
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct sockaddr_in6 a6 = { .sin6_family = AF_INET6, .sin6_port = htons(port),
				   .sin6_addr = IN6ADDR_LOOPBACK_INIT };

	return family == AF_INET ? bind(fd, (const void *)&a4, sizeof(a4)) :
				   bind(fd, (const void *)&a6, sizeof(a6));
}

/* A descriptor or -errno. */
static int make_socket(enum gate_socket which)
{
	AUTO_CLOSE int fd = socket(made[which].family,
				   made[which].type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0 || bind_loopback(fd, made[which].family, made[which].port) < 0 ||
	    (made[which].type == SOCK_STREAM && listen(fd, BACKLOG) < 0))
		return -errno;
	return io_steal_fd(&fd);
}

/* One attribute of one request to the log's subsystem. */
static int log_request(int sock, uint16_t group, uint8_t family, uint16_t type,
		       const void *value, uint16_t size)
{
	struct {
		struct nlmsghdr h;
		struct nfgenmsg g;
		struct nlattr a;
		uint8_t value[8];
	} m = {
		.h = { .nlmsg_type = (NFNL_SUBSYS_ULOG << 8) | NFULNL_MSG_CONFIG,
		       .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK },
		.g = { .nfgen_family = family, .version = NFNETLINK_V0,
		       .res_id = htons(group) },
		.a = { .nla_len = (uint16_t)(sizeof(struct nlattr) + size), .nla_type = type },
	};
	size_t len = offsetof(__typeof__(m), value) + ((size + 3u) & ~3u);

	memcpy(m.value, value, size);
	m.h.nlmsg_len = (uint32_t)len;
	return request(sock, &m, len);
}

/* The kernel's log of denied packets.  A descriptor or -errno. */
static int make_log(void)
{
	AUTO_CLOSE int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_NETFILTER);
	struct nfulnl_msg_config_cmd bind_it = { NFULNL_CFG_CMD_BIND };
	struct nfulnl_msg_config_mode mode = { .copy_range = htonl(LOG_BYTES),
					       .copy_mode = NFULNL_COPY_PACKET };
	uint32_t at_once = htonl(1); /* one packet a message: a refusal is told at once */
	uint16_t number = htons(NFULNL_CFG_F_SEQ); /* so that lost ones are known by the gap */
	int r;

	if (fd < 0)
		return -errno;
	r = log_request(fd, PB_NFT_GROUP, AF_UNSPEC, NFULA_CFG_CMD, &bind_it, sizeof(bind_it));
	if (r == 0)
		r = log_request(fd, PB_NFT_GROUP, AF_UNSPEC, NFULA_CFG_MODE, &mode, sizeof(mode));
	if (r == 0)
		r = log_request(fd, PB_NFT_GROUP, AF_UNSPEC, NFULA_CFG_QTHRESH, &at_once,
				sizeof(at_once));
	if (r == 0)
		r = log_request(fd, PB_NFT_GROUP, AF_UNSPEC, NFULA_CFG_FLAGS, &number,
				sizeof(number));
	return r < 0 ? r : io_steal_fd(&fd);
}

static bool may_lack(enum gate_socket which)
{
	return which != GATE_NFLOG && made[which].family == AF_INET6;
}

int step_gate(struct init *in, const struct plan_op *op, struct rt_err *err)
{
	static const char *const names[] = { "tcp4", "tcp6", "dns udp4", "dns udp6", "dns tcp4",
					     "dns tcp6", "nflog" };
	int fds[GATE_SOCKET_COUNT], n = 0, bits = 0, r = 0;

	(void)op;
	for (int i = 0; i < GATE_SOCKET_COUNT && r == 0; i++) {
		int fd = i == GATE_NFLOG ? make_log() : make_socket((enum gate_socket)i);

		if (fd < 0 && may_lack((enum gate_socket)i) && has_no_v6(fd))
			continue;
		if (fd < 0) {
			r = step_fail(err, STEP_GATE, -fd, "%s", names[i]);
			break;
		}
		fds[n++] = fd;
		bits |= 1 << i;
	}
	if (r == 0)
		r = status_send_fds(in->sock, SANDBOX_SOCKETS, bits, fds, (size_t)n);
	if (r < 0 && !err->err)
		r = step_fail(err, STEP_GATE, -r, "passing the sockets on");
	while (n > 0)
		(void)close(fds[--n]);
	return r;
}
