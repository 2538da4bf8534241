/*
 * Ways to whoever listens outside, each of one verb:
 *   escape_net serve FILE ADDRESS…   listens, prints "ready PORT", gives FILE's
 *                                    descriptor or a word to whoever comes
 *   escape_net reach KIND ADDRESS [PORT]
 *   escape_net netlink links|add|sockets|PROTOCOL
 * and prints "OK" (and what was found) or the errno's name.  An ADDRESS of
 * `serve` is a path or @NAME (abstract); TCP comes with it.  Exit 0 for OK, 1
 * for an errno, 2 for a bad call.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#ifndef IPPROTO_MPTCP
#define IPPROTO_MPTCP 262
#endif

static socklen_t unix_address(const char *path, struct sockaddr_un *a)
{
	size_t n = strlen(path);

	memset(a, 0, sizeof(*a));
	a->sun_family = AF_UNIX;
	if (n >= sizeof(a->sun_path))
		return 0;
	memcpy(a->sun_path, path, n);
	if (path[0] == '@')
		a->sun_path[0] = '\0';
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n + (path[0] != '@'));
}

static int listen_unix(const char *path, int type)
{
	struct sockaddr_un a;
	socklen_t len = unix_address(path, &a);
	int s = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);

	if (s < 0 || bind(s, (struct sockaddr *)&a, len) < 0 || listen(s, 8) < 0)
		return -1;
	return s;
}

static int listen_tcp(int *ret_port)
{
	struct sockaddr_in6 a = { .sin6_family = AF_INET6 };
	socklen_t len = sizeof(a);
	int off = 0, fast = 8, s = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (s < 0 || setsockopt(s, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off)) < 0 ||
	    bind(s, (struct sockaddr *)&a, sizeof(a)) < 0 ||
	    setsockopt(s, IPPROTO_TCP, TCP_FASTOPEN, &fast, sizeof(fast)) < 0 ||
	    listen(s, 8) < 0 || getsockname(s, (struct sockaddr *)&a, &len) < 0)
		return -1;
	*ret_port = ntohs(a.sin6_port);
	return s;
}

/* "reached", with `fd` where that can be passed. */
static void give(int c, int fd)
{
	char word[] = "reached", space[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec io = { word, sizeof(word) - 1 };
	struct msghdr m = { .msg_iov = &io, .msg_iovlen = 1 };
	struct cmsghdr *h;
	struct sockaddr_un a;
	socklen_t len = sizeof(a);

	if (getsockname(c, (struct sockaddr *)&a, &len) == 0 && a.sun_family == AF_UNIX) {
		m.msg_control = space;
		m.msg_controllen = sizeof(space);
		h = CMSG_FIRSTHDR(&m);
		h->cmsg_level = SOL_SOCKET;
		h->cmsg_type = SCM_RIGHTS;
		h->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(h), &fd, sizeof(fd));
	}
	(void)sendmsg(c, &m, MSG_NOSIGNAL);
}

static int serve(char **arg)
{
	struct pollfd p[8];
	nfds_t n = 0;
	int port = 0, fd = open(arg[0], O_RDONLY | O_CLOEXEC);

	p[n++] = (struct pollfd){ .fd = 0, .events = POLLIN };
	p[n++] = (struct pollfd){ .fd = listen_tcp(&port), .events = POLLIN };
	for (arg++; *arg && n < 7; arg++) {
		int type = strncmp(*arg, "seq:", 4) == 0 ? SOCK_SEQPACKET : SOCK_STREAM;

		p[n++] = (struct pollfd){
			.fd = listen_unix(*arg + (type == SOCK_SEQPACKET ? 4 : 0), type),
			.events = POLLIN };
	}
	for (nfds_t i = 1; i < n; i++)
		if (p[i].fd < 0 || fd < 0)
			return -1;
	printf("ready %d\n", port);
	(void)fflush(stdout);
	/* idle only as long as no test is, also on an emulated processor: a row must not pass since nobody listens */
	while (poll(p, n, 1800000) > 0 && !p[0].revents) {
		for (nfds_t i = 1; i < n; i++) {
			int c = p[i].revents ? accept(p[i].fd, NULL, NULL) : -1;

			if (c < 0)
				continue;
			give(c, fd);
			(void)close(c);
		}
	}
	return 0;
}

/* Waits for the word; a descriptor that comes with it is read. */
static int take(int s)
{
	char word[64] = "", text[64] = "", space[CMSG_SPACE(sizeof(int))];
	struct iovec io = { word, sizeof(word) - 1 };
	struct msghdr m = { .msg_iov = &io, .msg_iovlen = 1, .msg_control = space,
			    .msg_controllen = sizeof(space) };
	struct timeval limit = { 2, 0 };
	struct cmsghdr *h;
	int fd;

	(void)setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	if (recvmsg(s, &m, 0) <= 0)
		return -1;
	puts(word);
	h = CMSG_FIRSTHDR(&m);
	if (h && h->cmsg_type == SCM_RIGHTS) {
		memcpy(&fd, CMSG_DATA(h), sizeof(fd));
		if (pread(fd, text, sizeof(text) - 1, 0) >= 0)
			printf("%s", text);
	}
	return 0;
}

static int reach_unix(int type, const char *path)
{
	struct sockaddr_un a;
	socklen_t len = unix_address(path, &a);
	int s = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);

	if (s < 0 || connect(s, (struct sockaddr *)&a, len) < 0)
		return -1;
	return take(s);
}

static int reach_tcp(const char *kind, const char *host, const char *port)
{
	struct sockaddr_in v4 = { .sin_family = AF_INET };
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6 };
	struct timeval limit = { 2, 0 };
	char mapped[64];
	int six = strcmp(kind, "tcp6") == 0 || strcmp(kind, "mapped") == 0;
	int s = socket(six ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC,
		       strcmp(kind, "mptcp") == 0 ? IPPROTO_MPTCP : 0);
	struct sockaddr *a = six ? (struct sockaddr *)&v6 : (struct sockaddr *)&v4;
	socklen_t len = six ? sizeof(v6) : sizeof(v4);

	if (s < 0)
		return -1;
	v4.sin_port = v6.sin6_port = htons((unsigned short)atoi(port));
	(void)snprintf(mapped, sizeof(mapped), "%s%s",
		       strcmp(kind, "mapped") == 0 ? "::ffff:" : "", host);
	errno = EINVAL;
	if (inet_pton(six ? AF_INET6 : AF_INET, mapped,
		      six ? (void *)&v6.sin6_addr : (void *)&v4.sin_addr) != 1)
		return -1;
	(void)setsockopt(s, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	if (strcmp(kind, "fastopen") == 0) {
		if (sendto(s, "x", 1, MSG_FASTOPEN | MSG_NOSIGNAL, a, len) < 0)
			return -1;
	} else if (connect(s, a, len) < 0) {
		return -1;
	}
	return take(s);
}

static int reach(const char *kind, const char *host, const char *port)
{
	if (strcmp(kind, "stream") == 0)
		return reach_unix(SOCK_STREAM, host);
	if (strcmp(kind, "seqpacket") == 0)
		return reach_unix(SOCK_SEQPACKET, host);
	return port ? reach_tcp(kind, host, port) : -1;
}

/* Sends one request; prints the names (or numbers) of what comes back. */
static int ask(int protocol, void *request, unsigned len)
{
	char buf[32768];
	int s = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol), count = 0;
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };

	if (s < 0 || sendto(s, request, len, 0, (struct sockaddr *)&kernel,
			    sizeof(kernel)) < 0)
		return -1;
	for (;;) {
		ssize_t n = recv(s, buf, sizeof(buf), 0);
		struct nlmsghdr *h = (struct nlmsghdr *)(void *)buf;

		if (n < 0)
			return -1;
		for (; NLMSG_OK(h, (unsigned)n); h = NLMSG_NEXT(h, n)) {
			if (h->nlmsg_type == NLMSG_DONE) {
				printf("%d found\n", count);
				return 0;
			}
			if (h->nlmsg_type == NLMSG_ERROR) {
				errno = -((struct nlmsgerr *)NLMSG_DATA(h))->error;
				return errno ? -1 : 0;
			}
			count++;
		}
	}
}

static int netlink_links(void)
{
	struct {
		struct nlmsghdr h;
		struct ifinfomsg i;
	} r = { { sizeof(r), RTM_GETLINK, NLM_F_REQUEST | NLM_F_DUMP, 1, 0 },
		{ .ifi_family = AF_UNSPEC } };

	return ask(NETLINK_ROUTE, &r, sizeof(r));
}

/* Takes the loopback down and up: needs CAP_NET_ADMIN, changes nothing. */
static int netlink_set(void)
{
	struct {
		struct nlmsghdr h;
		struct ifinfomsg i;
	} r = { { sizeof(r), RTM_SETLINK, NLM_F_REQUEST | NLM_F_ACK, 1, 0 },
		{ .ifi_family = AF_UNSPEC, .ifi_index = 1 } };

	return ask(NETLINK_ROUTE, &r, sizeof(r));
}

static int netlink_sockets(void)
{
	struct {
		struct nlmsghdr h;
		struct unix_diag_req q;
	} r = { { sizeof(r), SOCK_DIAG_BY_FAMILY, NLM_F_REQUEST | NLM_F_DUMP, 1, 0 },
		{ .sdiag_family = AF_UNIX, .udiag_states = 0xffffffff,
		  .udiag_show = UDIAG_SHOW_NAME } };

	return ask(NETLINK_SOCK_DIAG, &r, sizeof(r));
}

static int netlink(const char *what)
{
	if (strcmp(what, "links") == 0)
		return netlink_links();
	if (strcmp(what, "set") == 0)
		return netlink_set();
	if (strcmp(what, "sockets") == 0)
		return netlink_sockets();
	return socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, atoi(what)) < 0 ? -1 : 0;
}

int main(int argc, char **argv)
{
	int ret;

	if (argc > 2 && strcmp(argv[1], "serve") == 0)
		return serve(argv + 2) < 0;
	if (argc > 3 && strcmp(argv[1], "reach") == 0) {
		ret = reach(argv[2], argv[3], argc > 4 ? argv[4] : NULL);
	} else if (argc > 2 && strcmp(argv[1], "netlink") == 0) {
		ret = netlink(argv[2]);
	} else {
		(void)fputs("usage: escape_net serve|reach|netlink ARG...\n", stderr);
		return 2;
	}
	if (ret == 0)
		puts("OK");
	else
		puts(strerrorname_np(errno) ? strerrorname_np(errno) : "closed");
	return ret < 0;
}
