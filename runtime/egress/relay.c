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

#include "runtime/egress/relay_flow.h"
#include "runtime/egress/relay_via.h"

#ifndef IP6T_SO_ORIGINAL_DST
#define IP6T_SO_ORIGINAL_DST 80
#endif

static void resolve(struct relay_conn *c);

/* --- dialling -------------------------------------------------------------------- */

static void on_injected(struct gate_inject_wait *w, const struct inject_done *d)
{
	struct relay_conn *c = (void *)((char *)w - offsetof(struct relay_conn, inject));
	struct gate_record rec = relay_record(c, (enum gate_what)d->what,
					      (enum gate_why)d->why, c->reach.rule);

	rec.error = d->error;
	rec.up = d->up;
	rec.down = d->down;
	if (d->text[0])
		record_text(&rec, d->text, strlen(d->text));
	if (c->reach.rule < c->relay->rule_count)
		c->relay->used[c->reach.rule].bytes += d->up + d->down;
	gate_report_add(c->relay->report, &rec);
	relay_free(c, false);
}

/* The rule adds a credential: polinject reads the requests and speaks TLS. */
static void inject(struct relay_conn *c, int server)
{
	struct inject_open open = { .rule = c->reach.rule, .port = c->out_port,
				    .bytes = c->reach.grant->bytes };
	const int fd[2] = { c->up.from, server };

	/* its events must not wake this process any more */
	for (int i = 0; i < 2; i++) {
		if (c->watched[i])
			(void)event_del(&c->events[i]);
		c->watched[i] = false;
	}
	(void)event_del(&c->timer);
	c->go = NULL;
	c->inject.done = on_injected;
	memcpy(open.name, c->reach.name, strnlen(c->reach.name, sizeof(open.name) - 1));
	if (!gate_inject_pass(c->relay->inject, &open, fd, &c->inject)) {
		relay_reset(server);
		relay_refuse(c, GATE_UNREACHED, GATE_W_LIMIT, c->reach.rule, 0,
			     "polinject takes no more connections");
		return;
	}
	c->state = RELAY_INJECT;
	(void)close(server);
	(void)close(c->up.from);
	c->up.from = c->down.to = -1;
}

static void connected(struct relay_conn *c, int server)
{
	if (c->reach.grant->header.len)
		inject(c, server);
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
	c->ask.done = on_address_answer;
	c->state = RELAY_ASK;
	if (!gate_ask_start(c->relay->ask, &rec, &c->ask)) {
		c->has_addr = true;
		relay_refuse(c, GATE_REFUSED, GATE_W_ASK, rec.rule, 0, NULL);
	}
}

static void on_address_answer(struct gate_ask_wait *w, bool yes)
{
	struct relay_conn *c = (void *)((char *)w - offsetof(struct relay_conn, ask));

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

static bool over_limit(const struct relay_conn *c)
{
	uint32_t most = c->reach.grant->connections;

	return relay_bytes_left(c) == 0 ||
	       (most > 0 && c->reach.rule < c->relay->rule_count &&
		c->relay->used[c->reach.rule].connections >= most);
}

static void begin(struct relay_conn *c)
{
	enum pb_peek kind = PB_PEEK_NONE;

	if (over_limit(c)) {
		relay_refuse(c, GATE_REFUSED, GATE_W_LIMIT, c->reach.rule, 0,
			     "the rule's limit of connections or bytes");
		return;
	}
	if (c->reach.rule < c->relay->rule_count)
		c->relay->used[c->reach.rule].connections++;
	/* polinject reads what is for it by itself */
	if (c->reach.name && !c->reach.grant->header.len)
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
		c->ask.done = on_answer;
		c->state = RELAY_ASK;
		c->asking = c->reach.rule;
		rec = relay_record(c, GATE_REFUSED, GATE_W_ASK, c->reach.rule);
		if (!gate_ask_start(c->relay->ask, &rec, &c->ask))
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
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	struct sockaddr_in6 six = { 0 };
	struct sockaddr_in four = { 0 };
	socklen_t len = family == AF_INET ? sizeof(four) : sizeof(six);

	if (family == AF_INET) {
		if (getsockopt(fd, SOL_IP, SO_ORIGINAL_DST, &four, &len) != 0)
			return false;
		memcpy(addr, mapped, sizeof(mapped));
		memcpy(addr + 12, &four.sin_addr, 4);
		*ret_port = ntohs(four.sin_port);
		return true;
	}
	if (getsockopt(fd, SOL_IPV6, IP6T_SO_ORIGINAL_DST, &six, &len) != 0)
		return false;
	memcpy(addr, &six.sin6_addr, 16);
	*ret_port = ntohs(six.sin6_port);
	return true;
}

static void accepted(struct relay *r, int fd, const struct sockaddr_in6 *from)
{
	struct gate_record rec = record_new(GATE_REFUSED, GATE_W_LIMIT, UINT32_MAX);
	struct relay_conn *c = r->count < r->most ? calloc(1, sizeof(*c)) : NULL;
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
	(void)evtimer_assign(&r->again, r->base, relay_again, r);
	(void)evtimer_assign(&r->pause, r->base, on_pause, r);
	r->used = calloc((size_t)rule_count + 1, sizeof(r->used[0]));
	return r->used ? 0 : -ENOMEM;
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
	free(r->used);
	r->used = NULL;
}
