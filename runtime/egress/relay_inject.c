/* Decides when a connection goes to polinject (relay_inject.h), not whether its requests
 * may pass. */
#include "runtime/egress/relay_inject.h"

#include <errno.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime/egress/http_head.h"

enum { ESTABLISHED = 1 /* of the kernel's TCP states */, RETRY_MS = 20, RETRIES_MS = 10000 };

/* --- until a head is whole ------------------------------------------------------- */

/*
 * The bytes stay in the socket, and the command may change them there afterwards: then
 * polinject waits for the rest, and gives the place away if others want it.  A head is read from its
 * beginning each time, but only if a line more has come, or as much again as was there the last
 * time: so bytes that come one by one are no work.
 */
static bool is_whole(struct relay_conn *c, const uint8_t *p, size_t n)
{
	struct http_head head;
	bool line = n > c->head_seen && memchr(p + c->head_seen, '\n', n - c->head_seen);

	c->head_seen = n;
	if (!line && n < 2 * c->head_read && n < HTTP_HEAD_MAX)
		return false;
	c->head_read = n;
	http_head_init(&head);
	return http_head_read(&head, p, n) != HTTP_MORE;
}

/* The end is behind bytes that stay in the socket, so reading does not tell. */
static bool has_left(int fd)
{
	struct tcp_info info;
	socklen_t n = sizeof(info);

	memset(&info, 0, sizeof(info));
	return getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &n) != 0 ||
	       info.tcpi_state != ESTABLISHED;
}

static void look(struct relay_conn *c)
{
	long n;

	if (!c->up.readable)
		return;
	c->up.readable = false;
	n = pump_peek(c->relay->pump, c->up.from);
	if (n == -EAGAIN)
		return;
	if (n <= 0) {
		relay_end(c, (int)-n);
	} else if (!is_whole(c, c->relay->pump->buffer, (size_t)n)) {
		if (has_left(c->up.from))
			relay_end(c, 0);
	} else {
		c->late = NULL;
		c->whole(c);
	}
}

/* In words, as polinject would. */
static void late(struct relay_conn *c)
{
	static const char text[] =
		"HTTP/1.1 408 Request Timeout\r\nContent-Type: text/plain\r\nContent-Length: 39\r\n"
		"Connection: close\r\n\r\npolgate: no request within 30 seconds.\n";
	struct gate_record rec =
		relay_record(c, GATE_REFUSED, GATE_W_TIMEOUT, c->reach.rule);
	struct pump *p = c->relay->pump;

	record_text(&rec, "no request within 30 seconds", 28);
	gate_report_add(c->relay->report, &rec);
	/* what is left unread would make a reset of the end */
	(void)recv(c->up.from, p->buffer, sizeof(p->buffer), MSG_DONTWAIT);
	(void)send(c->up.from, text, sizeof(text) - 1, MSG_DONTWAIT | MSG_NOSIGNAL);
	relay_free(c, false);
}

void relay_inject_wait(struct relay_conn *c, void (*whole)(struct relay_conn *c))
{
	c->state = RELAY_PEEK;
	c->go = look;
	c->late = late;
	c->whole = whole;
	if (!relay_watch(c, 0)) {
		relay_refuse(c, GATE_UNREACHED, GATE_W_LIMIT, c->reach.rule, ENOMEM,
			     NULL);
		return;
	}
	c->up.readable = true;
	relay_set_timer(c, RELAY_SILENT_MS);
	look(c);
}

/* --- polinject ------------------------------------------------------------------- */

static void on_injected(struct gate_inject_wait *w, const struct inject_done *d)
{
	struct relay_conn *c = (void *)((char *)w - offsetof(struct relay_conn, inject));
	const struct pb_grant *g = c->reach.grant;
	bool limit = d->why == GATE_W_LIMIT && g->bytes && d->up + d->down > 0;
	struct gate_record rec = relay_record(c, (enum gate_what)d->what,
					      (enum gate_why)d->why,
					      limit ? g->bytes_rule : c->reach.rule);

	rec.error = d->error;
	rec.up = d->up;
	rec.down = d->down;
	if (d->text[0])
		record_text(&rec, d->text, strlen(d->text));
	gate_report_add(c->relay->report, &rec);
	relay_free(c, false);
}

static void pass(struct relay_conn *c)
{
	struct inject_open open = { .rule = c->reach.grant->bytes_rule, .port = c->out_port,
				    .bytes = c->reach.grant->bytes };
	const int fd[2] = { c->up.from, c->down.from };
	int r;

	memcpy(open.name, c->reach.name, strnlen(c->reach.name, sizeof(open.name) - 1));
	r = gate_inject_pass(c->relay->inject, &open, fd, &c->inject);
	if ((r == -EAGAIN || r == -ETOOMANYREFS) && dial_now() - c->last < RETRIES_MS) {
		/* it is busy with others that have come at once */
		relay_set_timer(c, RETRY_MS);
		return;
	}
	if (r < 0) {
		relay_refuse(c, GATE_UNREACHED, GATE_W_LIMIT, c->reach.rule, -r,
			     "polinject takes no more connections");
		return;
	}
	c->state = RELAY_INJECT;
	(void)close(c->up.from);
	(void)close(c->down.from);
	c->up.from = c->down.to = c->up.to = c->down.from = -1;
}

void relay_inject(struct relay_conn *c, int server)
{
	/* its events must not wake this process any more */
	for (int i = 0; i < 2; i++) {
		if (c->watched[i])
			(void)event_del(&c->events[i]);
		c->watched[i] = false;
	}
	(void)event_del(&c->timer);
	c->go = NULL;
	c->late = pass;
	c->last = dial_now();
	c->up.to = c->down.from = server;
	c->inject.done = on_injected;
	pass(c);
}
