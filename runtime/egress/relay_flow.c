/* Decides when bytes of a connection move, and looks at those that HTTP must have
 * looked at while it flows. */
#include "runtime/egress/relay_flow.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>

/* --- bytes ----------------------------------------------------------------------- */

static void wait_turn(struct relay_conn *c)
{
	static const struct timeval now = { 0, 0 };

	if (c->in_turn)
		return;
	TAILQ_INSERT_TAIL(&c->relay->turn, c, turn);
	c->in_turn = true;
	if (!evtimer_pending(&c->relay->again, NULL))
		(void)event_add(&c->relay->again, &now);
}

void relay_again(evutil_socket_t fd, short what, void *arg)
{
	struct relay *r = arg;
	struct relay_turn now = TAILQ_HEAD_INITIALIZER(now);
	struct relay_conn *c;

	(void)fd, (void)what;
	/* each of them once; those that are not done come back at the end */
	TAILQ_CONCAT(&now, &r->turn, turn);
	while ((c = TAILQ_FIRST(&now)) != NULL) {
		TAILQ_REMOVE(&now, c, turn);
		c->in_turn = false;
		if (c->go)
			c->go(c);
	}
}

/* How many bytes the rule's limit leaves; bytes in pipes may exceed it by their number.
 */
uint64_t relay_bytes_left(const struct relay_conn *c)
{
	uint64_t most = c->reach.grant->bytes, used;

	if (most == 0 || c->reach.rule >= c->relay->rule_count)
		return UINT64_MAX;
	used = c->relay->used[c->reach.rule].bytes;
	return used < most ? most - used : 0;
}

/* Moves what can be moved.  RELAY_GONE: the connection is closed. */
static enum relay_run run_way(struct relay_conn *c, struct pump_way *w,
			      enum pump_result *ret)
{
	uint64_t left = relay_bytes_left(c), wanted = w->budget, before = w->total,
		 moved;

	if (left == 0 && !w->eof) {
		relay_refuse(c, GATE_REFUSED, GATE_W_LIMIT, c->reach.rule, 0,
			     "the rule's limit of bytes");
		return RELAY_GONE;
	}
	if (left < wanted)
		w->budget = left;
	*ret = pump_run(c->relay->pump, w);
	moved = w->total - before;
	if (left != UINT64_MAX) {
		c->relay->used[c->reach.rule].bytes += moved;
		w->budget = wanted == UINT64_MAX ? wanted : wanted - moved;
		if (*ret == PUMP_SPENT && w->budget > 0)
			*ret = PUMP_AGAIN;
	}
	if (moved > 0)
		c->last = dial_now();
	if (*ret == PUMP_BROKEN) {
		relay_end(c, errno ? errno : EIO);
		return RELAY_GONE;
	}
	if (*ret == PUMP_AGAIN)
		wait_turn(c);
	return RELAY_ON;
}

/* Looks at the command's next request.  True: bytes may pass, or the end. */
enum relay_run relay_look(struct relay_conn *c, bool *ret_more)
{
	struct peek_verdict v;
	bool eof = false;
	long n = pump_peek(c->relay->pump, c->up.from);
	socklen_t len = sizeof(struct tcp_info);
	struct tcp_info info;

	*ret_more = false;
	if (n == -EAGAIN) {
		c->up.readable = false;
		n = 0;
	} else if (n == 0) {
		eof = true;
	} else if (n < 0) {
		relay_end(c, (int)-n);
		return RELAY_GONE;
	} else if (getsockopt(c->up.from, IPPROTO_TCP, TCP_INFO, &info, &len) == 0) {
		/* bytes, and behind them the end */
		eof = info.tcpi_state == TCP_CLOSE_WAIT;
	}
	peek_client(c->peek, c->relay->pump->buffer, (size_t)n, eof, &v);
	switch (v.answer) {
	case PEEK_MORE:
		c->up.readable = false; /* the next edge says that there is more */
		if (n > 0 && c->silent) {
			c->silent = false;
			relay_set_timer(c, RELAY_PEEK_MS);
		}
		return RELAY_ON;
	case PEEK_WATCH:
		c->up.readable = false;
		return RELAY_ON;
	case PEEK_PASS:
		c->silent = true;
		c->up.budget = v.pass;
		*ret_more = true;
		return RELAY_ON;
	case PEEK_REFUSE:
		break;
	}
	relay_refuse(c, GATE_REFUSED, v.why, c->reach.rule, 0, v.text);
	return RELAY_GONE;
}

/* The server's first bytes say whether HTTP goes on.  True: they may pass. */
static bool server_first(struct relay_conn *c)
{
	long n;

	if (!c->peek || c->peek->step != PEEK_SERVER)
		return true;
	if (!c->down.readable)
		return false;
	n = pump_peek(c->relay->pump, c->down.from);
	if (n == -EAGAIN || (n > 0 && !peek_server(c->peek, c->relay->pump->buffer,
						   (size_t)n, false))) {
		c->down.readable = false;
		return false;
	}
	if (n <= 0)
		(void)peek_server(c->peek, c->relay->pump->buffer, 0, true);
	c->up.readable = true; /* what waited meanwhile */
	return true;
}

static void flow(struct relay_conn *c)
{
	enum pump_result up = PUMP_END, down = PUMP_END;
	bool more = true;

	if (server_first(c) && !(c->down.eof && c->down.held == 0) &&
	    run_way(c, &c->down, &down) == RELAY_GONE)
		return;
	while (more && !(c->up.eof && c->up.held == 0)) {
		if (run_way(c, &c->up, &up) == RELAY_GONE)
			return;
		more = false;
		if (up == PUMP_SPENT && c->up.readable &&
		    relay_look(c, &more) == RELAY_GONE)
			return;
	}
	if (c->up.eof && c->down.eof && c->up.held == 0 && c->down.held == 0)
		relay_end(c, 0);
}

void relay_flow(struct relay_conn *c, int server)
{
	uint64_t budget = c->up.budget;

	pump_way_init(&c->up, c->up.from, server);
	pump_way_init(&c->down, server, c->up.from);
	c->up.budget = budget;
	/* perhaps; the kernel says at once if not */
	c->up.readable = c->up.writable = c->down.readable = c->down.writable = true;
	c->state = RELAY_FLOW;
	c->go = flow;
	c->silent = true;
	c->last = dial_now();
	relay_set_timer(c, RELAY_IDLE_MS);
	if (!relay_watch(c, 0) || !relay_watch(c, 1)) {
		relay_refuse(c, GATE_UNREACHED, GATE_W_LIMIT, c->reach.rule, ENOMEM,
			     NULL);
		return;
	}
	flow(c);
}
