/*
 * The other ends of tests/bench/gate.sh and gateway.py: a server and clients that measure.
 *
 *   gate serve ADDRESS PORT   PORT: six bytes and the end; PORT + 1: for ever; PORT + 2: an
 *                             echo; PORT + 3: takes all; PORT + 4: one byte, held
 *   gate first ADDRESS PORT N microseconds from connect() to the first byte: median, p95
 *   gate down ADDRESS PORT SECONDS STREAMS   MB/s of reading, STREAMS connections together
 *   gate up ADDRESS PORT SECONDS STREAMS     MB/s of writing, until the server has all
 *   gate churn ADDRESS PORT N WIDTH  N connections to an echo, WIDTH at a time: per second
 *   gate hold ADDRESS PORT N  N connections at once (what 40 s suffice for), each with its
 *                             byte; then until the standard input ends
 *
 * With http_proxy in the environment connections go through that proxy (CONNECT).
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static _Noreturn void die(const char *what)
{
	perror(what);
	_exit(1);
}

static struct sockaddr_in to(const char *addr, int port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };

	if (inet_pton(AF_INET, addr, &a.sin_addr) != 1)
		die(addr);
	return a;
}

/* --- a proxy ------------------------------------------------------------------- */

static struct {
	bool on;
	int port;
	char login[1024]; /* NAME:PASSWORD in base64 */
} proxy;

static size_t unescape(char *text)
{
	char *to = text, digits[3] = "";

	for (const char *from = text; *from; to++) {
		*to = *from++;
		if (*to == '%' && from[0] && from[1]) {
			memcpy(digits, from, 2);
			*to = (char)strtoul(digits, NULL, 16);
			from += 2;
		}
	}
	*to = '\0';
	return (size_t)(to - text);
}

/* http://NAME:PASSWORD@localhost:PORT: the only form that a peer has. */
static void find_proxy(void)
{
	static const char set[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				  "0123456789+/";
	const char *text = getenv("http_proxy");
	char copy[700], *at, *colon, *out = proxy.login;
	size_t n, i;

	if (!text)
		return;
	if (strncmp(text, "http://", 7) != 0 || strlen(text) >= sizeof(copy))
		die("http_proxy");
	(void)strcpy(copy, text + 7);
	at = strrchr(copy, '@');
	colon = strrchr(copy, ':');
	if (!colon || (at && colon < at))
		die("http_proxy");
	proxy.on = true;
	proxy.port = atoi(colon + 1);
	if (!at)
		return;
	*at = '\0';
	n = unescape(copy);
	for (i = 0; i < n; i += 3) {
		uint32_t v = (uint32_t)(uint8_t)copy[i] << 16 |
			     (i + 1 < n ? (uint32_t)(uint8_t)copy[i + 1] << 8 : 0) |
			     (i + 2 < n ? (uint8_t)copy[i + 2] : 0);

		for (unsigned k = 0; k < 4; k++)
			*out++ = i + k > n ? '=' : set[v >> (18 - 6 * k) & 63];
	}
}

static bool pass_proxy(int fd, const char *addr, int port)
{
	char text[1600], answer[1024];
	size_t have = 0;
	int n = snprintf(text, sizeof(text), "CONNECT %s:%d HTTP/1.1\r\nHost: %s:%d\r\n"
			 "%s%s%s\r\n", addr, port, addr, port,
			 proxy.login[0] ? "Proxy-Authorization: Basic " : "", proxy.login,
			 proxy.login[0] ? "\r\n" : "");

	if (send(fd, text, (size_t)n, MSG_NOSIGNAL) != n)
		return false;
	/* byte by byte: what follows is the server's */
	while (have < sizeof(answer) - 1 && recv(fd, answer + have, 1, 0) == 1) {
		answer[++have] = '\0';
		if (have >= 4 && strcmp(answer + have - 4, "\r\n\r\n") == 0)
			return strncmp(answer, "HTTP/1.1 200", 12) == 0;
	}
	return false;
}

static int dial(const char *addr, int port)
{
	struct sockaddr_in a = proxy.on ? to("127.0.0.1", proxy.port) : to(addr, port);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (fd < 0 || connect(fd, (const void *)&a, sizeof(a)) != 0 ||
	    (proxy.on && !pass_proxy(fd, addr, port))) {
		close(fd);
		return -1;
	}
	return fd;
}

/* --- the server --------------------------------------------------------------- */

static int listen_on(const char *addr, int port)
{
	struct sockaddr_in a = to(addr, port);
	int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, (const void *)&a, sizeof(a)) != 0 || listen(fd, 4096) != 0)
		die("listen");
	return fd;
}

static void serve_one(int kind, int fd)
{
	static char data[1 << 17];

	if (kind == 0) {
		(void)!write(fd, "hello\n", 6);
	} else if (kind == 1) {
		while (send(fd, data, sizeof(data), MSG_NOSIGNAL) > 0)
			;
	} else {
		while (recv(fd, data, sizeof(data), 0) > 0)
			;
	}
	close(fd);
}

static void more_files(void)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_NOFILE, &r) == 0) {
		r.rlim_cur = r.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &r);
	}
}

/* Each gets a byte and stays until the client ends it. */
static void serve_held(int listener)
{
	static struct pollfd v[16384];
	nfds_t n = 1;

	more_files();
	v[0] = (struct pollfd){ listener, POLLIN, 0 };
	for (;;) {
		(void)poll(v, n, -1);
		for (nfds_t i = n; i-- > 1;)
			if (v[i].revents) {
				close(v[i].fd);
				v[i] = v[--n];
			}
		if (v[0].revents && n < sizeof(v) / sizeof(v[0])) {
			v[n] = (struct pollfd){ accept(listener, NULL, NULL), 0, 0 };
			if (v[n].fd >= 0 && send(v[n].fd, "+", 1, MSG_NOSIGNAL) == 1)
				n++;
		}
	}
}

/* One process for the echo: the connections of a churn are short. */
static void serve_echo(int listener)
{
	char data[64];

	for (;;) {
		int fd = accept(listener, NULL, NULL);
		ssize_t n;

		while (fd >= 0 && (n = recv(fd, data, sizeof(data), 0)) > 0)
			(void)!send(fd, data, (size_t)n, MSG_NOSIGNAL);
		close(fd);
	}
}

static void serve(const char *addr, int port)
{
	signal(SIGCHLD, SIG_IGN);
	for (int kind = 0; kind < 5; kind++) {
		int l = listen_on(addr, port + kind);

		/* several, so that one that waits holds up no other */
		for (int i = 0; i < (kind == 2 ? 64 : 1); i++) {
			if (fork() != 0)
				continue;
			if (kind == 2)
				serve_echo(l);
			if (kind == 4)
				serve_held(l);
			for (;;) {
				int fd = accept(l, NULL, NULL);

				if (kind != 0 && fork() != 0) {
					close(fd);
					continue;
				}
				serve_one(kind, fd);
			}
		}
		close(l);
	}
	puts("ready");
	fflush(stdout);
	pause();
}

/* --- clients ------------------------------------------------------------------ */

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void first(const char *addr, int port, int n)
{
	double *v = calloc((size_t)n, sizeof(*v));
	char c[16];

	for (int i = -100; i < n; i++) {
		double began = now_us();
		int fd = dial(addr, port);

		if (fd < 0 || recv(fd, c, sizeof(c), 0) <= 0)
			die("first");
		if (i >= 0)
			v[i] = now_us() - began;
		close(fd);
	}
	qsort(v, (size_t)n, sizeof(*v), by_value);
	printf("%.0f us (p95 %.0f)\n", v[n / 2], v[n * 95 / 100]);
}

/* One stream: MB, and the seconds that they took. */
static void stream(const char *addr, int port, double seconds, bool up, double ret[2])
{
	static char data[1 << 17];
	double began, bytes = 0;
	int fd = dial(addr, port);

	if (fd < 0)
		die("a stream");
	began = now_us();
	while (now_us() - began < seconds * 1e6) {
		ssize_t n = up ? send(fd, data, sizeof(data), MSG_NOSIGNAL) :
				 recv(fd, data, sizeof(data), 0);

		if (n <= 0)
			die("a stream's end");
		bytes += (double)n;
	}
	/* what is on its way counts when the server has it, and closes */
	if (up && shutdown(fd, SHUT_WR) == 0)
		while (recv(fd, data, sizeof(data), 0) > 0)
			;
	ret[0] = bytes / 1e6;
	ret[1] = (now_us() - began) / 1e6;
	close(fd);
}

static void bulk(const char *addr, int port, double seconds, int streams, bool up)
{
	double sum = 0, one[2];
	int fds[2], status;

	if (pipe(fds) != 0)
		die("pipe");
	for (int i = 0; i < streams; i++)
		if (fork() == 0) {
			stream(addr, port, seconds, up, one);
			_exit(write(fds[1], one, sizeof(one)) != sizeof(one));
		}
	for (int i = 0; i < streams; i++) {
		if (wait(&status) < 0 || status != 0 ||
		    read(fds[0], one, sizeof(one)) != sizeof(one))
			die("a stream");
		sum += one[0] / one[1];
	}
	printf("%.0f MB/s\n", sum);
}

static void hold(const char *addr, int port, int n)
{
	double began = now_us();
	int have = 0;
	char c;

	more_files();
	/* a peer for which each costs a process gets no further than this */
	for (; have < n && now_us() - began < 40e6; have++) {
		struct timeval patience = { 5, 0 };
		int fd = dial(addr, port);

		(void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
		if (fd < 0 || recv(fd, &c, 1, 0) != 1)
			break;
	}
	printf("held %d in %.0f ms\n", have, (now_us() - began) / 1e3);
	fflush(stdout);
	while (read(0, &c, 1) > 0)
		;
}

static void churn(const char *addr, int port, long n, int width)
{
	struct sockaddr_in a = to(addr, port);
	double began = now_us();
	long bad = 0;

	for (int i = 0; i < width; i++) {
		if (fork() != 0)
			continue;
		for (long k = i; k < n; k += width) {
			int fd = socket(AF_INET, SOCK_STREAM, 0);
			struct linger hard = { 1, 0 };
			char c[8] = "";

			if (connect(fd, (const void *)&a, sizeof(a)) != 0 ||
			    send(fd, "ping", 4, MSG_NOSIGNAL) != 4 ||
			    recv(fd, c, sizeof(c), 0) != 4)
				_exit(2);
			/* half of them end in order, half with a reset */
			if (k & 1)
				setsockopt(fd, SOL_SOCKET, SO_LINGER, &hard, sizeof(hard));
			close(fd);
		}
		_exit(0);
	}
	for (int i = 0; i < width; i++) {
		int status;

		if (wait(&status) < 0 || status != 0)
			bad++;
	}
	printf("%ld connections, %.0f per second, %ld clients failed\n", n,
	       (double)n * 1e6 / (now_us() - began), bad);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	find_proxy();
	if (argc == 4 && strcmp(what, "serve") == 0)
		serve(argv[2], atoi(argv[3]));
	else if (argc == 5 && strcmp(what, "first") == 0)
		first(argv[2], atoi(argv[3]), atoi(argv[4]));
	else if (argc == 6 && (strcmp(what, "down") == 0 || strcmp(what, "up") == 0))
		bulk(argv[2], atoi(argv[3]), atof(argv[4]), atoi(argv[5]), what[0] == 'u');
	else if (argc == 6 && strcmp(what, "churn") == 0)
		churn(argv[2], atoi(argv[3]), atol(argv[4]), atoi(argv[5]));
	else if (argc == 5 && strcmp(what, "hold") == 0)
		hold(argv[2], atoi(argv[3]), atoi(argv[4]));
	else
		return 2;
	return 0;
}
