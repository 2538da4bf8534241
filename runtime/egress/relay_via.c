/* Decides what is said to an upstream proxy, and what its answer means.  The policy names
 * the proxy, so neither the guard nor a rule about addresses is asked about it. */
#include "runtime/egress/relay_via.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime/egress/via.h"

static void fail(struct relay_conn *c, enum gate_why why, int error, const char *text)
{
	relay_refuse(c, GATE_UNREACHED, why, c->reach.rule, error, text);
}

/* --- the answer -------------------------------------------------------------------- */

/* Takes exactly the answer: what follows may be the destination's first words. */
static bool take(struct relay_conn *c, size_t n)
{
	while (n > 0) {
		ssize_t got = recv(c->down.from, NULL, n, MSG_TRUNC | MSG_DONTWAIT);

		if (got <= 0)
			return false;
		n -= (size_t)got;
	}
	return true;
}

/* Has the proxy ended its side, or broken off?  Then nothing follows what is there. */
static bool has_ended(int fd)
{
	struct tcp_info info = { 0 };
	socklen_t len = sizeof(info);

	return getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len) == 0 &&
	       info.tcpi_state != TCP_ESTABLISHED;
}

static void on_answer(struct relay_conn *c)
{
	const uint8_t *p = c->relay->pump->buffer;
	/* asked before the bytes are: what comes in between is no end of them */
	bool ended = has_ended(c->down.from);
	char text[128];
	size_t len = 0;
	long n;
	int server;

	if (!c->down.readable)
		return;
	n = pump_peek(c->relay->pump, c->down.from);
	if (n == -EAGAIN) {
		c->down.readable = false;
		return;
	}
	if (n <= 0) {
		fail(c, GATE_W_CONNECT, n < 0 ? (int)-n : ECONNRESET, "the upstream proxy");
		return;
	}
	switch (via_answer(p, (size_t)n, &len)) {
	case VIA_MORE:
		if (ended)
			fail(c, GATE_W_CONNECT, ECONNRESET, "the upstream proxy");
		else
			c->down.readable = false;
		return;
	case VIA_YES:
		if (!take(c, len))
			break;
		(void)event_del(&c->timer);
		c->go = NULL;
		server = c->down.from;
		c->down.from = c->up.to = -1; /* now the callee's */
		c->via_connected(c, server);
		return;
	case VIA_NO:
		len = len < sizeof(text) - 24 ? len : sizeof(text) - 24;
		memcpy(text, "the upstream proxy: ", 20);
		memcpy(text + 20, p, len);
		text[20 + len] = '\0';
		fail(c, GATE_W_CONNECT, 0, text);
		return;
	case VIA_BAD:
		break;
	}
	fail(c, GATE_W_CONNECT, 0, "the upstream proxy does not speak HTTP");
}

/* --- the request -------------------------------------------------------------------- */

static void on_connected(struct relay_conn *c, int r)
{
	const struct relay_secret *s = relay_secret(c->relay, c->reach.grant);
	char text[VIA_REQUEST_MAX];
	ssize_t sent;
	size_t n;

	if (r < 0) {
		fail(c, r == -ETIMEDOUT ? GATE_W_TIMEOUT : GATE_W_CONNECT, -r,
		     "the upstream proxy");
		return;
	}
	c->down.from = c->up.to = r;
	n = via_request(text, sizeof(text), c->reach.name, c->via_addr, c->out_port,
			s ? s->bytes : NULL, s ? s->size : 0);
	/* a new socket takes so little at once */
	sent = n ? send(r, text, n, MSG_DONTWAIT | MSG_NOSIGNAL) : -1;
	explicit_bzero(text, sizeof(text));
	if (sent != (ssize_t)n || !relay_watch(c, 1)) {
		fail(c, GATE_W_CONNECT, 0, "the upstream proxy takes no request");
		return;
	}
	c->state = RELAY_VIA;
	c->go = on_answer;
	c->down.readable = true;
	relay_set_timer(c, DIAL_MS);
	on_answer(c);
}

static void dialled(struct dial *d, int r)
{
	struct relay_conn *c = d->arg;

	memcpy(c->addr, d->addr[d->used], 16);
	c->has_addr = true;
	c->dial = NULL;
	free(d);
	on_connected(c, r);
}

static void dial_proxy(struct relay_conn *c, const struct lookup_result *found)
{
	struct dial *d = calloc(1, sizeof(*d));
	int r;

	if (!d || found->count == 0) {
		free(d);
		fail(c, d ? GATE_W_RESOLVE : GATE_W_LIMIT, d ? found->error : ENOMEM,
		     "the upstream proxy");
		return;
	}
	for (size_t i = 0; i < found->count && d->count < DIAL_ADDRESSES; i++)
		memcpy(d->addr[d->count++], found->addr[i], 16);
	d->base = c->relay->base;
	d->port = c->via_port;
	d->done = dialled;
	d->arg = c;
	c->dial = d;
	c->state = RELAY_DIAL;
	r = dial_start(d);
	if (r != -EINPROGRESS)
		dialled(d, r);
}

static void on_found(struct lookup_wait *w, const struct lookup_result *found)
{
	dial_proxy((void *)((char *)w - offsetof(struct relay_conn, wait)), found);
}

void relay_via(struct relay_conn *c, void (*connected)(struct relay_conn *c, int server))
{
	const struct pb_egress *e = c->relay->policy->egress;
	const struct pb_grant *g = c->reach.grant;
	struct lookup_result found = { 0 };
	struct via via;

	if (!via_read(&via, pb_strp(e, g->via), g->via.len) ||
	    (g->via_secret.len && !relay_secret(c->relay, g))) {
		fail(c, GATE_W_CONNECT, 0, "the upstream proxy, or its secret, is not known");
		return;
	}
	memcpy(c->via_addr, c->addr, 16);
	c->via_port = via.port;
	c->via_connected = connected;
	c->state = RELAY_LOOKUP;
	c->wait.done = on_found;
	if (!via.host[0])
		memcpy(found.addr[found.count++], via.addr, 16);
	else if (!lookup_name(c->relay->lookup, via.host, &c->wait, &found))
		return;
	dial_proxy(c, &found);
}
