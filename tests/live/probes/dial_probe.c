/*
 * A client without libraries, for the tests of the egress gateway: its own DNS queries, its
 * own clock.  One line each, with the milliseconds that it took:
 *   dial_probe dns NAME TYPE [udp|tcp]     "NOERROR [ADDRESS…] N ms", "NXDOMAIN N ms", …
 *   dial_probe tcp HOST PORT [TEXT]        "OK [first line of the answer] N ms", "ECONNREFUSED N ms",
 *                                          "NXDOMAIN N ms", "EOF N ms", "ECONNRESET N ms", "TIMEOUT N ms"
 *   dial_probe many COUNT HOST PORT [S]    as many connections at once, held for S seconds: how many of each
 *   dial_probe soak COUNT HOST PORT [S]    as many one after another, by eight processes, each with an echo;
 *                                          then S seconds of silence: "done COUNT"
 * HOST is a name or an address; TEXT may hold \r and \n.  TEXT "-": only reads.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE_MS 3000

static const char *const rcodes[] = { "NOERROR", "FORMERR", "SERVFAIL", "NXDOMAIN", "NOTIMP",
				      "REFUSED" };

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static bool wait_for(int fd, short events)
{
	struct pollfd p = { .fd = fd, .events = events };

	return poll(&p, 1, PATIENCE_MS) == 1;
}

/* The first nameserver of resolv.conf: as every resolver, so that outside the lab's is asked. */
static struct sockaddr_in nameserver(void)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(53) };
	char line[256], text[64];
	FILE *f = fopen("/etc/resolv.conf", "re");

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "nameserver %63s", text) == 1 && inet_pton(AF_INET, text, &to.sin_addr) == 1)
			break;
	if (f)
		fclose(f);
	return to;
}

static size_t write_query(uint8_t *q, const char *name, uint16_t type)
{
	static const uint8_t head[12] = { 0x12, 0x34, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0 };
	size_t at = sizeof(head), n;

	memcpy(q, head, sizeof(head));
	while (*name && at < 400) {
		n = strcspn(name, ".");
		if (n > 63)
			n = 63;
		q[at++] = (uint8_t)n;
		memcpy(q + at, name, n);
		at += n;
		name += n;
		name += *name == '.';
	}
	q[at++] = 0;
	q[at++] = (uint8_t)(type >> 8);
	q[at++] = (uint8_t)type;
	q[at++] = 0;
	q[at++] = 1;
	return at;
}

/* The bytes of an answer, or a negative errno. */
static ssize_t ask(const char *name, uint16_t type, bool tcp, uint8_t *reply, size_t size)
{
	struct sockaddr_in to = nameserver();
	uint8_t q[512];
	size_t n = write_query(q + 2, name, type);
	ssize_t got;
	int fd = socket(AF_INET, (tcp ? SOCK_STREAM : SOCK_DGRAM) | SOCK_CLOEXEC, 0);

	q[0] = (uint8_t)(n >> 8);
	q[1] = (uint8_t)n;
	if (fd < 0 || connect(fd, (void *)&to, sizeof(to)) < 0 ||
	    send(fd, tcp ? q : q + 2, tcp ? n + 2 : n, MSG_NOSIGNAL) < 0)
		got = -errno;
	else if (!wait_for(fd, POLLIN))
		got = -ETIMEDOUT;
	else if ((got = recv(fd, reply, size, 0)) < 0)
		got = -errno;
	if (tcp && got > 2)
		memmove(reply, reply + 2, (size_t)(got -= 2));
	(void)close(fd);
	return got;
}

struct answer {
	int rcode; /* or a negative errno */
	size_t count;
	struct sockaddr_storage addr[16];
};

static size_t skip_name(const uint8_t *m, size_t n, size_t at)
{
	while (at < n && m[at] != 0) {
		if (m[at] >= 0xc0)
			return at + 2;
		at += m[at] + 1u;
	}
	return at + 1;
}

static void add_address(struct answer *a, const uint8_t *data, size_t len)
{
	struct sockaddr_in *v4 = (void *)&a->addr[a->count];
	struct sockaddr_in6 *v6 = (void *)&a->addr[a->count];

	if (a->count == sizeof(a->addr) / sizeof(a->addr[0]))
		return;
	if (len == 4) {
		v4->sin_family = AF_INET;
		memcpy(&v4->sin_addr, data, 4);
	} else {
		v6->sin6_family = AF_INET6;
		memcpy(&v6->sin6_addr, data, 16);
	}
	a->count++;
}

static struct answer look_up(const char *name, uint16_t type, bool tcp)
{
	struct answer a = { 0 };
	uint8_t m[4096];
	ssize_t got = ask(name, type, tcp, m, sizeof(m));
	size_t n = (size_t)got, at = 12, records, kind, len;

	if (got < 12) {
		a.rcode = got < 0 ? (int)got : -EBADMSG;
		return a;
	}
	a.rcode = m[3] & 15;
	for (records = (size_t)m[4] << 8 | m[5]; records > 0; records--)
		at = skip_name(m, n, at) + 4;
	for (records = (size_t)m[6] << 8 | m[7]; records > 0; records--) {
		at = skip_name(m, n, at);
		if (at + 10 > n)
			break;
		kind = (size_t)m[at] << 8 | m[at + 1];
		len = (size_t)m[at + 8] << 8 | m[at + 9];
		at += 10;
		if (at + len > n)
			break;
		if ((kind == 1 && len == 4) || (kind == 28 && len == 16))
			add_address(&a, m + at, len);
		else
			printf("type%zu ", kind);
		at += len;
	}
	return a;
}

static const char *said(int e)
{
	return e == ETIMEDOUT ? "TIMEOUT" : strerrorname_np(e);
}

static const char *answer_text(const struct answer *a)
{
	if (a->rcode < 0)
		return said(-a->rcode);
	return a->rcode < 6 ? rcodes[a->rcode] : "RCODE";
}

static int do_dns(char **argv)
{
	int64_t begun = now_ms();
	uint16_t type = (uint16_t)strtoul(argv[1], NULL, 10);
	struct answer a = look_up(argv[0], type, argv[2] && strcmp(argv[2], "tcp") == 0);
	char text[INET6_ADDRSTRLEN];

	printf("%s", answer_text(&a));
	for (size_t i = 0; i < a.count; i++) {
		const void *raw = a.addr[i].ss_family == AF_INET ?
			(void *)&((struct sockaddr_in *)&a.addr[i])->sin_addr :
			(void *)&((struct sockaddr_in6 *)&a.addr[i])->sin6_addr;
		printf(" %s", inet_ntop(a.addr[i].ss_family, raw, text, sizeof(text)));
	}
	printf(" %lld ms\n", (long long)(now_ms() - begun));
	return 0;
}

/* A literal, or what DNS says: A first, then AAAA. */
static struct answer find(const char *host)
{
	struct answer a = { 0 };
	uint8_t raw[16];

	if (inet_pton(AF_INET, host, raw) == 1) {
		add_address(&a, raw, 4);
		return a;
	}
	if (inet_pton(AF_INET6, host, raw) == 1) {
		add_address(&a, raw, 16);
		return a;
	}
	a = look_up(host, 1, false);
	if (a.rcode == 0 && a.count == 0)
		a = look_up(host, 28, false);
	return a;
}

/* Where connections of do_soak() come from; NULL: as the kernel chooses. */
static const struct sockaddr_in *from;

/* A connected socket, or a negative errno. */
static int dial(struct sockaddr_storage *to, const char *port)
{
	uint16_t n = htons((uint16_t)strtoul(port, NULL, 10));
	bool six = to->ss_family == AF_INET6;
	socklen_t len = six ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
	int e = 0, fd = socket(to->ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -errno;
	if (from && !six && setsockopt(fd, SOL_IP, IP_BIND_ADDRESS_NO_PORT, &(int){ 1 }, sizeof(int)) == 0)
		(void)bind(fd, (const void *)from, sizeof(*from));
	if (six)
		((struct sockaddr_in6 *)to)->sin6_port = n;
	else
		((struct sockaddr_in *)to)->sin_port = n;
	if (connect(fd, (void *)to, len) < 0 && errno != EINPROGRESS)
		e = errno;
	else if (!wait_for(fd, POLLOUT))
		e = ETIMEDOUT;
	else
		getsockopt(fd, SOL_SOCKET, SO_ERROR, &e, &(socklen_t){ sizeof(e) });
	if (e == 0)
		return fd;
	(void)close(fd);
	return -e;
}

static size_t unescape(const char *text, char *out, size_t size)
{
	size_t n = 0;

	for (; *text && n + 1 < size; text++) {
		if (text[0] == '\\' && (text[1] == 'r' || text[1] == 'n'))
			out[n++] = *++text == 'r' ? '\r' : '\n';
		else
			out[n++] = *text;
	}
	return n;
}

/* Sends TEXT and prints what came back. */
static void talk(int fd, const char *text)
{
	char buf[4096];
	size_t n = strcmp(text, "-") == 0 ? 0 : unescape(text, buf, sizeof(buf));
	ssize_t got;

	if (n > 0 && send(fd, buf, n, MSG_NOSIGNAL) < 0) {
		printf("%s", said(errno));
		return;
	}
	if (!wait_for(fd, POLLIN)) {
		printf("TIMEOUT");
		return;
	}
	got = recv(fd, buf, sizeof(buf) - 1, 0);
	if (got <= 0) {
		printf("%s", got == 0 ? "EOF" : said(errno));
		return;
	}
	buf[got] = '\0';
	buf[strcspn(buf, "\r\n")] = '\0';
	printf("OK %s", buf);
}

static int do_tcp(char **argv)
{
	int64_t begun = now_ms();
	struct answer a = find(argv[0]);
	int fd = -EADDRNOTAVAIL;

	if (a.rcode != 0)
		printf("%s", answer_text(&a));
	else if (a.count == 0)
		printf("NODATA");
	else {
		for (size_t i = 0; i < a.count && fd < 0; i++)
			fd = dial(&a.addr[i], argv[1]);
		if (fd < 0)
			printf("%s", said(-fd));
		else if (argv[2])
			talk(fd, argv[2]);
		else
			printf("OK");
	}
	printf(" %lld ms\n", (long long)(now_ms() - begun));
	return 0;
}

static int do_many(char **argv)
{
	size_t count = strtoul(argv[0], NULL, 10), ok = 0, refused = 0, ended = 0;
	int *fds = calloc(count, sizeof(*fds));
	char c;
	struct answer a = find(argv[1]);

	for (size_t i = 0; fds && a.count > 0 && i < count; i++)
		fds[i] = dial(&a.addr[0], argv[2]);
	/* What the gateway cannot serve it accepts and closes. */
	for (size_t i = 0; fds && i < count; i++) {
		if (fds[i] < 0)
			refused++;
		else if (send(fds[i], "x", 1, MSG_NOSIGNAL) == 1 && wait_for(fds[i], POLLIN) &&
			 recv(fds[i], &c, 1, 0) == 1)
			ok++;
		else
			ended++;
	}
	printf("ok %zu refused %zu ended %zu\n", ok, refused, ended);
	fflush(stdout);
	if (argv[3])
		(void)sleep((unsigned)strtoul(argv[3], NULL, 10));
	free(fds);
	return 0;
}

/*
 * An echo; then the end, by a reset for every second: nothing waits for a port.
 * What went wrong, or NULL.
 */
static const char *one_echo(struct sockaddr_storage *to, const char *port, size_t turn)
{
	const struct linger reset = { .l_onoff = 1, .l_linger = 0 };
	const char *wrong = NULL;
	char c = 0;
	int fd = dial(to, port);

	errno = fd < 0 ? -fd : 0;
	if (fd < 0)
		return "connect";
	if (send(fd, "x", 1, MSG_NOSIGNAL) != 1)
		wrong = "send";
	else if (!wait_for(fd, POLLIN))
		wrong = "no echo";
	else if (recv(fd, &c, 1, 0) != 1 || c != 'x')
		wrong = "echo";
	if (turn % 2 == 0) {
		(void)shutdown(fd, SHUT_WR);
		if (!wrong && (!wait_for(fd, POLLIN) || recv(fd, &c, 1, 0) != 0))
			wrong = "end";
	}
	(void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
	(void)close(fd);
	return wrong;
}

/* The connections of one process; the first that went wrong is told. */
static bool soak_part(struct sockaddr_storage *to, const char *port, size_t count)
{
	/* an address has 28,000 ports, and a connection that has ended keeps its own for a minute */
	static struct sockaddr_in mine = { .sin_family = AF_INET };
	const char *wrong;
	size_t bad = 0;

	from = &mine;
	for (size_t i = 0; i < count; i++) {
		mine.sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1 + (uint32_t)(i % 100));
		wrong = one_echo(to, port, i);
		if (wrong && bad++ == 0)
			fprintf(stderr, "connection %zu: %s: %s\n", i, wrong, said(errno));
	}
	if (bad > 0)
		fprintf(stderr, "%zu of %zu went wrong\n", bad, count);
	return bad == 0;
}

static int do_soak(char **argv)
{
	size_t count = strtoul(argv[0], NULL, 10) / 8, bad = 0;
	struct answer a = find(argv[1]);
	int status;

	for (int child = 0; child < 8 && a.count > 0; child++) {
		if (fork() != 0)
			continue;
		_exit(!soak_part(&a.addr[0], argv[2], count));
	}
	while (wait(&status) > 0)
		bad += status != 0;
	printf("%s %zu\n", bad || a.count == 0 ? "bad" : "done", count * 8);
	fflush(stdout);
	if (argv[3])
		(void)sleep((unsigned)strtoul(argv[3], NULL, 10));
	return bad != 0;
}

int main(int argc, char **argv)
{
	if (argc >= 4 && strcmp(argv[1], "dns") == 0)
		return do_dns(argv + 2);
	if (argc >= 4 && strcmp(argv[1], "tcp") == 0)
		return do_tcp(argv + 2);
	if (argc >= 5 && strcmp(argv[1], "many") == 0)
		return do_many(argv + 2);
	if (argc >= 5 && strcmp(argv[1], "soak") == 0)
		return do_soak(argv + 2);
	fprintf(stderr, "usage: dial_probe dns NAME TYPE [tcp] | tcp HOST PORT [TEXT] | many|soak COUNT HOST PORT [S]\n");
	return 2;
}
