/* Decides when bytes of a connection move, and looks at those that HTTP must have
 * looked at while it flows. */
#include "runtime/egress/relay_flow.h"

#include <errno.h>
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

static enum relay_run over_limit(struct relay_conn *c)
{
	relay_refuse_behind(c, GATE_W_LIMIT, c->reach.grant->bytes_rule,
			    "the rule's limit of bytes");
	return RELAY_GONE;
}

/* The limit is used up: only a byte more is too much, and the end still passes. */
static enum relay_run nothing_left(struct relay_conn *c, struct pump_way *w, enum pump_result *ret)
{
	long n = w->readable ? pump_peek(c->relay->pump, w->from) : -EAGAIN;

	*ret = PUMP_WAIT;
	if (n > 0)
		return over_limit(c);
	if (n == 0) {
		w->eof = true;
		*ret = pump_run(c->relay->pump, w);
	} else if (n == -EAGAIN) {
		w->readable = false;
	} else {
		relay_end(c, (int)-n);
		return RELAY_GONE;
	}
	return RELAY_ON;
}

/* Moves what may be moved.  What a pipe holds stays taken from the rule's limit until it passes,
 * so other connections cannot take the same bytes. */
static enum pump_result run_limited(struct relay_conn *c, struct pump_way *w, uint64_t taken)
{
	const struct pb_grant *g = c->reach.grant;
	uint64_t wanted = w->budget, had = w->held + taken, before = w->total, moved;
	enum pump_result r;

	w->budget = had;
	r = pump_run(c->relay->pump, w);
	moved = w->total - before;
	spent_give(&c->relay->spent, g->bytes_rule, g->bytes, had - moved - w->held);
	w->budget = wanted == UINT64_MAX ? wanted : wanted - moved;
	return r == PUMP_SPENT && w->budget > 0 ? PUMP_AGAIN : r;
}

/* Moves what can be moved.  RELAY_GONE: the connection is closed. */
static enum relay_run run_way(struct relay_conn *c, struct pump_way *w,
			      enum pump_result *ret)
{
	const struct pb_grant *g = c->reach.grant;
	uint64_t before = w->total, room = w->budget - w->held, taken;

	if (g->bytes == 0) {
		*ret = pump_run(c->relay->pump, w);
	} else {
		taken = w->eof ? 0 :
				 spent_take(&c->relay->spent, g->bytes_rule, g->bytes,
					    room < PUMP_MOVE ? room : PUMP_MOVE);
		if (taken == 0 && room > 0 && w->held == 0 && !w->eof)
			return nothing_left(c, w, ret);
		*ret = run_limited(c, w, taken);
	}
	if (w->total > before)
		c->last = dial_now();
	if (*ret == PUMP_BROKEN) {
		relay_end(c, errno ? errno : EIO);
		return RELAY_GONE;
	}
	if (*ret == PUMP_AGAIN)
		wait_turn(c);
	return RELAY_ON;
}

/* What was looked at goes before what is still in the socket. */
static enum relay_run run_kept(struct relay_conn *c)
{
	const struct pb_grant *g = c->reach.grant;
	struct relay_kept *k = &c->kept;

	while (k->pass > 0 && c->up.writable) {
		uint64_t may = g->bytes == 0 ? k->pass :
					       spent_take(&c->relay->spent, g->bytes_rule,
							  g->bytes, k->pass);
		ssize_t n;

		if (may == 0)
			return over_limit(c);
		n = send(c->up.to, k->p, (size_t)may, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (g->bytes > 0)
			spent_give(&c->relay->spent, g->bytes_rule, g->bytes,
				   n > 0 ? may - (uint64_t)n : may);
		if (n < 0 && errno == EAGAIN) {
			c->up.writable = false;
		} else if (n < 0 && errno != EINTR) {
			relay_end(c, errno);
			return RELAY_GONE;
		} else if (n > 0) {
			relay_kept_sent(k, (size_t)n, &c->relay->kept);
			c->up.total += (uint64_t)n;
			c->last = dial_now();
		}
	}
	return RELAY_ON;
}

static void too_much(struct relay_conn *c)
{
	relay_refuse(c, GATE_UNREACHED, GATE_W_LIMIT, c->reach.rule, ENOMEM,
		     "too much waits to be looked at");
}

/* The connection of which most is kept gives way, so that a program that fills the memory with
 * what it never completes keeps out nobody who needs less.  False: that is this one. */
static bool make_room(struct relay_conn *c)
{
	struct relay_conn *o, *most = NULL;

	LIST_FOREACH(o, &c->relay->conns, link)
		/* those that have their turn now are in a list that others walk along */
		if (o != c && !o->in_turn && (!most || o->kept.room > most->kept.room))
			most = o;
	if (!most || most->kept.room <= c->kept.room || most->kept.room <= c->kept.n + 1)
		return false;
	too_much(most);
	return true;
}

/* Reads what the command has sent.  RELAY_GONE: it cannot. */
static enum relay_run read_more(struct relay_conn *c, bool *ret_more)
{
	enum relay_kept_result r;

	do
		r = relay_kept_read(&c->kept, c->up.from, &c->relay->kept);
	while (r == KEPT_FULL && make_room(c));
	*ret_more = r == KEPT_MORE;
	switch (r) {
	case KEPT_MORE:
	case KEPT_NONE:
		return RELAY_ON;
	case KEPT_FULL:
		too_much(c);
		return RELAY_GONE;
	case KEPT_BROKEN:
		break;
	}
	relay_end(c, errno);
	return RELAY_GONE;
}

static void may_pass(struct relay_conn *c, uint64_t n)
{
	c->kept.pass = n < c->kept.n ? (size_t)n : c->kept.n;
	c->up.budget = n == UINT64_MAX ? n : n - c->kept.pass;
	c->silent = true;
}

/* Looks at the command's next request.  *ret_more: bytes may pass, or the end. */
enum relay_run relay_look(struct relay_conn *c, bool *ret_more)
{
	struct peek_verdict v;
	bool more = true;

	*ret_more = false;
	/* the first time also without new bytes: the server's answer may change what they are */
	do {
		if (c->up.readable && read_more(c, &more) == RELAY_GONE)
			return RELAY_GONE;
		c->up.readable = c->up.readable && more;
		peek_client(c->peek, c->kept.p, c->kept.n, c->kept.eof, &v);
	} while (v.answer == PEEK_MORE && c->up.readable && !c->kept.eof);
	switch (v.answer) {
	case PEEK_MORE:
		if (c->kept.n > 0 && c->silent) {
			c->silent = false;
			relay_set_timer(c, RELAY_PEEK_MS);
		}
		return RELAY_ON;
	case PEEK_WATCH:
		return RELAY_ON;
	case PEEK_PASS:
		may_pass(c, v.pass);
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
		if (run_kept(c) == RELAY_GONE)
			return;
		if (c->kept.pass > 0)
			break;
		if (run_way(c, &c->up, &up) == RELAY_GONE)
			return;
		more = false;
		if (up == PUMP_SPENT && (c->up.readable || c->kept.n > 0) &&
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
