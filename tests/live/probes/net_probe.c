/*
 * What the network lets through.  For each line "tcp|udp ADDRESS PORT" of the
 * standard input, or for the three words on the command line, a server on all
 * addresses of that port and a client that talks to ADDRESS: prints the line
 * with "allow", or "deny ERRNO".  "ready" is printed first, and the lines are
 * awaited then.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct pair {
	struct sockaddr_storage to, any;
	socklen_t len;
	int type;
};

static bool read_pair(const char *proto, const char *addr, const char *port,
		      struct pair *p)
{
	struct sockaddr_in *in = (void *)&p->to, *any = (void *)&p->any;
	struct sockaddr_in6 *in6 = (void *)&p->to, *any6 = (void *)&p->any;
	uint16_t n = htons((uint16_t)strtoul(port, NULL, 10));

	memset(p, 0, sizeof(*p));
	p->type = strcmp(proto, "udp") == 0 ? SOCK_DGRAM : SOCK_STREAM;
	if (inet_pton(AF_INET, addr, &in->sin_addr) == 1) {
		p->len = sizeof(*in);
		in->sin_family = any->sin_family = AF_INET;
		in->sin_port = any->sin_port = n;
		return true;
	}
	p->len = sizeof(*in6);
	in6->sin6_family = any6->sin6_family = AF_INET6;
	in6->sin6_port = any6->sin6_port = n;
	return inet_pton(AF_INET6, addr, &in6->sin6_addr) == 1;
}

static bool wait_for(int fd, short events, int ms)
{
	struct pollfd p = { .fd = fd, .events = events };

	return poll(&p, 1, ms) == 1;
}

/* 0, or the errno that the client meets. */
static int talk_tcp(int server, int client, const struct pair *p)
{
	int e = 0, peer;
	socklen_t n = sizeof(e);

	if (listen(server, 8) < 0)
		return errno;
	if (connect(client, (const void *)&p->to, p->len) < 0 && errno != EINPROGRESS)
		return errno;
	if (!wait_for(client, POLLOUT, 500))
		return ETIMEDOUT;
	if (getsockopt(client, SOL_SOCKET, SO_ERROR, &e, &n) < 0)
		return errno;
	if (e)
		return e;
	if (!wait_for(server, POLLIN, 500)) /* another server has it */
		return ETIMEDOUT;
	peer = accept(server, NULL, NULL);
	if (peer < 0)
		return errno;
	(void)close(peer);
	return 0;
}

static int talk_udp(int server, int client, const struct pair *p)
{
	char c = 0;

	if (sendto(client, "x", 1, 0, (const void *)&p->to, p->len) != 1)
		return errno;
	if (!wait_for(server, POLLIN, 300))
		return ETIMEDOUT;
	return recv(server, &c, 1, 0) == 1 && c == 'x' ? 0 : EBADMSG;
}

static int talk(const struct pair *p)
{
	int on = 1, r;
	int server = socket(p->any.ss_family, p->type, 0);
	int client = socket(p->any.ss_family, p->type | SOCK_NONBLOCK, 0);

	(void)setsockopt(server, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (p->any.ss_family == AF_INET6)
		(void)setsockopt(server, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
	if (server < 0 || client < 0 || bind(server, (const void *)&p->any, p->len) < 0)
		r = errno + 10000; /* no answer about the network */
	else
		r = p->type == SOCK_STREAM ? talk_tcp(server, client, p) :
					     talk_udp(server, client, p);
	(void)close(client);
	(void)close(server);
	return r;
}

static bool answer(const char *proto, const char *addr, const char *port)
{
	struct pair p;
	int e;

	if (!read_pair(proto, addr, port, &p)) {
		printf("no address: %s\n", addr);
		return false;
	}
	e = talk(&p);
	if (e >= 10000)
		printf("%s %s %s trouble %s\n", proto, addr, port,
		       strerrorname_np(e - 10000));
	else if (e)
		printf("%s %s %s deny %s\n", proto, addr, port, strerrorname_np(e));
	else
		printf("%s %s %s allow\n", proto, addr, port);
	return e == 0;
}

int main(int argc, char **argv)
{
	char proto[8], addr[64], port[8];

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc == 4)
		return answer(argv[1], argv[2], argv[3]) ? 0 : 1;
	puts("ready");
	while (scanf("%7s %63s %7s", proto, addr, port) == 3)
		(void)answer(proto, addr, port);
	return 0;
}
