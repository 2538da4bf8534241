/* Decides whom to ask for the addresses of a name, how often, and when an answer is good
 * enough. */
#include "runtime/egress/gate_lookup.h"

#include <errno.h>
#include <event2/event_struct.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime/egress/dial.h"

enum { TCP_MAX = 16384, KINDS = 2 };

static const enum dns_type kinds[KINDS] = { DNS_AAAA, DNS_A };

/* One of the two questions about a name. */
struct part {
	struct lookup_query *query;
	uint16_t id;
	bool done;   /* it has an answer, perhaps that there is no address */
	bool failed; /* the server of this try cannot say */
	struct dns_answer answer;
	int tcp; /* -1: none */
	struct event event;
	uint8_t *buffer; /* of TCP: what was read so far */
	size_t have;
	bool asked;
};

struct lookup_query {
	LIST_ENTRY(lookup_query) link;
	LIST_HEAD(, lookup_wait) waits;
	struct lookup *l;
	char name[EGRESS_NAME_MAX + 1];
	struct part parts[KINDS];
	int udp; /* -1: none */
	struct event event, timer;
	uint32_t tries;
	bool settling;
};

struct lookup_kept {
	char name[EGRESS_NAME_MAX + 1];
	uint64_t until; /* 0: empty */
	struct lookup_result result;
};

static void next_try(struct lookup_query *q);
static void settle(struct lookup_query *q);

/* --- what is kept ------------------------------------------------------------------ */

static struct lookup_kept *kept_at(const struct lookup *l, const char *name)
{
	uint32_t h = 2166136261u;

	for (const char *s = name; *s; s++)
		h = (h ^ (uint8_t)*s) * 16777619u;
	return &l->kept[h % LOOKUP_KEPT];
}

static void keep(struct lookup *l, const char *name, const struct lookup_result *r,
		 uint32_t ttl)
{
	struct lookup_kept *k = kept_at(l, name);
	uint64_t ms = (uint64_t)ttl * 1000;

	if (ms == 0 || r->count == 0)
		return;
	memcpy(k->name, name, strlen(name) + 1);
	k->until = dial_now() + (ms < LOOKUP_KEEP_MS ? ms : LOOKUP_KEEP_MS);
	k->result = *r;
}

/* --- the end of a question ----------------------------------------------------------- */

static void close_tcp(struct part *p)
{
	if (p->tcp >= 0) {
		(void)event_del(&p->event);
		(void)close(p->tcp);
	}
	free(p->buffer);
	p->tcp = -1;
	p->buffer = NULL;
	p->have = 0;
}

static void close_udp(struct lookup_query *q)
{
	if (q->udp < 0)
		return;
	(void)event_del(&q->event);
	(void)close(q->udp);
	q->udp = -1;
}

static void free_query(struct lookup_query *q)
{
	for (int i = 0; i < KINDS; i++)
		close_tcp(&q->parts[i]);
	close_udp(q);
	(void)event_del(&q->timer);
	LIST_REMOVE(q, link);
	q->l->count--;
	free(q);
}

/* The addresses of both families in turn. */
static void merge(const struct lookup_query *q, struct lookup_result *ret)
{
	const struct dns_answer *six = &q->parts[0].answer, *four = &q->parts[1].answer;

	ret->count = 0;
	for (size_t i = 0; i < DNS_ANSWER_ADDRESSES; i++) {
		if (i < six->count && ret->count < LOOKUP_ADDRESSES)
			memcpy(ret->addr[ret->count++], six->addr[i], 16);
		if (i < four->count && ret->count < LOOKUP_ADDRESSES)
			memcpy(ret->addr[ret->count++], four->addr[i], 16);
	}
}

static void end_query(struct lookup_query *q)
{
	const struct part *p = q->parts;
	struct lookup_result r = { 0 };
	struct lookup_wait *w;

	merge(q, &r);
	if (r.count == 0)
		r.error = p[0].done && p[1].done ? ENOENT : ETIMEDOUT;
	if (p[0].done && p[1].done)
		keep(q->l, q->name, &r, p[0].answer.ttl < p[1].answer.ttl ?
						p[0].answer.ttl : p[1].answer.ttl);
	while ((w = LIST_FIRST(&q->waits)) != NULL) {
		lookup_cancel(w);
		w->done(w, &r);
	}
	free_query(q);
}

static void set_timer(struct lookup_query *q, unsigned ms)
{
	struct timeval tv = { ms / 1000, (suseconds_t)(ms % 1000) * 1000 };

	(void)event_add(&q->timer, &tv);
}

/* After every change of a part. */
static void settle(struct lookup_query *q)
{
	const struct part *p = q->parts;

	if (p[0].done && p[1].done) {
		end_query(q);
	} else if ((p[0].done || p[0].failed) && (p[1].done || p[1].failed)) {
		next_try(q);
	} else if (p[0].answer.count + p[1].answer.count > 0 && !q->settling) {
		q->settling = true;
		set_timer(q, LOOKUP_SETTLE_MS);
	}
}

/* --- TCP, for answers that are too long ------------------------------------------------ */

static void fail_part(struct part *p)
{
	close_tcp(p);
	p->failed = true;
	settle(p->query);
}

/* Takes what a server has said. */
static bool take(struct part *p, const uint8_t *bytes, size_t n, bool tcp)
{
	struct dns_answer a = { .ttl = UINT32_MAX };
	enum dns_type type = kinds[p - p->query->parts];

	switch (dns_answer_read(&a, bytes, n, p->id, p->query->name, type)) {
	case DNS_A_ADDRESSES:
	case DNS_A_NONE:
		p->answer = a;
		p->done = true;
		return true;
	case DNS_A_FAILED:
		p->failed = true;
		return true;
	case DNS_A_TRUNCATED:
		p->failed = tcp;
		return true;
	case DNS_A_FOREIGN:
		return false;
	}
	return false;
}

static void on_tcp(evutil_socket_t fd, short what, void *arg)
{
	struct part *p = arg;
	uint8_t ask[2 + DNS_ASK_MAX];
	size_t need, n;
	ssize_t got;

	if ((what & EV_WRITE) && !p->asked) {
		n = dns_ask(p->id, p->query->name, kinds[p - p->query->parts], ask + 2);
		ask[0] = (uint8_t)(n >> 8);
		ask[1] = (uint8_t)n;
		if (n == 0 || send((int)fd, ask, n + 2, MSG_DONTWAIT | MSG_NOSIGNAL) !=
				      (ssize_t)n + 2) {
			fail_part(p);
			return;
		}
		p->asked = true;
		(void)event_del(&p->event);
		(void)event_assign(&p->event, p->query->l->base, fd, EV_READ | EV_PERSIST,
				   on_tcp, p);
		if (event_add(&p->event, NULL) != 0)
			fail_part(p);
		return;
	}
	got = recv((int)fd, p->buffer + p->have, TCP_MAX - p->have, MSG_DONTWAIT);
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (got <= 0) {
		fail_part(p);
		return;
	}
	p->have += (size_t)got;
	need = p->have < 2 ? 2 : 2 + ((size_t)p->buffer[0] << 8 | p->buffer[1]);
	if (need > TCP_MAX) {
		fail_part(p);
	} else if (p->have >= need && need > 2) {
		if (!take(p, p->buffer + 2, need - 2, true))
			p->failed = true;
		close_tcp(p);
		settle(p->query);
	}
}

static int open_socket(const struct lookup_query *q, int type)
{
	const struct host_files *f = &q->l->files;
	struct sockaddr_in6 to = f->servers[q->tries % f->server_count];
	struct sockaddr_in v4 = { .sin_family = AF_INET, .sin_port = to.sin6_port };
	bool four = IN6_IS_ADDR_V4MAPPED(&to.sin6_addr);
	int fd = socket(four ? AF_INET : AF_INET6, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -1;
	memcpy(&v4.sin_addr, to.sin6_addr.s6_addr + 12, 4);
	if (connect(fd, four ? (const void *)&v4 : (const void *)&to,
		    four ? sizeof(v4) : sizeof(to)) != 0 && errno != EINPROGRESS) {
		(void)close(fd);
		return -1;
	}
	return fd;
}

static void start_tcp(struct part *p)
{
	if (p->tcp >= 0)
		return;
	p->asked = false;
	p->have = 0;
	p->buffer = malloc(TCP_MAX);
	p->tcp = p->buffer ? open_socket(p->query, SOCK_STREAM) : -1;
	if (p->tcp >= 0) {
		(void)event_assign(&p->event, p->query->l->base, p->tcp,
				   EV_WRITE | EV_PERSIST, on_tcp, p);
		if (event_add(&p->event, NULL) == 0)
			return;
	}
	close_tcp(p);
	p->failed = true;
}

/* --- UDP ------------------------------------------------------------------------------- */

static void on_udp(evutil_socket_t fd, short what, void *arg)
{
	struct lookup_query *q = arg;
	uint8_t bytes[4096];

	(void)what;
	for (int turn = 0; turn < 8; turn++) {
		ssize_t n = recv((int)fd, bytes, sizeof(bytes), MSG_DONTWAIT);

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			break;
		if (n < 0) { /* nobody listens there */
			for (int i = 0; i < KINDS; i++)
				q->parts[i].failed = !q->parts[i].done;
			break;
		}
		for (int i = 0; i < KINDS; i++) {
			struct part *p = &q->parts[i];

			if (p->done || p->failed || p->tcp >= 0)
				continue;
			if (!take(p, bytes, (size_t)n, false))
				continue;
			if (!p->done && !p->failed)
				start_tcp(p);
			break;
		}
	}
	settle(q);
}

static uint16_t random_id(void)
{
	uint16_t id = 0;

	return getrandom(&id, sizeof(id), GRND_NONBLOCK) == (ssize_t)sizeof(id) ? id : 0;
}

static bool ask_udp(struct lookup_query *q)
{
	uint8_t ask[DNS_ASK_MAX];

	q->udp = open_socket(q, SOCK_DGRAM);
	if (q->udp < 0)
		return false;
	(void)event_assign(&q->event, q->l->base, q->udp, EV_READ | EV_PERSIST, on_udp, q);
	if (event_add(&q->event, NULL) != 0)
		return false;
	for (int i = 0; i < KINDS; i++) {
		size_t n = dns_ask(q->parts[i].id, q->name, kinds[i], ask);

		if (!q->parts[i].done &&
		    (n == 0 || send(q->udp, ask, n, MSG_DONTWAIT | MSG_NOSIGNAL) < 0))
			return false;
	}
	return true;
}

/* Asks the server of this try for what is not known yet.  False: it cannot be asked. */
static bool try_server(struct lookup_query *q)
{
	bool left = false;

	close_udp(q);
	for (int i = 0; i < KINDS; i++) {
		close_tcp(&q->parts[i]);
		q->parts[i].failed = false;
		q->parts[i].id = random_id();
	}
	if (!q->l->files.tcp_only)
		return ask_udp(q);
	for (int i = 0; i < KINDS; i++) {
		if (!q->parts[i].done)
			start_tcp(&q->parts[i]);
		left = left || (!q->parts[i].done && !q->parts[i].failed);
	}
	return left;
}

static void next_try(struct lookup_query *q)
{
	/* one family that has answered is enough when the other does not */
	if (q->parts[0].answer.count + q->parts[1].answer.count > 0) {
		end_query(q);
		return;
	}
	while (++q->tries < LOOKUP_TRIES)
		if (try_server(q)) {
			set_timer(q, LOOKUP_TRY_MS);
			return;
		}
	end_query(q);
}

static void on_timer(evutil_socket_t fd, short what, void *arg)
{
	(void)fd, (void)what;
	next_try(arg);
}

/* --- the interface --------------------------------------------------------------------- */

int lookup_init(struct lookup *l, struct event_base *base, const struct host_files *files)
{
	*l = (struct lookup){ .base = base, .files = *files };
	LIST_INIT(&l->queries);
	l->kept = calloc(LOOKUP_KEPT, sizeof(l->kept[0]));
	return l->kept ? 0 : -ENOMEM;
}

void lookup_release(struct lookup *l)
{
	while (!LIST_EMPTY(&l->queries))
		free_query(LIST_FIRST(&l->queries));
	host_files_release(&l->files);
	free(l->kept);
	l->kept = NULL;
}

static struct lookup_query *find_query(const struct lookup *l, const char *name)
{
	struct lookup_query *q;

	LIST_FOREACH(q, &l->queries, link)
		if (strcmp(q->name, name) == 0)
			return q;
	return NULL;
}

static struct lookup_query *new_query(struct lookup *l, const char *name)
{
	struct lookup_query *q;

	if (l->count >= LOOKUP_AT_ONCE || strlen(name) >= sizeof(q->name))
		return NULL;
	q = calloc(1, sizeof(*q));
	if (!q)
		return NULL;
	q->l = l;
	q->udp = -1;
	memcpy(q->name, name, strlen(name) + 1);
	LIST_INIT(&q->waits);
	for (int i = 0; i < KINDS; i++) {
		q->parts[i].query = q;
		q->parts[i].tcp = -1;
		q->parts[i].answer.ttl = UINT32_MAX;
	}
	(void)evtimer_assign(&q->timer, l->base, on_timer, q);
	LIST_INSERT_HEAD(&l->queries, q, link);
	l->count++;
	return q;
}

bool lookup_name(struct lookup *l, const char *name, struct lookup_wait *w,
		 struct lookup_result *ret)
{
	const struct lookup_kept *k = kept_at(l, name);
	struct lookup_query *q;

	*ret = (struct lookup_result){ 0 };
	ret->count = host_files_find(&l->files, name, LOOKUP_ADDRESSES, ret->addr);
	if (ret->count > 0)
		return true;
	if (k->until > dial_now() && strcmp(k->name, name) == 0) {
		*ret = k->result;
		return true;
	}
	q = find_query(l, name);
	if (!q) {
		q = new_query(l, name);
		if (!q) {
			ret->error = EAGAIN;
			return true;
		}
		if (try_server(q))
			set_timer(q, LOOKUP_TRY_MS);
		else
			set_timer(q, 0); /* the next server, not within this call */
	}
	LIST_INSERT_HEAD(&q->waits, w, link);
	w->waits = true;
	return false;
}

void lookup_cancel(struct lookup_wait *w)
{
	if (w->waits)
		LIST_REMOVE(w, link);
	w->waits = false;
}
