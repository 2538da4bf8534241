/*
 * The other ends of tests/bench/gate.sh: a server and clients that measure.
 *
 *   gate serve PORT           127.0.0.1; PORT: six bytes and the end; PORT + 1: for ever;
 *                             PORT + 2: an echo
 *   gate first ADDRESS PORT N microseconds from connect() to the first byte: median, p95
 *   gate bulk ADDRESS PORT MB MB/s of reading
 *   gate churn ADDRESS PORT N WIDTH  N connections to an echo, WIDTH at a time: per second
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

static int dial(const char *addr, int port)
{
	struct sockaddr_in a = to(addr, port);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (connect(fd, (const void *)&a, sizeof(a)) != 0) {
		close(fd);
		return -1;
	}
	return fd;
}

/* --- the server --------------------------------------------------------------- */

static int listen_on(int port)
{
	struct sockaddr_in a = to("127.0.0.1", port);
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
	} else {
		while (send(fd, data, sizeof(data), MSG_NOSIGNAL) > 0)
			;
	}
	close(fd);
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

static void serve(int port)
{
	signal(SIGCHLD, SIG_IGN);
	for (int kind = 0; kind < 3; kind++) {
		int l = listen_on(port + kind);

		/* several, so that one that waits holds up no other */
		for (int i = 0; i < (kind == 2 ? 64 : 1); i++) {
			if (fork() != 0)
				continue;
			if (kind == 2)
				serve_echo(l);
			for (;;) {
				int fd = accept(l, NULL, NULL);

				if (kind == 1 && fork() != 0) {
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

static void bulk(const char *addr, int port, double mb)
{
	static char data[1 << 17];
	double got = 0, began = now_us();
	int fd = dial(addr, port);

	while (got < mb * 1e6) {
		ssize_t n = recv(fd, data, sizeof(data), 0);

		if (n <= 0)
			die("bulk");
		got += (double)n;
	}
	printf("%.0f MB/s\n", got / (now_us() - began));
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
	if (argc == 3 && strcmp(argv[1], "serve") == 0)
		serve(atoi(argv[2]));
	else if (argc == 5 && strcmp(argv[1], "first") == 0)
		first(argv[2], atoi(argv[3]), atoi(argv[4]));
	else if (argc == 5 && strcmp(argv[1], "bulk") == 0)
		bulk(argv[2], atoi(argv[3]), atof(argv[4]));
	else if (argc == 6 && strcmp(argv[1], "churn") == 0)
		churn(argv[2], atoi(argv[3]), atol(argv[4]), atoi(argv[5]));
	else
		return 2;
	return 0;
}
