/* Decides which client is answered when, and how much of each client's data is kept. */
#include "runtime/polquery/query_serve.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"
#include "runtime/polquery/query_input.h"
#include "runtime/polquery/query_questions.h"
#include "runtime/polquery/query_socket.h"

enum {
	TURN = 16,            /* lines of a client before others get their turn */
	HEAVY = 16 * 1024,    /* a child decides lines of more bytes than this */
	MAX_CHILDREN = 8,
	CHILD_SECONDS = 60,   /* limit for deciding and for the client to read the answer */
	KEPT = 64 * 1024,     /* bytes of buffer that an idle client keeps */
	EVENTS = 64,
	WAITING = 64 * 1024,  /* an answerer for whom more bytes wait is disconnected */
};

struct client {
	int fd;               /* -1: free */
	uint32_t born;        /* generation of the slot: events of earlier clients carry
	                         another one */
	struct query_input in;
	char *out;            /* the unwritten part of an answer; malloc'ed */
	size_t out_at, out_n;
	pid_t child;          /* child that decides its line, or 0 */
	uint64_t used;        /* clock value when it last sent something */
	uint32_t events;      /* events for which epoll watches */
	bool more;            /* its buffer may contain another line */
	bool waits;           /* … and that line has to wait until there is room for
	                         another child */
	bool lost;            /* to be dropped: sweep() */
};

struct server {
	struct query *q;
	struct query_socket socket;
	struct query_questions questions; /* clients are the numbers of their slots */
	int epoll, signals;
	uint64_t clock; /* increases with everything that clients send */
	unsigned children;
	bool stop;
	bool lost;      /* a client is */
	struct client clients[QUERY_MAX_CLIENTS];
};

/* epoll's numbers for descriptors that are not clients */
enum { ON_SOCKET = QUERY_MAX_CLIENTS, ON_SIGNAL };

/* --- clients ------------------------------------------------------------------------- */

static unsigned slot_of(const struct server *s, const struct client *c)
{
	return (unsigned)(c - s->clients);
}

static void drop(struct server *s, struct client *c)
{
	if (c->child)
		(void)kill(c->child, SIGKILL); /* reaped like the others */
	(void)close(c->fd); /* closing removes it from epoll */
	query_input_release(&c->in);
	free(c->out);
	/* the child is still counted until it is reaped */
	*c = (struct client){ .fd = -1 };
	query_questions_leave(&s->questions, slot_of(s, c));
}

/* For places where others are in the middle of something: sweep() drops it. */
static void lose(struct server *s, struct client *c)
{
	c->lost = s->lost = true;
}

static void sweep(struct server *s)
{
	while (s->lost) {
		s->lost = false;
		for (size_t i = 0; i < QUERY_MAX_CLIENTS; i++)
			if (s->clients[i].fd >= 0 && s->clients[i].lost)
				drop(s, &s->clients[i]);
	}
}

static uint64_t event_of(const struct server *s, const struct client *c)
{
	return (uint64_t)c->born << 32 | slot_of(s, c);
}

/* Is its next line not read yet, because it waits for a child or for an answer? */
static bool is_held(const struct server *s, const struct client *c)
{
	return c->child || query_questions_waits(&s->questions, slot_of(s, c));
}

/* Sets the events that epoll watches.  We read from a client only if it has taken all
 * its answers. */
static void watch(struct server *s, struct client *c)
{
	uint32_t want = c->child ? 0 : c->out ? EPOLLOUT :
			c->more || is_held(s, c) ? 0 : EPOLLIN;
	struct epoll_event e = { .events = want, .data.u64 = event_of(s, c) };

	if (want == c->events)
		return;
	if (epoll_ctl(s->epoll, EPOLL_CTL_MOD, c->fd, &e) < 0)
		lose(s, c);
	else
		c->events = want;
}

static struct client *free_slot(struct server *s)
{
	for (size_t i = 0; i < QUERY_MAX_CLIENTS; i++)
		if (s->clients[i].fd < 0)
			return &s->clients[i];
	return NULL;
}

/* Who asks or answers is silent for good reasons. */
static bool has_a_part(const struct server *s, const struct client *c)
{
	return query_questions_answers(&s->questions, slot_of(s, c)) ||
	       query_questions_waits(&s->questions, slot_of(s, c));
}

static struct client *most_silent(struct server *s, bool all)
{
	struct client *oldest = NULL;

	for (size_t i = 0; i < QUERY_MAX_CLIENTS; i++) {
		struct client *c = &s->clients[i];

		if (c->fd >= 0 && (all || !has_a_part(s, c)) && (!oldest || c->used < oldest->used))
			oldest = c;
	}
	return oldest;
}

/* Disconnects the client that has been silent longest.  False: there is none. */
static bool send_one_away(struct server *s)
{
	struct client *oldest = most_silent(s, false);

	if (!oldest)
		oldest = most_silent(s, true);
	if (oldest)
		drop(s, oldest);
	return oldest != NULL;
}

/* Is a client waiting?  Without a free descriptor accept() fails before it looks. */
static bool somebody_waits(const struct server *s)
{
	struct pollfd p = { .fd = s->socket.fd, .events = POLLIN };

	return poll(&p, 1, 0) > 0;
}

static void take_clients(struct server *s)
{
	for (;;) {
		int fd = query_socket_accept(&s->socket);
		struct client *c = free_slot(s);
		struct epoll_event e = { .events = EPOLLIN };

		if (fd < 0) {
			/* no descriptors left: disconnect a client, so that the new one
			 * gets one */
			if ((errno == EMFILE || errno == ENFILE) && somebody_waits(s) &&
			    send_one_away(s))
				continue;
			return;
		}
		if (!c && send_one_away(s))
			c = free_slot(s);
		if (!c) {
			(void)close(fd);
			return;
		}
		*c = (struct client){ .fd = fd, .used = ++s->clock, .events = EPOLLIN };
		c->born = (uint32_t)c->used;
		e.data.u64 = event_of(s, c);
		query_input_init(&c->in, fd, QUERY_MAX_LINE);
		if (epoll_ctl(s->epoll, EPOLL_CTL_ADD, fd, &e) < 0)
			drop(s, c);
	}
}

/* --- answers -------------------------------------------------------------------------- */

/* 1: everything is written; 0: not yet; -1: the client has gone. */
static int flush(struct client *c)
{
	while (c->out && c->out_at < c->out_n) {
		ssize_t n = send(c->fd, c->out + c->out_at, c->out_n - c->out_at,
				 MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EAGAIN ? 0 : -1;
		c->out_at += (size_t)n;
	}
	free(c->out);
	c->out = NULL;
	return 1;
}

static int answer(struct client *c, const char *text, size_t n)
{
	size_t left = c->out ? c->out_n - c->out_at : 0;
	ssize_t sent = 0;
	char *all;

	if (!text)
		return -1;
	/* not between the bytes that a child writes */
	if (!c->out && !c->child) {
		sent = send(c->fd, text, n, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (sent == (ssize_t)n)
			return 1;
		if (sent < 0 && errno != EAGAIN && errno != EINTR)
			return -1;
	}
	if (sent > 0) {
		text += sent;
		n -= (size_t)sent;
	}
	all = malloc(left + n);
	if (!all)
		return -1;
	if (left)
		memcpy(all, c->out + c->out_at, left);
	memcpy(all + left, text, n);
	free(c->out);
	c->out = all;
	c->out_at = 0;
	c->out_n = left + n;
	return c->child ? 0 : flush(c);
}

/* Gives a client, which may be any, a line about a question. */
static void tell(void *to, unsigned slot, const char *text, size_t n)
{
	struct server *s = to;
	struct client *c = &s->clients[slot];

	if (c->fd < 0 || c->lost)
		return;
	if ((c->out && c->out_n - c->out_at + n > WAITING) || answer(c, text, n) < 0) {
		lose(s, c);
		return;
	}
	/* its next line may have waited for this one: go_on() looks */
	c->more = true;
	watch(s, c);
}

/* Runs in the child, which works on its own copy of everything. */
static void answer_and_exit(struct server *s, struct client *c, const char *line,
			    size_t n)
{
	const char *text;
	size_t len = 0;
	sigset_t none;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	(void)alarm(CHILD_SECONDS);
	text = query_answer(s->q, line, n, &len);
	while (text && len > 0) {
		/* do not set O_NONBLOCK here: the parent shares the flag */
		ssize_t k = send(c->fd, text, len, MSG_NOSIGNAL);
		struct epoll_event e = { .events = EPOLLOUT };
		int ep;

		if (k > 0) {
			text += k;
			len -= (size_t)k;
		}
		if (k >= 0 || errno == EINTR)
			continue;
		if (errno != EAGAIN)
			break;
		ep = epoll_create1(EPOLL_CLOEXEC);
		if (ep < 0 || epoll_ctl(ep, EPOLL_CTL_ADD, c->fd, &e) < 0)
			break;
		(void)epoll_wait(ep, &e, 1, -1);
		(void)close(ep);
	}
	_exit(text && len == 0 ? 0 : 1);
}

/* Answers a line in a child, because deciding it may take long. */
static int answer_apart(struct server *s, struct client *c, const char *line, size_t n)
{
	pid_t pid;

	if (s->children >= MAX_CHILDREN) {
		query_input_back(&c->in, n);
		c->waits = true;
		return 0;
	}
	pid = fork();
	if (pid < 0)
		return -1;
	if (pid == 0)
		answer_and_exit(s, c, line, n);
	c->child = pid;
	s->children++;
	return 0;
}

/* Reaps children.  A client whose child failed to answer is dropped, so that it does
 * not wait. */
static void reap(struct server *s)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		s->children--;
		for (size_t i = 0; i < QUERY_MAX_CLIENTS; i++) {
			struct client *c = &s->clients[i];

			if (c->fd < 0 || c->child != pid)
				continue;
			c->child = 0;
			c->more = true;
			c->used = ++s->clock;
			if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
				drop(s, c);
			else
				watch(s, c); /* something may wait to be written */
		}
	}
}

/* --- a client's turn -------------------------------------------------------------------- */

/* Incomplete lines share a limit: this client may use what the others have left of it. */
static void set_limit(struct server *s, struct client *c)
{
	size_t held = 0, left;

	for (size_t i = 0; i < QUERY_MAX_CLIENTS; i++)
		if (s->clients[i].fd >= 0 && &s->clients[i] != c)
			held += s->clients[i].in.cap;
	left = held < QUERY_MAX_HELD ? QUERY_MAX_HELD - held : 0;
	if (left < KEPT)
		left = KEPT;
	if (left < c->in.cap)
		left = c->in.cap;
	c->in.limit = left < QUERY_MAX_LINE ? left : QUERY_MAX_LINE;
}

/* A line that is decided here: a request, or a message about a question. */
static int answer_here(struct server *s, struct client *c, const char *line, size_t n)
{
	struct query *q = s->q;
	struct query_message m = { .kind = QUERY_NO_MESSAGE };
	struct rt_err err = { 0 };
	const char *text;

	if (!query_request_load(q->reader, line, n, &err) ||
	    !query_message_read(query_request_object(q->reader), &m, &err))
		text = query_refuse(q, &err, &n);
	else if (m.kind == QUERY_NO_MESSAGE)
		text = query_answer_loaded(q, &n);
	else if (!query_questions_take(&s->questions, slot_of(s, c), &m, sys_now_ms(), &err))
		text = query_refuse(q, &err, &n);
	else
		return c->out || c->lost || is_held(s, c) ? 0 : 1;
	return answer(c, text, n);
}

/* 1: continue; 0: not now; -1: the client is finished. */
static int one_line(struct server *s, struct client *c)
{
	const char *text;
	size_t n = 0;
	char *line;

	switch (query_input_line(&c->in, &line, &n)) {
	case QUERY_LINE:
		c->used = ++s->clock;
		return n > HEAVY ? answer_apart(s, c, line, n) : answer_here(s, c, line, n);
	case QUERY_TOO_LONG:
		text = query_too_long(s->q, c->in.limit, &n);
		return answer(c, text, n);
	case QUERY_WAIT:
		c->more = false;
		return 0;
	case QUERY_END:
	case QUERY_FAILED:
	default:
		return -1;
	}
}

static void turn(struct server *s, struct client *c)
{
	int r = flush(c);

	c->more = true;
	c->waits = false;
	set_limit(s, c);
	if (is_held(s, c))
		r = r < 0 ? r : 0;
	for (int k = 0; r > 0 && k < TURN; k++)
		r = one_line(s, c);
	if (r < 0) {
		drop(s, c);
		return;
	}
	if (c->in.cap > KEPT && c->in.from == c->in.to && !c->child)
		query_input_release(&c->in);
	watch(s, c);
}

/* --- the loop ---------------------------------------------------------------------------- */

static void take_signals(struct server *s)
{
	struct signalfd_siginfo info;

	while (read(s->signals, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		if (info.ssi_signo == SIGCHLD)
			reap(s);
		else
			s->stop = true;
	}
}

static void handle(struct server *s, const struct epoll_event *e)
{
	uint32_t slot = (uint32_t)e->data.u64;
	struct client *c;

	if (slot == ON_SOCKET) {
		take_clients(s);
		return;
	}
	if (slot == ON_SIGNAL) {
		take_signals(s);
		return;
	}
	c = &s->clients[slot];
	/* an event for a former client must not be taken for one of the next client in
	 * its slot */
	if (c->fd < 0 || c->born != (uint32_t)(e->data.u64 >> 32))
		return;
	if (e->events & (EPOLLHUP | EPOLLERR))
		drop(s, c); /* nobody is left to receive an answer */
	else if (!c->child && !c->lost)
		turn(s, c);
}

static bool has_turn(const struct server *s, const struct client *c)
{
	return c->fd >= 0 && c->more && !c->lost && !c->out && !is_held(s, c) &&
	       !(c->waits && s->children >= MAX_CHILDREN);
}

/* Gives a turn to clients with buffered lines, which epoll does not report.  True if
 * some have more: a turn may also be what another client waits for. */
static bool go_on(struct server *s)
{
	bool more = false;

	for (size_t i = 0; i < QUERY_MAX_CLIENTS; i++)
		if (has_turn(s, &s->clients[i]))
			turn(s, &s->clients[i]);
	sweep(s);
	for (size_t i = 0; i < QUERY_MAX_CLIENTS; i++)
		more |= has_turn(s, &s->clients[i]);
	return more;
}

static int loop(struct server *s, struct rt_err *err)
{
	struct epoll_event events[EVENTS];
	bool more = false;

	while (!s->stop) {
		int wait = more ? 0 : query_questions_timeout(&s->questions, sys_now_ms());
		int n = epoll_wait(s->epoll, events, EVENTS, wait);

		if (n < 0 && errno != EINTR)
			return rt_fail_errno(err, errno, "waiting for clients");
		query_questions_expire(&s->questions, sys_now_ms());
		for (int i = 0; i < n; i++)
			handle(s, &events[i]);
		more = go_on(s);
	}
	return 0;
}

static int add(struct server *s, int fd, uint32_t number)
{
	struct epoll_event e = { .events = EPOLLIN, .data.u64 = number };

	return epoll_ctl(s->epoll, EPOLL_CTL_ADD, fd, &e);
}

/* Called before the socket is made: a signal that arrived in between would leave it
 * behind. */
static int block_signals(struct server *s, struct rt_err *err)
{
	sigset_t set;

	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGTERM);
	(void)sigaddset(&set, SIGINT);
	(void)sigaddset(&set, SIGHUP);
	(void)sigaddset(&set, SIGCHLD);
	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
		return rt_fail_errno(err, errno, "signals");
	s->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return s->signals < 0 ? rt_fail_errno(err, errno, "signals") : 0;
}

static int set_up(struct server *s, struct rt_err *err)
{
	s->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (s->epoll < 0 || add(s, s->signals, ON_SIGNAL) < 0 ||
	    add(s, s->socket.fd, ON_SOCKET) < 0)
		return rt_fail_errno(err, errno, "waiting for clients");
	return 0;
}

int query_serve(struct query *q, const char *path, struct rt_err *err)
{
	struct server *s = calloc(1, sizeof(*s));
	struct output where = OUTPUT_NONE;
	int r;

	if (!s)
		return rt_fail(err, ENOMEM, "out of memory");
	s->q = q;
	s->epoll = s->signals = -1;
	query_questions_init(&s->questions, tell, s);
	for (size_t i = 0; i < QUERY_MAX_CLIENTS; i++)
		s->clients[i].fd = -1;
	r = block_signals(s, err);
	if (r == 0)
		r = query_find_socket(q, path, &where, err);
	if (r == 0)
		r = query_socket_open(path, &where, &s->socket, err);
	if (r == 0) {
		r = set_up(s, err);
		if (r == 0)
			r = loop(s, err);
		query_socket_close(&s->socket);
	}
	output_close(&where);
	for (size_t i = 0; i < QUERY_MAX_CLIENTS; i++)
		if (s->clients[i].fd >= 0)
			drop(s, &s->clients[i]);
	query_questions_release(&s->questions);
	if (s->signals >= 0)
		(void)close(s->signals);
	if (s->epoll >= 0)
		(void)close(s->epoll);
	free(s);
	return r;
}
