/* Decides what happens to a connection, step by step, until bytes flow.  What the
 * policy says comes from reach.c, what the bytes say from peek.c. */
#include "runtime/egress/relay.h"

#include <errno.h>
#include <linux/netfilter_ipv4.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime/base/host.h"
#include "runtime/egress/delivered.h"
#include "runtime/egress/relay_flow.h"
#include "runtime/egress/relay_inject.h"
#include "runtime/egress/relay_via.h"

#ifndef IP6T_SO_ORIGINAL_DST
#define IP6T_SO_ORIGINAL_DST 80
#endif

static void resolve(struct relay_conn *c);

/* --- dialling -------------------------------------------------------------------- */

static void connected(struct relay_conn *c, int server)
{
	relay_not_early(c);
	if (c->reach.grant->header.len)
		relay_inject(c, server);
	else
		relay_flow(c, server);
}

static void dialled(struct relay_conn *c, int r)
{
	memcpy(c->addr, c->dial->addr[c->dial->used], 16);
	c->has_addr = true;
	free(c->dial);
	c->dial = NULL;
	if (r >= 0) {
		connected(c, r);
		return;
	}
	relay_refuse(c, GATE_UNREACHED,
		     r == -ETIMEDOUT                                ? GATE_W_TIMEOUT
		     : r == -EMFILE || r == -ENFILE || r == -ENOMEM ? GATE_W_LIMIT
								    : GATE_W_CONNECT,
		     c->reach.rule, -r, NULL);
}

static void on_dialled(struct dial *d, int r)
{
	dialled(d->arg, r);
}

/* What asks must have been answered, each rule for itself. */
static bool may_dial(const struct relay_conn *c, const struct reach_address *a)
{
	for (uint32_t i = 0; a->effect == PB_ASK && i < c->answered_count; i++)
		if (c->answered[i] == a->rule)
			return true;
	return a->effect == PB_ALLOW;
}

/* False: too many rules ask about one connection. */
static bool remember_answer(struct relay_conn *c)
{
	if (c->answered_count == sizeof(c->answered) / sizeof(c->answered[0]))
		return false;
	c->answered[c->answered_count++] = c->asking;
	return true;
}

/* Dials those of the addresses that the policy lets through. */
static void dial(struct relay_conn *c, const struct lookup_result *found)
{
	struct reach_address a, last = { .effect = PB_DENY, .why = GATE_W_GUARD };
	struct dial *d = calloc(1, sizeof(*d));
	int r;

	if (!d) {
		relay_refuse(c, GATE_UNREACHED, GATE_W_LIMIT, c->reach.rule, ENOMEM,
			     NULL);
		return;
	}
	for (size_t i = 0; i < found->count && d->count < DIAL_ADDRESSES; i++) {
		reach_address(c->relay->policy, &c->reach, found->addr[i],
			      c->out_port, &a);
		if (may_dial(c, &a)) {
			memcpy(d->addr[d->count++], found->addr[i], 16);
		} else {
			last = a;
			memcpy(c->addr, found->addr[i], 16);
		}
	}
	if (d->count == 0) {
		free(d);
		c->has_addr = true;
		relay_refuse(c, GATE_REFUSED,
			     last.effect == PB_ASK ? GATE_W_ASK : last.why, last.rule,
			     0,
			     last.why == GATE_W_GUARD && last.effect == PB_DENY
				     ? guard_text(last.kind)
				     : NULL);
		return;
	}
	memset(c->addr, 0, sizeof(c->addr));
	d->base = c->relay->base;
	d->port = c->out_port;
	d->done = on_dialled;
	d->arg = c;
	c->dial = d;
	c->state = RELAY_DIAL;
	r = dial_start(d);
	if (r != -EINPROGRESS)
		dialled(c, r);
}

/* --- addresses ------------------------------------------------------------------- */

/* The command has broken off: the answer is none of its any more, and nothing is dialled. */
static void look_whether_gone(struct relay_conn *c)
{
	if (is_broken_off(c->up.from))
		relay_end(c, ECONNRESET);
}

/* False: nobody can be asked. */
static bool ask(struct relay_conn *c, const struct gate_record *rec,
		void (*done)(struct gate_ask_wait *w, bool yes))
{
	c->state = RELAY_ASK;
	c->go = look_whether_gone;
	c->ask.done = done;
	/* without it the descriptors stay until the answer, no more */
	(void)relay_watch(c, 0);
	return gate_ask_start(c->relay->ask, rec, &c->ask);
}

/* A rule may ask about the address to which the name leads: then nothing is dialled
 * before the answer. */
static void on_address_answer(struct gate_ask_wait *w, bool yes);

static void addresses(struct relay_conn *c, const struct lookup_result *found)
{
	struct reach_address a;
	struct gate_record rec;
	bool asks = false, may = false;

	if (found->count == 0) {
		relay_refuse(c, GATE_UNREACHED, GATE_W_RESOLVE, c->reach.rule,
			     found->error, NULL);
		return;
	}
	for (size_t i = 0; i < found->count; i++) {
		reach_address(c->relay->policy, &c->reach, found->addr[i],
			      c->out_port, &a);
		may = may || may_dial(c, &a);
		if (a.effect == PB_ASK && !asks) {
			asks = true;
			memcpy(c->addr, found->addr[i], 16);
			c->asking = a.rule;
			rec = relay_record(c, GATE_REFUSED, GATE_W_ASK, a.rule);
			rec.has_addr = 1;
		}
	}
	if (!asks || may) {
		dial(c, found);
		return;
	}
	if (!ask(c, &rec, on_address_answer)) {
		c->has_addr = true;
		relay_refuse(c, GATE_REFUSED, GATE_W_ASK, rec.rule, 0, NULL);
	}
}

static void on_address_answer(struct gate_ask_wait *w, bool yes)
{
	struct relay_conn *c = (void *)((char *)w - offsetof(struct relay_conn, ask));

	if (yes && is_broken_off(c->up.from)) {
		relay_end(c, ECONNRESET);
		return;
	}
	if (yes && remember_answer(c)) {
		/* anew: the answer may have taken long */
		resolve(c);
		return;
	}
	c->has_addr = true;
	relay_refuse(c, GATE_REFUSED, GATE_W_ASK, c->asking, 0, NULL);
}

static void on_found(struct lookup_wait *w, const struct lookup_result *found)
{
	addresses((void *)((char *)w - offsetof(struct relay_conn, wait)), found);
}

/* An upstream proxy resolves names by itself; an address is checked here. */
static bool literal_may_pass(const struct relay_conn *c)
{
	struct reach_address a;

	reach_address(c->relay->policy, &c->reach, c->addr, c->out_port, &a);
	return a.effect == PB_ALLOW;
}

static void resolve(struct relay_conn *c)
{
	static const uint8_t one[16] = { [15] = 1 },
			     local[16] = { [10] = 0xff, 0xff, 127, 0, 0, 1 };
	struct lookup_result found = { 0 };
	bool via = c->reach.grant->via.len && !c->reach.loopback;

	c->state = RELAY_LOOKUP;
	c->go = NULL;
	(void)event_del(&c->timer);
	if (via && (c->reach.name || literal_may_pass(c))) {
		relay_via(c, connected);
		return;
	}
	if (!c->reach.name) {
		memcpy(found.addr[found.count++], c->addr, 16);
	} else if (c->reach.loopback) {
		memcpy(found.addr[found.count++], local, 16);
		memcpy(found.addr[found.count++], one, 16);
	} else {
		c->wait.done = on_found;
		if (!lookup_name(c->relay->lookup, c->reach.name, &c->wait, &found))
			return;
	}
	addresses(c, &found);
}

/* --- what is sent ---------------------------------------------------------------- */

/* The first flight; what follows is looked at while it flows. */
static void look(struct relay_conn *c)
{
	bool more = false;

	if (!c->up.readable)
		return;
	if (relay_look(c, &more) == RELAY_GONE || !more)
		return;
	resolve(c);
}

/* Counts the connection.  False: a limit is met, and it was refused. */
static bool count(struct relay_conn *c)
{
	struct relay *r = c->relay;
	const struct pb_grant *g = c->reach.grant;
	bool bytes = spent_all(&r->spent, g->bytes_rule, g->bytes);

	if (bytes ||
	    (g->connections && r->connections[g->connections_rule] >= g->connections)) {
		relay_refuse(c, GATE_REFUSED, GATE_W_LIMIT,
			     bytes ? g->bytes_rule : g->connections_rule, 0,
			     bytes ? "the rule's limit of bytes" :
				     "the rule's limit of connections");
		return false;
	}
	if (g->connections)
		r->connections[g->connections_rule]++;
	return true;
}

static void begin(struct relay_conn *c)
{
	enum pb_peek kind = PB_PEEK_NONE;

	if (!count(c))
		return;
	if (c->reach.grant->header.len) {
		relay_inject_wait(c, resolve);
		return;
	}
	if (c->reach.name)
		kind = peek_kind((enum pb_peek)c->reach.grant->peek, c->port);
	/* the host's loopback is no server of several names, and programs call it by its
	   address as well: only a rule's own word counts */
	if (c->reach.loopback && c->reach.grant->peek == PB_PEEK_PORT)
		kind = PB_PEEK_NONE;
	if (kind == PB_PEEK_NONE) {
		resolve(c);
		return;
	}
	c->state = RELAY_PEEK;
	c->go = look;
	c->peek = calloc(1, sizeof(*c->peek));
	if (!c->peek || !relay_watch(c, 0)) {
		relay_refuse(c, GATE_UNREACHED, GATE_W_LIMIT, c->reach.rule, ENOMEM,
			     NULL);
		return;
	}
	peek_init(c->peek, kind, c->reach.name, strlen(c->reach.name));
	c->silent = true;
	c->up.readable = true;
	relay_set_timer(c, RELAY_SILENT_MS);
	look(c);
}

/* --- the decision ---------------------------------------------------------------- */

static void on_answer(struct gate_ask_wait *w, bool yes)
{
	struct relay_conn *c = (void *)((char *)w - offsetof(struct relay_conn, ask));

	if (yes && is_broken_off(c->up.from)) {
		relay_end(c, ECONNRESET);
		return;
	}
	if (yes && remember_answer(c)) {
		begin(c);
		return;
	}
	relay_refuse(c, GATE_REFUSED, GATE_W_ASK, c->reach.rule, 0, NULL);
}

static void decide(struct relay_conn *c)
{
	struct gate_record rec;

	reach_decide(c->relay->policy, c->addr, c->port, &c->reach);
	if (c->reach.name)
		memset(c->addr, 0, sizeof(c->addr));
	c->has_addr = !c->reach.name;
	c->out_port = c->port;
	if (c->reach.effect != PB_DENY && c->reach.grant->header.len)
		c->out_port = c->reach.grant->dial ? c->reach.grant->dial : 443;
	if (c->reach.effect == PB_DENY) {
		relay_refuse(c, GATE_REFUSED, c->reach.why, c->reach.rule, 0, NULL);
	} else if (c->reach.grant->header.len && !c->reach.name) {
		relay_refuse(c, GATE_REFUSED, GATE_W_PROTOCOL, c->reach.rule, 0,
			     "a header is injected for names only");
	} else if (c->reach.effect == PB_ASK) {
		c->asking = c->reach.rule;
		rec = relay_record(c, GATE_REFUSED, GATE_W_ASK, c->reach.rule);
		if (!ask(c, &rec, on_answer))
			relay_refuse(c, GATE_REFUSED, GATE_W_ASK, c->reach.rule, 0,
				     NULL);
	} else {
		begin(c);
	}
}

/* --- accept ---------------------------------------------------------------------- */

/* Where the command wanted to go, before the table redirected it. */
static bool original(int fd, int family, uint8_t addr[16], uint16_t *ret_port)
{
	struct sockaddr_in6 six = { 0 };
	struct sockaddr_in four = { 0 };
	socklen_t len = family == AF_INET ? sizeof(four) : sizeof(six);

	if (family == AF_INET) {
		if (getsockopt(fd, SOL_IP, SO_ORIGINAL_DST, &four, &len) != 0)
			return false;
		host_map_v4(addr, &four.sin_addr);
		*ret_port = ntohs(four.sin_port);
		return true;
	}
	if (getsockopt(fd, SOL_IPV6, IP6T_SO_ORIGINAL_DST, &six, &len) != 0)
		return false;
	memcpy(addr, &six.sin6_addr, 16);
	*ret_port = ntohs(six.sin6_port);
	return true;
}

/*
 * Where there is no room, one that has ended and only waits for its last bytes gives way,
 * else one that is not let through yet: the oldest
 * whose program has not said what its port's protocol begins with, else the oldest, if it
 * has waited for long.  So a program that begins many and completes none keeps out nobody
 * else.  False: there is none.
 */
static bool make_room(struct relay *r)
{
	struct relay_conn *c, *oldest = TAILQ_FIRST(&r->early);

	TAILQ_FOREACH(c, &r->early, early)
		if (c->state == RELAY_PEEK || c->state == RELAY_LEAVE)
			break;
	if (c && c->state == RELAY_LEAVE) {
		relay_free(c, true);
		return true;
	}
	if (!c && oldest && dial_now() - oldest->began > RELAY_PATIENCE_MS)
		c = oldest;
	if (!c)
		return false;
	relay_refuse(c, GATE_REFUSED, GATE_W_LIMIT, c->reach.rule, 0,
		     "too many connections at once, and this one was not complete");
	return true;
}

static void accepted(struct relay *r, int fd, const struct sockaddr_in6 *from)
{
	struct gate_record rec = record_new(GATE_REFUSED, GATE_W_LIMIT, UINT32_MAX);
	struct relay_conn *c = r->count < r->most || make_room(r) ? calloc(1, sizeof(*c)) : NULL;
	int one = 1;

	if (!c) {
		record_text(&rec, "too many connections at once", 28);
		gate_report_add(r->report, &rec);
		relay_reset(fd);
		return;
	}
	c->relay = r;
	c->began = dial_now();
	c->source = ntohs(from->sin6_port); /* at the same place in both families */
	pump_way_init(&c->up, fd, -1);
	pump_way_init(&c->down, -1, fd);
	c->up.budget = c->down.budget = UINT64_MAX;
	c->reach.rule = UINT32_MAX;
	relay_init_timer(c);
	LIST_INSERT_HEAD(&r->conns, c, link);
	TAILQ_INSERT_TAIL(&r->early, c, early);
	c->is_early = true;
	r->count++;
	/* urgent bytes stay in their place: what is looked at is what passes on */
	(void)setsockopt(fd, SOL_SOCKET, SO_OOBINLINE, &one, sizeof(one));
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	if (!original(fd, from->sin6_family, c->addr, &c->port))
		relay_refuse(c, GATE_REFUSED, GATE_W_NO_NAME, UINT32_MAX, errno, NULL);
	else
		decide(c);
}

static void on_pause(evutil_socket_t fd, short what, void *arg)
{
	struct relay *r = arg;

	(void)fd, (void)what;
	for (int i = 0; i < 2; i++)
		if (r->listener_fds[i] >= 0)
			(void)event_add(&r->listeners[i], NULL);
}

static void on_listener(evutil_socket_t listener, short what, void *arg)
{
	static const struct timeval pause = { 0, 100000 };
	struct relay *r = arg;

	(void)what;
	for (int i = 0; i < RELAY_ACCEPTS; i++) {
		struct sockaddr_in6 from = { 0 };
		socklen_t len = sizeof(from);
		int fd = accept4((int)listener, (struct sockaddr *)&from, &len,
				 SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (fd >= 0) {
			accepted(r, fd, &from);
			continue;
		}
		if (errno == EINTR || errno == ECONNABORTED)
			continue;
		if (errno == EAGAIN)
			return;
		/* no descriptor, no memory: the listener stays readable, so wait a
		 * while */
		for (int k = 0; k < 2; k++)
			if (r->listener_fds[k] >= 0)
				(void)event_del(&r->listeners[k]);
		(void)event_add(&r->pause, &pause);
		return;
	}
}

int relay_init(struct relay *r, uint32_t rule_count, uint32_t most)
{
	r->rule_count = rule_count;
	r->most = most;
	r->count = 0;
	r->listener_fds[0] = r->listener_fds[1] = -1;
	LIST_INIT(&r->conns);
	TAILQ_INIT(&r->turn);
	TAILQ_INIT(&r->early);
	(void)evtimer_assign(&r->again, r->base, relay_again, r);
	(void)evtimer_assign(&r->pause, r->base, on_pause, r);
	r->connections = calloc((size_t)rule_count + 1, sizeof(r->connections[0]));
	return r->connections ? 0 : -ENOMEM;
}

int relay_listen(struct relay *r, int which, int fd)
{
	r->listener_fds[which] = fd;
	(void)event_assign(&r->listeners[which], r->base, fd, EV_READ | EV_PERSIST,
			   on_listener, r);
	return event_add(&r->listeners[which], NULL) == 0 ? 0 : -ENOMEM;
}

void relay_release(struct relay *r)
{
	while (!LIST_EMPTY(&r->conns)) {
		struct relay_conn *c = LIST_FIRST(&r->conns);

		if (c->state == RELAY_FLOW || c->state == RELAY_INJECT)
			relay_end(c, 0);
		else
			relay_free(c, true);
	}
	free(r->connections);
	r->connections = NULL;
}
