/* Decides what a run's DNS query is answered with. */
#include "runtime/egress/dns_serve.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime/decide/egress.h"

enum { TURN = 128, ROOM = 8 << 20 /* of the kernel's queue; it gives less */ };

struct dns_serve_stream {
	TAILQ_ENTRY(dns_serve_stream) link;
	struct dns_serve *s;
	int fd;
	struct event event, timer;
	struct dns_stream in;
};

/* --- the decision --------------------------------------------------------------------- */

static bool ends_with(const char *s, size_t n, const char *end)
{
	size_t len = strlen(end);

	return n >= len && memcmp(s + n - len, end, len) == 0;
}

/* Is a name below this one reachable?  Then NXDOMAIN would be wrong (RFC 8020). */
static bool names_below(const struct pb_egress *e, const char *name, size_t n)
{
	for (uint32_t i = 0; i < e->hosts.count; i++) {
		const struct pb_host *h = pb_at(e, e->hosts, sizeof(*h), i);
		const char *at = pb_strp(e, h->name);
		size_t len = h->name.len;

		if (!egress_pool(e, h->class_) || len < n ||
		    memcmp(at + len - n, name, n) != 0)
			continue;
		if (len == n ? h->below : at[len - n - 1] == '.')
			return true;
	}
	return false;
}

static void refused(struct dns_serve *s, const struct dns_query *q, enum gate_why why)
{
	const struct pb_egress *e = s->names->egress;
	uint32_t class_ = egress_class(e, q->name, q->name_n);
	/* the port is not known yet: the rule of the most usual one */
	const struct pb_piece *p = egress_name(e, class_, false, 443);
	struct gate_record rec = record_new(GATE_NO_NAME, why, p->rule);

	/* programs ask for names of addresses to write logs, and for both families */
	if (ends_with(q->name, q->name_n, ".in-addr.arpa") ||
	    ends_with(q->name, q->name_n, ".ip6.arpa") ||
	    (q->type == DNS_AAAA && strcmp(q->name, s->last) == 0))
		return;
	memcpy(s->last, q->name, q->name_n + 1);
	record_name(&rec, q->name, q->name_n);
	gate_report_add(s->report, &rec);
}

/* What is asked for is no name of a host, so no rule says anything about it.  Its text has
 * '?' for the bytes that no host name has. */
static void no_host(struct dns_serve *s, const struct dns_query *q)
{
	static const char text[] = "which is no name of a host";
	struct gate_record rec = record_new(GATE_NO_NAME, GATE_W_NO_NAME, UINT32_MAX);

	if (q->name_n == 0) /* the root, whose servers resolvers ask for */
		return;
	record_name(&rec, q->name, q->name_n);
	record_text(&rec, text, sizeof(text) - 1);
	gate_report_add(s->report, &rec);
}

static struct dns_reply local(const struct dns_query *q, uint8_t addr[16])
{
	static const uint8_t one[16] = { [15] = 1 };
	struct dns_reply r = { .ttl = DNS_SERVE_TTL };

	if (q->type == DNS_AAAA) {
		memcpy(addr, one, 16);
		r.addr_n = 16;
	} else if (q->type == DNS_A) {
		memcpy(addr, (const uint8_t[]){ 127, 0, 0, 1 }, 4);
		r.addr_n = 4;
	}
	r.addr = r.addr_n ? addr : NULL;
	return r;
}

struct dns_reply dns_serve_reply(struct dns_serve *s, const struct dns_query *q,
				 uint8_t addr[16])
{
	struct dns_reply r = { .ttl = DNS_SERVE_TTL };
	uint32_t index = 0;

	if (!q->host) {
		no_host(s, q);
		r.rcode = DNS_NXDOMAIN;
		return r;
	}
	if (strcmp(q->name, "localhost") == 0)
		return local(q, addr);
	if (names_give(s->names, q->name, q->name_n, &index) != 0) {
		refused(s, q, GATE_W_POOL);
		r.rcode = DNS_SERVFAIL;
		return r;
	}
	if (index == 0) {
		refused(s, q, GATE_W_RULE);
		r.ede = DNS_EDE_BLOCKED;
		if (!names_below(s->names->egress, q->name, q->name_n))
			r.rcode = DNS_NXDOMAIN;
		return r;
	}
	if (q->type == DNS_A) {
		names_v4(index, addr);
		r.addr = addr;
		r.addr_n = 4;
	} else if (q->type == DNS_AAAA) {
		names_v6(index, addr);
		r.addr = addr;
		r.addr_n = 16;
	}
	return r;
}

/* The answer to a message; 0: none. */
static size_t answer(struct dns_serve *s, const uint8_t *p, size_t n, bool tcp,
		     uint8_t out[DNS_REPLY_MAX])
{
	struct dns_query q;
	struct dns_reply r = { 0 };
	uint8_t addr[16];

	switch (dns_read(&q, p, n)) {
	case DNS_QUERY:
		r = dns_serve_reply(s, &q, addr);
		break;
	case DNS_REPLY:
		r.rcode = (enum dns_rcode)q.rcode;
		break;
	case DNS_DROP:
		return 0;
	}
	return dns_write(&q, &r, out, DNS_REPLY_MAX, tcp ? 0 : dns_udp_limit(&q));
}

/* --- UDP -------------------------------------------------------------------------------- */

/* Answers what waits, as many as this window has left. */
static void answer_queue(struct dns_serve *s)
{
	const struct dns_sender *to;
	const struct dns_queued *m;
	uint8_t out[DNS_REPLY_MAX];
	size_t size;

	while (s->left > 0 && (m = dns_queue_take(&s->queue, &to))) {
		s->left--;
		size = answer(s, m->p, m->n, false, out);
		/* what finds no room is lost, as on any network */
		if (size > 0)
			(void)sendto(to->fd, out, size, MSG_DONTWAIT | MSG_NOSIGNAL,
				     (const struct sockaddr *)&to->from, to->from_len);
	}
}

static void begin_window(struct dns_serve *s)
{
	static const struct timeval window = { 0, DNS_SERVE_WINDOW_MS * 1000 };

	if (!evtimer_pending(&s->window, NULL))
		(void)event_add(&s->window, &window);
}

static void fill_window(struct dns_serve *s)
{
	s->left = DNS_SERVE_RATE * DNS_SERVE_WINDOW_MS / 1000;
	s->may_read = DNS_SERVE_READS * DNS_SERVE_WINDOW_MS / 1000;
}

static void on_window(evutil_socket_t fd, short what, void *arg)
{
	struct dns_serve *s = arg;

	(void)fd, (void)what;
	fill_window(s);
	answer_queue(s);
	if (s->left == 0)
		begin_window(s);
	for (int i = 0; i < 2; i++) {
		if (s->socket_fds[i] < 0)
			continue;
		dns_shut_open(&s->shut[i], s->socket_fds[i]);
		(void)event_add(&s->sockets[i], NULL);
	}
}

/* Reads one datagram.  False: there is none. */
static bool read_one(struct dns_serve *s, int which)
{
	int fd = s->socket_fds[which];
	struct sockaddr_in6 from = { 0 };
	socklen_t len = sizeof(from);
	uint8_t in[DNS_QUERY_MAX + 1];
	struct dns_queued *m;
	ssize_t n = recvfrom(fd, in, sizeof(in), MSG_DONTWAIT, (struct sockaddr *)&from,
			     &len);

	if (n < 0)
		return false;
	m = dns_queue_add(&s->queue, fd, &from, len);
	/* it has sent many, but perhaps nobody else waits */
	if (!m && s->left > 0) {
		answer_queue(s);
		m = dns_queue_add(&s->queue, fd, &from, len);
	}
	if (m) {
		m->n = (uint16_t)n;
		memcpy(m->p, in, (size_t)n);
	} else {
		dns_shut_add(&s->shut[which], &from);
	}
	return true;
}

/* Also what is too much to be answered is read: it would fill the kernel's queue, which is
 * one for all senders.  Whose is too much is kept out of that queue for the rest of the window. */
static void on_udp(evutil_socket_t fd, short what, void *arg)
{
	struct dns_serve *s = arg;
	int which = (int)fd == s->socket_fds[1];

	(void)what;
	begin_window(s);
	for (int i = 0; i < TURN && s->may_read > 0 && read_one(s, which); i++)
		s->may_read--;
	dns_shut_close(&s->shut[which], (int)fd);
	answer_queue(s);
	for (int i = 0; i < 2 && s->may_read == 0; i++)
		if (s->socket_fds[i] >= 0)
			(void)event_del(&s->sockets[i]);
}

/* --- TCP ---------------------------------------------------------------------------------- */

static void close_stream(struct dns_serve_stream *t)
{
	(void)event_del(&t->event);
	(void)event_del(&t->timer);
	(void)close(t->fd);
	TAILQ_REMOVE(&t->s->streams, t, link);
	t->s->stream_count--;
	free(t);
}

static void on_late(evutil_socket_t fd, short what, void *arg)
{
	(void)fd, (void)what;
	close_stream(arg);
}

/* False: the stream must end. */
static bool answer_stream(struct dns_serve_stream *t)
{
	uint8_t out[2 + DNS_REPLY_MAX];
	size_t n, size;
	const uint8_t *p = dns_stream_message(&t->in, &n);

	size = answer(t->s, p, n, true, out + 2);
	out[0] = (uint8_t)(size >> 8);
	out[1] = (uint8_t)size;
	dns_stream_next(&t->in);
	/* who sends queries and reads no answers is not waited for */
	return size > 0 && send(t->fd, out, size + 2, MSG_DONTWAIT | MSG_NOSIGNAL) ==
				   (ssize_t)size + 2;
}

static void on_stream(evutil_socket_t fd, short what, void *arg)
{
	struct dns_serve_stream *t = arg;
	uint8_t in[2048];
	ssize_t n = recv((int)fd, in, sizeof(in), MSG_DONTWAIT);
	size_t at = 0, used;

	(void)what;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	while (n > 0 && at < (size_t)n) {
		switch (dns_stream_add(&t->in, in + at, (size_t)n - at, &used)) {
		case DNS_MORE:
			break;
		case DNS_MESSAGE:
			if (!answer_stream(t))
				n = 0;
			break;
		case DNS_TOO_LONG:
			n = 0;
			break;
		}
		at += used;
	}
	if (n <= 0)
		close_stream(t);
}

static void on_listener(evutil_socket_t listener, short what, void *arg)
{
	static const struct timeval late = { DNS_SERVE_STREAM_S, 0 };
	struct dns_serve *s = arg;
	struct dns_serve_stream *t;
	int fd = accept4((int)listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	(void)what;
	if (fd < 0 && errno != EMFILE && errno != ENFILE)
		return;
	/* also without descriptors: the listener would stay readable */
	if (s->stream_count >= DNS_SERVE_STREAMS || fd < 0) {
		if (!TAILQ_EMPTY(&s->streams))
			close_stream(TAILQ_FIRST(&s->streams));
	}
	t = fd < 0 ? NULL : calloc(1, sizeof(*t));
	if (!t) {
		if (fd >= 0)
			(void)close(fd);
		return;
	}
	t->s = s;
	t->fd = fd;
	(void)event_assign(&t->event, s->base, fd, EV_READ | EV_PERSIST, on_stream, t);
	(void)evtimer_assign(&t->timer, s->base, on_late, t);
	TAILQ_INSERT_TAIL(&s->streams, t, link);
	s->stream_count++;
	if (event_add(&t->event, NULL) != 0 || event_add(&t->timer, &late) != 0)
		close_stream(t);
}

/* --- the interface -------------------------------------------------------------------------- */

void dns_serve_init(struct dns_serve *s)
{
	fill_window(s);
	dns_queue_init(&s->queue);
	memset(s->shut, 0, sizeof(s->shut));
	s->socket_fds[0] = s->socket_fds[1] = -1;
	s->stream_count = 0;
	s->last[0] = '\0';
	TAILQ_INIT(&s->streams);
	(void)evtimer_assign(&s->window, s->base, on_window, s);
}

int dns_serve_udp(struct dns_serve *s, int which, int fd)
{
	static const int room = ROOM;

	(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room));
	s->socket_fds[which] = fd;
	(void)event_assign(&s->sockets[which], s->base, fd, EV_READ | EV_PERSIST, on_udp, s);
	return event_add(&s->sockets[which], NULL) == 0 ? 0 : -ENOMEM;
}

int dns_serve_tcp(struct dns_serve *s, int which, int fd)
{
	(void)event_assign(&s->listeners[which], s->base, fd, EV_READ | EV_PERSIST,
			   on_listener, s);
	return event_add(&s->listeners[which], NULL) == 0 ? 0 : -ENOMEM;
}
