/*
 * polinject: adds a credential to the requests that the command makes to a host whose
 * rule says so, and speaks verified TLS to that host (inject.h).  The command never has
 * the credential, and this process can reach nothing but the connections that polgate
 * gives it.
 */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/fd_pass.h"
#include "runtime/base/sys.h"
#include "runtime/egress/inject_config.h"
#include "runtime/egress/inject_confine.h"
#include "runtime/egress/inject_conn.h"
#include "runtime/egress/inject_tls.h"

#define EVENTS 64
#define TICK_MS 250 /* how often the connections' times are looked at */
#define PATIENCE_MS 1000 /* with a server that begins TLS, where others want the place */
#define OPENS 32    /* new connections of one turn */

struct loop {
	int epoll;
	SSL_CTX *ctx;
	struct inject_config config;
	struct spent spent; /* of the rules' limits of bytes */
	struct inject_conn *conns,
		*ended; /* ended: only `done` counts, which polgate has not got yet */
	uint32_t count, untold; /* of each list */
	uint32_t most;          /* of each */
	bool again, wants_out;
	bool over; /* polgate has said that the run has ended */
	uint64_t ticked;
};

/* --- polgate --------------------------------------------------------------------- */

static int tell(const struct inject_done *d)
{
	return SYS_RETRY(send(INJECT_GATE, d, sizeof(*d), MSG_NOSIGNAL)) ==
			       (ssize_t)sizeof(*d)
		       ? 0
		       : -errno;
}

static void watch_gate(struct loop *l, bool out)
{
	struct epoll_event e = { .events = EPOLLIN | (out ? EPOLLOUT : 0u) };

	if (l->wants_out == out)
		return;
	l->wants_out = out;
	(void)epoll_ctl(l->epoll, EPOLL_CTL_MOD, INJECT_GATE, &e);
}

/* Tells polgate of the connections that have ended.  False: it is gone. */
static bool tell_ended(struct loop *l)
{
	while (l->ended) {
		struct inject_conn *c = l->ended;
		int r = c->told_gate ? 0 : tell(&c->done);

		if (r == -EAGAIN) {
			watch_gate(l, true);
			return true;
		}
		if (r < 0)
			return false;
		l->ended = c->next;
		l->untold--;
		inject_conn_free(c);
	}
	watch_gate(l, false);
	return true;
}

static void on_refused(struct inject_conn *c)
{
	c->told_gate = tell(&c->done) == 0;
}

static void refuse_open(const struct inject_open *open, enum gate_why why,
			const char *text)
{
	struct inject_done d = { .type = INJECT_DONE,
				 .id = open->id,
				 .what = GATE_REFUSED,
				 .why = (uint32_t)why };

	(void)snprintf(d.text, sizeof(d.text), "%s", text);
	/* if polgate does not take it, it has lost count, which ends with its own limit
	 */
	(void)tell(&d);
}

static bool prepare(int fd)
{
	static const int on = 1;
	int flags = fcntl(fd, F_GETFL);

	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	return flags >= 0 && fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0;
}

static void run(struct loop *l, struct inject_conn *c, uint64_t now);
static void settle(struct loop *l, struct inject_conn *c);

/* The list has the newest first. */
static struct inject_conn *oldest_of(struct loop *l, enum inject_way way, uint64_t before)
{
	struct inject_conn *oldest = NULL;

	for (struct inject_conn *c = l->conns; c; c = c->next)
		if (inject_conn_way(c) == way && c->began <= before)
			oldest = c;
	return oldest;
}

/* Where there is no room, the oldest connection gives way that has ended and only waits for its
 * last bytes to arrive, else that has no whole head, else whose server takes long for TLS. So a program
 * that begins many and completes none keeps out nobody else. */
static void make_room(struct loop *l, uint64_t now)
{
	struct inject_conn *oldest;

	if (l->count < l->most)
		return;
	oldest = oldest_of(l, INJECT_W_ENDS, now);
	if (!oldest)
		oldest = oldest_of(l, INJECT_W_NO_HEAD, now);
	if (!oldest)
		oldest = oldest_of(l, INJECT_W_NO_TLS, now - PATIENCE_MS);
	if (!oldest)
		return;
	inject_conn_give_way(oldest);
	settle(l, oldest);
	(void)tell_ended(l);
}

static void open_conn(struct loop *l, const struct inject_open *open, const int fd[2])
{
	struct inject_header add;
	struct inject_conn *c = NULL;
	uint64_t now = (uint64_t)sys_now_ms();

	make_room(l, now);
	if (l->count >= l->most || l->untold >= l->most)
		refuse_open(open, GATE_W_LIMIT, "too many connections at a time");
	else if (!inject_config_find(&l->config, open->name, &add))
		refuse_open(open, GATE_W_RULE, "no rule injects into this host");
	else if (!prepare(fd[0]) || !prepare(fd[1]) ||
		 !(c = inject_conn_new(l->ctx, open, &add, &l->spent, fd, now)))
		refuse_open(open, GATE_W_LIMIT, "no memory");
	if (!c) {
		(void)close(fd[0]);
		(void)close(fd[1]);
		return;
	}
	l->count++;
	c->next = l->conns;
	if (c->next)
		c->next->prev = c;
	l->conns = c;
	c->epoll = l->epoll;
	c->refused = on_refused;
	for (int i = 0; i < 2; i++) {
		struct epoll_event e = { .events = EPOLLIN | EPOLLOUT | EPOLLRDHUP |
						   EPOLLET,
					 .data.ptr = c };

		/* without the event it ends by its time */
		(void)epoll_ctl(l->epoll, EPOLL_CTL_ADD, fd[i], &e);
	}
	run(l, c, now);
}

/* False: polgate is gone, or speaks nonsense. */
static bool hear_gate(struct loop *l)
{
	for (int i = 0; i < OPENS; i++) {
		struct inject_open open;
		size_t count = 0;
		int fd[2];
		ssize_t n = fd_pass_receive(INJECT_GATE, &open, sizeof(open), 0, fd, 2,
					    &count);

		if (n < 0)
			return n == -EAGAIN;
		l->over = n == 0;
		if (count != 2 || n != (ssize_t)sizeof(open) || open.type != INJECT_OPEN ||
		    open.port == 0 || open.rule >= l->config.rule_count ||
		    !memchr(open.name, '\0', sizeof(open.name))) {
			while (count > 0)
				(void)close(fd[--count]);
			return false;
		}
		open_conn(l, &open, fd);
	}
	return true;
}

/* --- connections ----------------------------------------------------------------- */

/* Its descriptors are closed, so no event names it any more. */
static void settle(struct loop *l, struct inject_conn *c)
{
	if (!c->ended)
		return;
	if (c->prev)
		c->prev->next = c->next;
	else
		l->conns = c->next;
	if (c->next)
		c->next->prev = c->prev;
	c->prev = NULL;
	c->next = l->ended;
	l->ended = c;
	l->count--;
	l->untold++;
}

static void run(struct loop *l, struct inject_conn *c, uint64_t now)
{
	inject_conn_run(c, now);
	l->again |= c->again;
	settle(l, c);
}

/* Those that had more to do, and every TICK_MS all, for their times. */
static void walk(struct loop *l, uint64_t now)
{
	bool all = now - l->ticked >= TICK_MS;
	struct inject_conn *next;

	if (!all && !l->again)
		return;
	if (all)
		l->ticked = now;
	l->again = false;
	for (struct inject_conn *c = l->conns; c; c = next) {
		next = c->next;
		if (all)
			inject_conn_check_time(c, now);
		if (!c->ended && c->again)
			inject_conn_run(c, now);
		l->again |= c->again;
		settle(l, c);
	}
}

static void serve(struct loop *l)
{
	struct epoll_event e[EVENTS];
	bool gate = true;

	while (gate) {
		int wait = l->again ? 0 : l->conns ? TICK_MS : -1;
		int n = epoll_wait(l->epoll, e, EVENTS, wait);
		uint64_t now = (uint64_t)sys_now_ms();
		bool heard = false;

		if (n < 0 && errno != EINTR)
			return;
		for (int i = 0; i < n; i++) {
			struct inject_conn *c = e[i].data.ptr;

			/* one connection may have two events in one turn */
			if (!c)
				heard = true;
			else if (!c->ended)
				run(l, c, now);
		}
		walk(l, now);
		gate = (!heard || hear_gate(l)) && tell_ended(l);
	}
}

/* The run has ended: polgate still wants to know how the connections did. */
static void finish(struct loop *l)
{
	struct inject_conn *next;

	/* polgate only reads now, and if it is gone, send() says so */
	if (!l->over || fcntl(INJECT_GATE, F_SETFL, O_RDWR) != 0)
		return;
	for (struct inject_conn *c = l->conns; c; c = next) {
		next = c->next;
		inject_conn_stop(c);
		settle(l, c);
	}
	(void)tell_ended(l);
}

/* Each connection has two descriptors. */
static int set_limits(struct loop *l, struct rt_err *err)
{
	const rlim_t others = 32, all = 2 * INJECT_CONNECTIONS + others;
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) < 0)
		return rt_fail_errno(err, errno, "the number of descriptors");
	files.rlim_cur = files.rlim_max < all ? files.rlim_max : all;
	if (setrlimit(RLIMIT_NOFILE, &files) < 0 || files.rlim_cur < others + 2)
		return rt_fail_errno(err, errno, "too few descriptors");
	l->most = (uint32_t)((files.rlim_cur - others) / 2);
	return 0;
}

static int start(struct loop *l, struct rt_err *err)
{
	struct epoll_event e = { .events = EPOLLIN };
	int r;

	if (sys_close_range(INJECT_SPENT + 1, ~0u, 0) < 0)
		return rt_fail_errno(err, errno, "closing what is not needed");
	r = set_limits(l, err);
	if (r < 0)
		return r;
	r = inject_config_read(&l->config, INJECT_CONFIG, err);
	if (r < 0)
		return r;
	r = spent_open(&l->spent, l->config.rule_count, INJECT_SPENT);
	if (r < 0)
		return rt_fail_errno(err, -r, "the counters of the limits");
	l->ctx = inject_tls_init(INJECT_CA, err);
	if (!l->ctx)
		return -(err->err ? err->err : EINVAL);
	(void)close(INJECT_CONFIG);
	(void)close(INJECT_CA);
	(void)close(INJECT_SPENT);
	l->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (l->epoll < 0 || epoll_ctl(l->epoll, EPOLL_CTL_ADD, INJECT_GATE, &e) < 0 ||
	    fcntl(INJECT_GATE, F_SETFL, O_RDWR | O_NONBLOCK) < 0 ||
	    signal(SIGPIPE, SIG_IGN) == SIG_ERR)
		return rt_fail_errno(err, errno, "the socket to polgate");
	return inject_confine(err);
}

int main(void)
{
	struct loop l = { .epoll = -1 };
	struct inject_done d = { .type = INJECT_READY };
	struct rt_err err = { 0 };

	if (start(&l, &err) < 0) {
		d.type = INJECT_FAILED;
		d.error = (uint32_t)err.err;
		(void)snprintf(d.text, sizeof(d.text), "%.*s", (int)sizeof(d.text) - 1,
			       err.text);
		(void)tell(&d);
		return 125;
	}
	if (tell(&d) < 0)
		return 125;
	serve(&l);
	finish(&l);
	return 0;
}
