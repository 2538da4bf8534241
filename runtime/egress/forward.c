/*
 * Each connection has two sockets and, for each direction, one buffer: the next bytes are read
 * when the last ones are written, so a slow reader holds its writer up as it would without us.
 * The end of a direction is passed on (half-close), a reset too.
 *
 * Inside, a connection to ::1 is made to ::1, then to 127.0.0.1, and the other way round: vite listens
 * on ::1 alone, and two servers may share a port as they can outside.
 */
#include "runtime/egress/forward.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#include "runtime/base/sys.h"

enum {
	BUFFER = 32 << 10,
	LOOK_MS = 1000,    /* between two looks at the ports of the run */
	DRAIN_MS = 1000,   /* after its end: what it has sent still arrives */
	OUTER = 0, INNER = 1 /* the sockets of a connection */
};

/* One direction: from fd[i] to fd[1 - i]. */
struct way {
	size_t off, len;
	bool ended;  /* nothing more comes */
	bool closed; /* and that was passed on */
	unsigned char bytes[BUFFER];
};

struct conn {
	struct conn *next;
	int fd[2];
	uint16_t port; /* inside */
	bool by_v6;    /* it has come to ::1 */
	int attempts;  /* to connect that were made; they go on while `connects` */
	bool connects;
	int at[2];     /* in the array of poll(); -1: not there */
	struct way way[2];
};

struct server {
	struct forward *f;
	struct conn *conns;
	size_t nconns;
	bool told_most, told_full;
	struct pollfd p[1 + 2 * (FORWARD_GIVEN + FORWARD_FOUND) + 2 * FORWARD_CONNS];
	size_t np;
	struct ports told; /* ports of this machine that were in use */
};

/* --- messages ------------------------------------------------------------------------------ */

/* A line between those of a program that draws on the terminal would spoil its picture. */
static bool may_say(const struct forward *f)
{
	struct termios t;

	return !f->quiet && (tcgetattr(STDERR_FILENO, &t) != 0 || (t.c_lflag & ICANON));
}

#define SAY(f, ...) ((void)(may_say(f) && fprintf(stderr, "polrun: " __VA_ARGS__)))

/* --- sockets -------------------------------------------------------------------------------- */

static socklen_t loopback(struct sockaddr_storage *ret, int family, uint16_t port)
{
	const struct sockaddr_in a4 = { .sin_family = AF_INET, .sin_port = htons(port),
					.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	const struct sockaddr_in6 a6 = { .sin6_family = AF_INET6, .sin6_port = htons(port),
					 .sin6_addr = IN6ADDR_LOOPBACK_INIT };

	if (family == AF_INET)
		memcpy(ret, &a4, sizeof(a4));
	else
		memcpy(ret, &a6, sizeof(a6));
	return family == AF_INET ? sizeof(a4) : sizeof(a6);
}

static void set_option(int fd, int level, int name)
{
	const int on = 1;

	(void)setsockopt(fd, level, name, &on, sizeof(on));
}

int forward_make(struct forward_port *p)
{
	p->fds[0] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (p->fds[0] < 0)
		return -errno;
	p->fds[1] = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (p->fds[1] < 0 && errno != EAFNOSUPPORT)
		return -errno;
	for (int i = 0; i < 2; i++)
		if (p->fds[i] >= 0)
			set_option(p->fds[i], SOL_SOCKET, SO_REUSEADDR);
	if (p->fds[1] >= 0)
		set_option(p->fds[1], IPPROTO_IPV6, IPV6_V6ONLY);
	return 0;
}

void forward_close(struct forward_port *p)
{
	for (int i = 0; i < 2; i++) {
		if (p->fds[i] >= 0)
			(void)close(p->fds[i]);
		p->fds[i] = -1;
	}
}

/* Both addresses or none: a browser takes either for `localhost`. */
static int bind_both(struct forward_port *p)
{
	for (int i = 0; i < 2; i++) {
		struct sockaddr_storage a = { 0 };
		socklen_t n = loopback(&a, i == 0 ? AF_INET : AF_INET6, p->host);

		if (p->fds[i] < 0 || p->bound[i])
			continue;
		p->bound[i] = bind(p->fds[i], (const void *)&a, n) == 0;
		if (p->bound[i])
			continue;
		if (i == 0 || errno != EADDRNOTAVAIL)
			return -errno;
		(void)close(p->fds[i]); /* IPv6 is switched off */
		p->fds[i] = -1;
	}
	return 0;
}

/* The kernel would bind a socket without an address to every address. */
static int listen_both(struct forward_port *p)
{
	for (int i = 0; i < 2; i++) {
		int r = p->fds[i] < 0 ? 0 : !p->bound[i] ? -EINVAL :
			listen(p->fds[i], FORWARD_BACKLOG) == 0 ? 0 : -errno;

		if (r < 0 && i == 1)
			(void)shutdown(p->fds[0], SHUT_RDWR);
		if (r < 0)
			return r;
	}
	p->open = true;
	return 0;
}

int forward_listen(struct forward_port *p)
{
	int r = bind_both(p);

	return r < 0 ? r : listen_both(p);
}

/* --- the ports of a rule --------------------------------------------------------------------- */

/* A listening socket that is shut down keeps its address, and can listen again. */
static void stop_listening(struct forward_port *p)
{
	for (int i = 0; i < 2; i++)
		if (p->fds[i] >= 0)
			(void)shutdown(p->fds[i], SHUT_RDWR);
	p->open = false;
}

static struct forward_port *find_port(struct forward *f, uint16_t host)
{
	for (size_t i = 0; i < f->nports; i++)
		if (f->ports[i].host == host)
			return &f->ports[i];
	return NULL;
}

static bool is_given(const struct forward *f, uint16_t inside)
{
	for (size_t i = 0; i < f->nports; i++)
		if (f->ports[i].inside == inside && f->ports[i].host != inside)
			return true;
	return false;
}

static void say_not(struct server *s, uint16_t port, int e)
{
	if (ports_has(&s->told, port) || (e == ENOSPC && s->told_full))
		return;
	ports_add(&s->told, port);
	s->told_full |= e == ENOSPC;
	if (e == EADDRINUSE)
		SAY(s->f, "port %u of this machine is in use: polrun -P PORT:%u publishes the run's port "
		    "%u at another\n", port, port, port);
	else if (e == ENOSPC)
		SAY(s->f, "port %u is not published, nor is any further one: %d others were\n", port,
		    FORWARD_FOUND);
	else
		SAY(s->f, "port %u is not published: %s\n", port, strerror(e));
}

static void publish(struct server *s, uint16_t port)
{
	struct forward_port *p = find_port(s->f, port);
	int r;

	if (p && (p->open || p->host != p->inside))
		return;
	if (!p && is_given(s->f, port)) /* the command line says where */
		return;
	if (!p)
		p = find_port(s->f, 0);
	if (!p) {
		say_not(s, port, ENOSPC);
		return;
	}
	p->host = p->inside = port;
	r = forward_listen(p);
	/* its sockets are not shut down: those that never listened could not listen any more */
	if (r < 0) {
		say_not(s, port, -r);
		return;
	}
	if (!p->found)
		SAY(s->f, "http://127.0.0.1:%u leads to the run\n", port);
	p->found = true;
}

static void look_inside(struct server *s)
{
	static struct ports now;

	now = (struct ports){ 0 };
	listening_look(&s->f->inside, &now);
	for (size_t i = 0; i < s->f->nports; i++) {
		struct forward_port *p = &s->f->ports[i];

		if (p->found && p->open && !ports_has(&now, p->inside))
			stop_listening(p);
	}
	for (uint32_t i = 0; i < sizeof(now.v) / sizeof(now.v[0]); i++)
		for (uint64_t bits = now.v[i] & s->f->wanted.v[i]; bits; bits &= bits - 1)
			publish(s, (uint16_t)(i * 64 + (uint32_t)__builtin_ctzll(bits)));
}

/* --- connections ------------------------------------------------------------------------------ */

static void drop(struct server *s, struct conn *c, bool reset)
{
	static const struct linger now = { 1, 0 };

	for (struct conn **at = &s->conns; *at; at = &(*at)->next)
		if (*at == c) {
			*at = c->next;
			break;
		}
	for (int i = 0; i < 2; i++) {
		if (c->fd[i] >= 0 && reset)
			(void)setsockopt(c->fd[i], SOL_SOCKET, SO_LINGER, &now, sizeof(now));
		if (c->fd[i] >= 0)
			(void)close(c->fd[i]);
	}
	s->nconns--;
	free(c);
}

/* False if it failed at once. */
static bool try_connect(struct conn *c, int family)
{
	struct sockaddr_storage a = { 0 };
	socklen_t n = loopback(&a, family, c->port);

	if (c->fd[INNER] >= 0)
		(void)close(c->fd[INNER]);
	c->fd[INNER] = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (c->fd[INNER] < 0)
		return false;
	set_option(c->fd[INNER], IPPROTO_TCP, TCP_NODELAY);
	if (connect(c->fd[INNER], (const void *)&a, n) == 0) {
		c->connects = false;
		return true;
	}
	return errno == EINPROGRESS;
}

/* Makes the next attempt after one that failed; false: there is none. */
static bool connect_on(struct conn *c)
{
	while (c->attempts < 2)
		if (try_connect(c, (c->attempts++ == 0) == c->by_v6 ? AF_INET6 : AF_INET))
			return true;
	return false;
}

static void accept_one(struct server *s, int listener, uint16_t inside, bool by_v6)
{
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct conn *c;

	if (fd < 0)
		return;
	c = calloc(1, sizeof(*c));
	if (!c) {
		(void)close(fd);
		return;
	}
	set_option(fd, IPPROTO_TCP, TCP_NODELAY);
	c->fd[OUTER] = fd;
	c->fd[INNER] = -1;
	c->port = inside;
	c->by_v6 = by_v6;
	c->connects = true;
	c->at[0] = c->at[1] = -1; /* it is asked for events in the next round */
	c->next = s->conns;
	s->conns = c;
	s->nconns++;
	if (!connect_on(c))
		drop(s, c, true);
}

/* False: the connection is broken. */
static bool move(struct conn *c, int i)
{
	struct way *w = &c->way[i];
	ssize_t n;

	if (!w->len && !w->ended) {
		n = SYS_RETRY(recv(c->fd[i], w->bytes, sizeof(w->bytes), 0));
		if (n < 0)
			return errno == EAGAIN;
		w->ended = n == 0;
		w->off = 0;
		w->len = (size_t)n;
	}
	while (w->len) {
		n = SYS_RETRY(send(c->fd[1 - i], w->bytes + w->off, w->len, MSG_NOSIGNAL));
		if (n < 0)
			return errno == EAGAIN;
		w->off += (size_t)n;
		w->len -= (size_t)n;
	}
	if (w->ended && !w->closed) {
		(void)shutdown(c->fd[1 - i], SHUT_WR);
		w->closed = true;
	}
	return true;
}

static void connected(struct server *s, struct conn *c)
{
	int e = 0;
	socklen_t n = sizeof(e);

	if (getsockopt(c->fd[INNER], SOL_SOCKET, SO_ERROR, &e, &n) != 0 || e) {
		if (!connect_on(c))
			drop(s, c, true);
		return;
	}
	c->connects = false;
}

static short revents(const struct server *s, const struct conn *c, int i)
{
	return c->at[i] < 0 ? 0 : s->p[c->at[i]].revents;
}

static void serve_conn(struct server *s, struct conn *c)
{
	const short in = revents(s, c, OUTER) | revents(s, c, INNER);
	bool ok = true;

	if (!in)
		return;
	if (c->connects) {
		connected(s, c);
		return;
	}
	for (int i = 0; i < 2 && ok; i++)
		ok = !(revents(s, c, i) & POLLERR) && move(c, i);
	/* a socket that is reset has no direction left, and a reader does not notice it any more */
	for (int i = 0; i < 2 && ok; i++)
		ok = !((revents(s, c, i) & POLLHUP) && c->way[i].ended && !c->way[1 - i].closed);
	if (!ok || (c->way[0].closed && c->way[1].closed))
		drop(s, c, !ok);
}

/* --- the loop ----------------------------------------------------------------------------------- */

static int add_poll(struct server *s, int fd, short events)
{
	s->p[s->np] = (struct pollfd){ fd, events, 0 };
	return (int)s->np++;
}

static void poll_conn(struct server *s, struct conn *c)
{
	c->at[0] = c->at[1] = -1;
	if (c->connects) {
		c->at[INNER] = add_poll(s, c->fd[INNER], POLLOUT);
		return;
	}
	for (int i = 0; i < 2; i++) {
		short events = c->way[i].len || c->way[i].ended ? 0 : POLLIN;

		if (c->way[1 - i].len)
			events |= POLLOUT;
		/* poll() reports the end of both directions for ever, and a reset where one is open */
		if (events || !c->way[1 - i].closed)
			c->at[i] = add_poll(s, c->fd[i], events);
	}
}

static void fill_poll(struct server *s, bool accepts)
{
	s->np = 0;
	(void)add_poll(s, accepts ? s->f->stop : -1, POLLIN);
	for (size_t i = 0; i < s->f->nports; i++)
		for (int k = 0; k < 2; k++)
			(void)add_poll(s, s->f->ports[i].open && accepts && s->nconns < s->f->most ?
				       s->f->ports[i].fds[k] : -1, POLLIN);
	for (struct conn *c = s->conns; c; c = c->next)
		poll_conn(s, c);
}

static void accept_all(struct server *s)
{
	for (size_t i = 0; i < 2 * s->f->nports && s->nconns < s->f->most; i++)
		if (s->p[1 + i].revents & POLLIN)
			accept_one(s, s->f->ports[i / 2].fds[i % 2], s->f->ports[i / 2].inside, i % 2 == 1);
	if (s->nconns < s->f->most || s->told_most)
		return;
	s->told_most = true;
	SAY(s->f, "%zu connections to published ports are open: further ones wait\n", s->nconns);
}

/* What the run has sent is passed on; nobody waits for the other direction. */
static void drain(struct server *s)
{
	const int64_t end = sys_now_ms() + DRAIN_MS;

	for (struct conn *c = s->conns, *next; c; c = next) {
		next = c->next;
		if (c->connects || c->way[INNER].closed)
			drop(s, c, c->connects);
	}
	while (s->conns && sys_now_ms() < end) {
		fill_poll(s, false);
		if (poll(s->p, s->np, DRAIN_MS) < 0 && errno != EINTR)
			return;
		for (struct conn *c = s->conns, *next; c; c = next) {
			next = c->next;
			serve_conn(s, c);
		}
		for (struct conn *c = s->conns, *next; c; c = next) {
			next = c->next;
			if (c->way[INNER].closed)
				drop(s, c, false);
		}
	}
}

size_t forward_most(const struct forward *f)
{
	struct rlimit files;
	size_t others = 16 + 2 * f->nports, room = 0;

	if (getrlimit(RLIMIT_NOFILE, &files) != 0)
		return 16;
	if (files.rlim_cur < files.rlim_max && files.rlim_cur < others + 2 * FORWARD_CONNS) {
		files.rlim_cur = files.rlim_max < others + 2 * FORWARD_CONNS ? files.rlim_max :
									       others + 2 * FORWARD_CONNS;
		(void)setrlimit(RLIMIT_NOFILE, &files);
	}
	if (files.rlim_cur > others)
		room = (files.rlim_cur - others) / 2;
	return room > FORWARD_CONNS ? FORWARD_CONNS : room ? room : 1;
}

void forward_serve(struct forward *f)
{
	static struct server s;
	int64_t look = sys_now_ms();

	s.f = f;
	for (;;) {
		int64_t now = sys_now_ms();

		if (f->watches && now >= look) {
			look_inside(&s);
			look = now + LOOK_MS;
		}
		fill_poll(&s, true);
		if (poll(s.p, s.np, f->watches ? (int)(look - now) : -1) < 0 && errno != EINTR)
			return;
		if (s.p[0].revents)
			break;
		for (struct conn *c = s.conns, *next; c; c = next) {
			next = c->next;
			serve_conn(&s, c);
		}
		accept_all(&s);
	}
	drain(&s);
}
