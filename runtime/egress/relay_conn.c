/* What every step of a connection needs.  Decides only what a time-out means. */
#include "runtime/egress/relay_conn.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime/egress/delivered.h"

enum { LEAVE_PAUSE_MS = 200 };

/* --- the end -------------------------------------------------------------------------
 */

void relay_reset(int fd)
{
	struct linger hard = { 1, 0 };

	if (fd < 0)
		return;
	(void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &hard, sizeof(hard));
	(void)close(fd);
}

void relay_not_early(struct relay_conn *c)
{
	if (c->is_early)
		TAILQ_REMOVE(&c->relay->early, c, early);
	c->is_early = false;
}

/* What a pipe holds was taken from the rule's limit, and passes no more. */
static void drop_bytes(struct relay_conn *c)
{
	struct relay *r = c->relay;

	if (c->up.held + c->down.held)
		spent_give(&r->spent, c->reach.grant->bytes_rule, c->reach.grant->bytes,
			   (uint64_t)c->up.held + c->down.held);
	relay_kept_release(&c->kept, &r->kept);
	pump_way_release(r->pump, &c->up);
	pump_way_release(r->pump, &c->down);
}

void relay_free(struct relay_conn *c, bool reset)
{
	struct relay *r = c->relay;

	for (int i = 0; i < 2; i++)
		if (c->watched[i])
			(void)event_del(&c->events[i]);
	(void)event_del(&c->timer);
	lookup_cancel(&c->wait);
	gate_ask_cancel(&c->ask);
	gate_inject_cancel(&c->inject);
	if (c->dial) {
		dial_stop(c->dial);
		free(c->dial);
	}
	if (c->peek) {
		peek_release(c->peek);
		free(c->peek);
	}
	drop_bytes(c);
	if (reset) {
		relay_reset(c->up.from);
		relay_reset(c->down.from);
	} else {
		(void)close(c->up.from);
		(void)close(c->down.from);
	}
	relay_not_early(c);
	if (c->in_turn)
		TAILQ_REMOVE(&r->turn, c, turn);
	LIST_REMOVE(c, link);
	r->count--;
	free(c);
}

struct gate_record relay_record(const struct relay_conn *c, enum gate_what what,
				enum gate_why why, uint32_t rule)
{
	struct gate_record rec = record_new(what, why, rule);

	if (c->reach.name)
		record_name(&rec, c->reach.name, strlen(c->reach.name));
	rec.has_addr = c->has_addr;
	memcpy(rec.addr, c->addr, sizeof(rec.addr));
	rec.port = c->port;
	rec.source = c->source;
	rec.up = c->up.total;
	rec.down = c->down.total;
	rec.ms = dial_now() - c->began;
	return rec;
}

/* Closes the connection with a reset.  `text` may be NULL. */
void relay_refuse(struct relay_conn *c, enum gate_what what, enum gate_why why,
		  uint32_t rule, int error, const char *text)
{
	struct gate_record rec = relay_record(c, what, why, rule);

	rec.error = (uint32_t)error;
	if (text)
		record_text(&rec, text, strlen(text));
	gate_report_add(c->relay->report, &rec);
	relay_free(c, true);
}

static void leave(struct relay_conn *c)
{
	if ((is_delivered(c->up.from) && is_delivered(c->down.from)) ||
	    dial_now() - c->last > RELAY_LEFT_MS) {
		relay_free(c, true);
		return;
	}
	c->pause = c->pause < LEAVE_PAUSE_MS ? 2 * c->pause : c->pause;
	relay_set_timer(c, c->pause);
}

void relay_refuse_behind(struct relay_conn *c, enum gate_why why, uint32_t rule,
			 const char *text)
{
	struct gate_record rec = relay_record(c, GATE_REFUSED, why, rule);

	record_text(&rec, text, strlen(text));
	gate_report_add(c->relay->report, &rec);
	drop_bytes(c);
	/* nothing moves any more; where others want its place, it is the first to go */
	if (!c->is_early)
		TAILQ_INSERT_HEAD(&c->relay->early, c, early);
	c->is_early = true;
	c->state = RELAY_LEAVE;
	c->go = NULL;
	c->late = leave;
	c->last = dial_now();
	c->pause = 2;
	leave(c);
}

/* Of its own accord.  A command that gives up before it was let through is no event. */
void relay_end(struct relay_conn *c, int error)
{
	struct gate_record rec =
		relay_record(c, GATE_CLOSED, GATE_W_RULE, c->reach.rule);

	rec.error = (uint32_t)error;
	if (c->state == RELAY_FLOW || c->state == RELAY_INJECT)
		gate_report_add(c->relay->report, &rec);
	relay_free(c, error != 0);
}

const struct relay_secret *relay_secret(const struct relay *r, const struct pb_grant *g)
{
	const struct pb_egress *e = r->policy->egress;
	const struct pb_grant *first = pb_at(e, e->grants, sizeof(*first), 0);

	return r->secrets && r->secrets[g - first].bytes ? &r->secrets[g - first] : NULL;
}

/* --- time ------------------------------------------------------------------------ */

void relay_set_timer(struct relay_conn *c, uint64_t ms)
{
	struct timeval tv = { (time_t)(ms / 1000), (suseconds_t)(ms % 1000 * 1000) };

	(void)event_add(&c->timer, &tv);
}

/* One timer, which is not moved for each byte: it looks when it has run out. */
static void on_timer(evutil_socket_t fd, short what, void *arg)
{
	struct relay_conn *c = arg;
	uint64_t now = dial_now();

	(void)fd, (void)what;
	if (c->late) {
		c->late(c);
		return;
	}
	if (c->state == RELAY_FLOW && c->silent && now < c->last + RELAY_IDLE_MS) {
		relay_set_timer(c, c->last + RELAY_IDLE_MS - now);
		return;
	}
	if (c->state == RELAY_FLOW && c->silent)
		relay_end(c, ETIMEDOUT);
	else
		relay_refuse(c, GATE_REFUSED, GATE_W_TIMEOUT, c->reach.rule, 0,
			     "what the port's protocol begins with did not come");
}

void relay_init_timer(struct relay_conn *c)
{
	(void)evtimer_assign(&c->timer, c->relay->base, on_timer, c);
}

/* --- events ---------------------------------------------------------------------- */

static void go_on(struct relay_conn *c)
{
	if (c->go)
		c->go(c);
}

static void on_client(evutil_socket_t fd, short what, void *arg)
{
	struct relay_conn *c = arg;

	(void)fd;
	c->up.readable = c->up.readable || (what & EV_READ);
	c->down.writable = c->down.writable || (what & EV_WRITE);
	go_on(c);
}

static void on_server(evutil_socket_t fd, short what, void *arg)
{
	struct relay_conn *c = arg;

	(void)fd;
	c->down.readable = c->down.readable || (what & EV_READ);
	c->up.writable = c->up.writable || (what & EV_WRITE);
	go_on(c);
}

/* Once, by edges: a reset is then seen whatever the connection waits for. */
bool relay_watch(struct relay_conn *c, int which)
{
	if (c->watched[which])
		return true;
	(void)event_assign(&c->events[which], c->relay->base,
			   which ? c->down.from : c->up.from,
			   EV_READ | EV_WRITE | EV_PERSIST | EV_ET,
			   which ? on_server : on_client, c);
	c->watched[which] = event_add(&c->events[which], NULL) == 0;
	return c->watched[which];
}
