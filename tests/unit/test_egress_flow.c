/* The part of the gateway in which bytes flow, between real sockets and with real events: limits of
 * bytes, and the look at what a program sends while it sends it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime/egress/relay.h"
#include "runtime/egress/relay_flow.h"
#include "tests/unit/egress_fixture.h"

enum { RULE = 3, MOST = 8 };

static struct pump pump;
static struct gate_report report;

struct world {
	struct relay relay;
	struct pb_grant grant;
	int records[2]; /* the gateway's end, polrun's */
	uint32_t refused, closed;
	enum gate_why why; /* of the last refusal */
	uint32_t rule;
};

/* One connection: what the program and the server hold, and what came out there. */
struct link {
	int program, server;
	uint64_t sent[2], got[2]; /* by the program, by the server */
};

/* --- the gateway ------------------------------------------------------------------------ */

static void world_make(struct world *w, uint64_t bytes, uint32_t pipes)
{
	*w = (struct world){ .grant = { .bytes = bytes, .bytes_rule = bytes ? RULE : 0 } };
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, w->records), 0);
	w->relay.base = event_base_new();
	assert_non_null(w->relay.base);
	pump_init(&pump, pipes);
	gate_report_init(&report, w->relay.base, w->records[0]);
	w->relay.pump = &pump;
	w->relay.report = &report;
	assert_int_equal(spent_init(&w->relay.spent, RULE + 1), 0);
	assert_int_equal(relay_init(&w->relay, RULE + 1, MOST), 0);
}

static void world_turn(struct world *w)
{
	for (int i = 0; i < 50; i++)
		(void)event_base_loop(w->relay.base, EVLOOP_NONBLOCK);
}

static void world_hear(struct world *w)
{
	struct gate_record r;

	record_flush(&report.record, 1000);
	while (recv(w->records[1], &r, sizeof(r), MSG_DONTWAIT) == (ssize_t)sizeof(r)) {
		w->refused += r.what == GATE_REFUSED ? (uint32_t)r.count : 0;
		w->closed += r.what == GATE_CLOSED ? (uint32_t)r.count : 0;
		if (r.what == GATE_REFUSED) {
			w->why = (enum gate_why)r.why;
			w->rule = r.rule;
		}
	}
}

static void world_free(struct world *w)
{
	relay_release(&w->relay);
	(void)event_del(&report.tick);
	free(w->relay.spent.v);
	event_base_free(w->relay.base);
	pump_release(&pump);
	(void)close(w->records[0]);
	(void)close(w->records[1]);
}

static void pair_of_tcp(int ret[2], int buffer)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t n = sizeof(a);
	int l = socket(AF_INET, SOCK_STREAM, 0);

	assert_int_equal(bind(l, (void *)&a, sizeof(a)), 0);
	if (buffer)
		assert_int_equal(setsockopt(l, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof(buffer)), 0);
	assert_int_equal(listen(l, 1), 0);
	assert_int_equal(getsockname(l, (void *)&a, &n), 0);
	ret[0] = socket(AF_INET, SOCK_STREAM, 0);
	if (buffer)
		assert_int_equal(setsockopt(ret[0], SOL_SOCKET, SO_SNDBUF, &buffer, sizeof(buffer)), 0);
	assert_int_equal(connect(ret[0], (void *)&a, sizeof(a)), 0);
	ret[1] = accept(l, NULL, NULL);
	(void)close(l);
	for (int i = 0; i < 2; i++)
		assert_int_equal(fcntl(ret[i], F_SETFL, O_NONBLOCK), 0);
}

/* A connection that was let through.  `buffer`: what the server's end takes unread. */
static struct relay_conn *conn_make(struct world *w, struct link *l, int buffer, int *ret_server)
{
	struct relay_conn *c = calloc(1, sizeof(*c));
	int in[2], out[2];

	assert_non_null(c);
	pair_of_tcp(in, 0);
	pair_of_tcp(out, buffer);
	*l = (struct link){ .program = in[0], .server = out[1] };
	c->relay = &w->relay;
	c->began = dial_now();
	c->reach = (struct reach){ .rule = 1, .grant = &w->grant };
	pump_way_init(&c->up, in[1], -1);
	pump_way_init(&c->down, -1, in[1]);
	relay_init_timer(c);
	LIST_INSERT_HEAD(&w->relay.conns, c, link);
	w->relay.count++;
	*ret_server = out[0];
	return c;
}

static void link_close(struct link *l)
{
	(void)close(l->program);
	(void)close(l->server);
}

/* --- limits --------------------------------------------------------------------------- */

static void send_some(int fd, uint64_t *sent, uint64_t most)
{
	static const char text[60000];
	uint64_t left = most - *sent;
	ssize_t n = left ? send(fd, text, left < sizeof(text) ? left : sizeof(text),
				MSG_DONTWAIT | MSG_NOSIGNAL) : 0;

	*sent += n > 0 ? (uint64_t)n : 0;
}

static void take_all(int fd, uint64_t *got)
{
	static char text[1 << 16];
	ssize_t n;

	while ((n = recv(fd, text, sizeof(text), MSG_DONTWAIT)) > 0)
		*got += (uint64_t)n;
}

/*
 * Many connections of one rule at once, both ways, with readers that read now and then, so that
 * bytes wait in every buffer and pipe: what comes out of all of them together is never a byte
 * more than the limit.
 */
static void test_a_limit_of_bytes_is_exact(void **state)
{
	static const uint64_t limits[] = { 1, 4096, 100001, 3000000 };

	(void)state;
	for (size_t k = 0; k < 2 * sizeof(limits) / sizeof(limits[0]); k++) {
		uint64_t limit = limits[k / 2], sum = 0;
		struct link links[MOST];
		struct world w;

		world_make(&w, limit, k & 1 ? 64 : 0);
		for (int i = 0; i < MOST; i++) {
			int server;
			struct relay_conn *c = conn_make(&w, &links[i], i & 1 ? 4096 : 0, &server);

			relay_flow(c, server);
		}
		for (int turn = 1; turn < 300 && w.relay.count > 0; turn++) {
			/* little by little, so that the limit is met in the middle of all of it */
			uint64_t most = (uint64_t)turn * (limit / 100 + 1);

			for (int i = 0; i < MOST; i++) {
				struct link *l = &links[i];

				send_some(l->program, &l->sent[0], most);
				send_some(l->server, &l->sent[1], most);
				world_turn(&w);
				if (turn % 5 != i % 5)
					continue;
				take_all(l->program, &l->got[0]);
				take_all(l->server, &l->got[1]);
			}
		}
		/* what has passed arrives before the reset, when it is read */
		for (int turn = 0; turn < 1000 && w.relay.count > 0; turn++) {
			world_turn(&w);
			for (int i = 0; i < MOST; i++) {
				take_all(links[i].program, &links[i].got[0]);
				take_all(links[i].server, &links[i].got[1]);
			}
			(void)usleep(1000);
		}
		assert_int_equal(w.relay.count, 0);
		for (int i = 0; i < MOST; i++) {
			take_all(links[i].program, &links[i].got[0]);
			take_all(links[i].server, &links[i].got[1]);
			sum += links[i].got[0] + links[i].got[1];
		}
		world_hear(&w);
		/* what was refused drops what its other way still held, and gives it back */
		assert_int_equal(sum, w.relay.spent.v[RULE]);
		assert_true(sum <= limit);
		assert_in_range(w.relay.spent.v[RULE], limit - limit / 4, limit);
		assert_true(sum > 0);
		assert_true(w.refused > 0 && w.why == GATE_W_LIMIT && w.rule == RULE);
		for (int i = 0; i < MOST; i++)
			link_close(&links[i]);
		world_free(&w);
	}
}

/* Exactly as many as the limit pass, and the end of the connection as well. */
static void test_the_last_byte_of_a_limit_is_no_refusal(void **state)
{
	uint64_t got = 0, sent = 0;
	struct relay_conn *c;
	struct world w;
	struct link l;
	int server;

	(void)state;
	world_make(&w, 50000, 8);
	c = conn_make(&w, &l, 0, &server);
	relay_flow(c, server);
	for (int i = 0; i < 100 && got < 50000; i++) {
		send_some(l.program, &sent, 50000);
		world_turn(&w);
		take_all(l.server, &got);
	}
	assert_int_equal(got, 50000);
	assert_int_equal(w.relay.count, 1);
	assert_int_equal(shutdown(l.program, SHUT_WR), 0);
	world_turn(&w);
	assert_int_equal(recv(l.server, &got, 1, 0), 0);
	assert_int_equal(shutdown(l.server, SHUT_WR), 0);
	world_turn(&w);
	assert_int_equal(recv(l.program, &got, 1, 0), 0);
	world_hear(&w);
	assert_int_equal(w.refused, 0);
	assert_int_equal(w.closed, 1);
	assert_int_equal(w.relay.count, 0);
	link_close(&l);
	/* the next connection's first byte is one too many */
	c = conn_make(&w, &l, 0, &server);
	relay_flow(c, server);
	world_turn(&w);
	assert_int_equal(w.relay.count, 1);
	assert_int_equal(send(l.program, "x", 1, 0), 1);
	world_turn(&w);
	world_hear(&w);
	assert_int_equal(w.refused, 1);
	assert_int_equal(recv(l.program, &got, 1, 0), -1);
	assert_int_equal(errno, ECONNRESET);
	link_close(&l);
	world_free(&w);
}

/* A connection that ends gives back what it has taken and not passed on. */
static void test_what_did_not_pass_is_given_back(void **state)
{
	uint64_t sent = 0, got = 0;
	struct relay_conn *c;
	struct world w;
	struct link l;
	int server;

	(void)state;
	world_make(&w, 3000000, 8);
	c = conn_make(&w, &l, 4096, &server);
	relay_flow(c, server);
	for (int i = 0; i < 20; i++) {
		send_some(l.program, &sent, 3000000);
		world_turn(&w);
	}
	assert_true(w.relay.spent.v[RULE] > 0);
	link_close(&l);
	world_turn(&w);
	assert_int_equal(w.relay.count, 0);
	/* what the dead server's buffer took did pass */
	assert_true(w.relay.spent.v[RULE] < 3000000 / 2);
	c = conn_make(&w, &l, 0, &server);
	relay_flow(c, server);
	sent = w.relay.spent.v[RULE];
	for (int i = 0; i < 200 && w.relay.count; i++) {
		uint64_t none = 0;

		send_some(l.program, &none, 60000);
		world_turn(&w);
		take_all(l.server, &got);
	}
	assert_int_equal(got, 3000000 - sent);
	link_close(&l);
	world_free(&w);
}

/* Two processes count in the same memory; its size is fixed. */
static void test_counters_are_shared(void **state)
{
	const int seals = F_SEAL_SHRINK | F_SEAL_GROW;
	struct spent a, b;
	int fd = memfd_create("spent", MFD_ALLOW_SEALING);

	(void)state;
	assert_int_equal(ftruncate(fd, (off_t)spent_size(4)), 0);
	assert_int_equal(spent_open(&a, 4, fd), -EINVAL);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, seals), 0);
	assert_int_equal(spent_open(&a, 5, fd), -EINVAL);
	assert_int_equal(spent_open(&a, 4, fd), 0);
	assert_int_equal(spent_open(&b, 4, fd), 0);
	assert_int_equal(spent_take(&a, 2, 100, 60), 60);
	assert_int_equal(spent_take(&b, 2, 100, 60), 40);
	assert_true(spent_all(&a, 2, 100) && !spent_all(&a, 1, 100) && !spent_all(&a, 2, 0));
	assert_int_equal(spent_take(&a, 2, 100, 1), 0);
	spent_give(&b, 2, 100, 10);
	assert_int_equal(spent_take(&a, 2, 100, 60), 10);
	/* without a limit nothing is counted; a rule that is not there has none left */
	assert_int_equal(spent_take(&a, 3, 0, 77), 77);
	assert_int_equal(spent_take(&a, 3, 10, 77), 10);
	assert_int_equal(spent_take(&a, 4, 10, 77), 0);
	assert_true(spent_all(&a, 4, 10));
	assert_int_equal(spent_take(&a, 2, UINT64_MAX, UINT64_MAX), UINT64_MAX - 100);
	(void)munmap(a.v, spent_size(4));
	(void)munmap(b.v, spent_size(4));
	(void)close(fd);
}

/* --- what is looked at ------------------------------------------------------------------- */

static const char request[] = "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n";

/* Where the first reading takes what is there, the rest and the end come right behind it. */
static int late_program = -1;

ssize_t recv(int fd, void *to, size_t n, int flags)
{
	static ssize_t (*real)(int, void *, size_t, int);
	ssize_t r;

	if (!real)
		real = (ssize_t(*)(int, void *, size_t, int))dlsym(RTLD_NEXT, "recv");
	r = real(fd, to, n, flags);
	if (late_program >= 0 && r == 10) {
		int program = late_program;

		late_program = -1;
		assert_true(send(program, request + 10, sizeof(request) - 11, 0) > 0);
		assert_int_equal(shutdown(program, SHUT_WR), 0);
	}
	return r;
}

static void make_looked_at(struct relay_conn *c)
{
	c->reach.name = "a.example";
	c->peek = calloc(1, sizeof(*c->peek));
	assert_non_null(c->peek);
	peek_init(c->peek, PB_PEEK_HTTP, c->reach.name, strlen(c->reach.name));
	c->up.readable = true;
}

static void test_the_end_behind_a_look_is_no_early_end(void **state)
{
	struct relay_conn *c;
	struct world w;
	struct link l;
	char got[100];
	bool more;
	int server;

	(void)state;
	for (int whole = 0; whole < 2; whole++) {
		world_make(&w, 0, 8);
		c = conn_make(&w, &l, 0, &server);
		make_looked_at(c);
		assert_int_equal(send(l.program, request, 10, 0), 10);
		late_program = whole ? l.program : -1;
		if (!whole) /* the control: an end that is one */
			assert_int_equal(shutdown(l.program, SHUT_WR), 0);
		if (relay_look(c, &more) == RELAY_ON) {
			assert_true(whole);
			c->up.readable = true;
			assert_true(more || relay_look(c, &more) == RELAY_ON);
			assert_true(more);
			relay_flow(c, server);
			world_turn(&w);
			assert_int_equal(recv(l.server, got, sizeof(got), 0),
					 sizeof(request) - 1);
		} else {
			assert_false(whole);
			(void)close(server);
		}
		world_hear(&w);
		assert_int_equal(w.refused, !whole);
		assert_true(whole || w.why == GATE_W_PROTOCOL);
		link_close(&l);
		world_free(&w);
	}
}

/* What is kept of heads that never end has its bounds, and who keeps little is not kept out. */
static void test_the_one_that_keeps_most_gives_way(void **state)
{
	static char fill[12000];
	struct relay_conn *big[MOST - 1], *c;
	struct link links[MOST];
	struct world w;
	bool more;
	int server;

	(void)state;
	memset(fill, 'x', sizeof(fill));
	memcpy(fill, request, sizeof(request) - 5);
	world_make(&w, 0, 8);
	for (int i = 0; i < MOST - 1; i++) {
		big[i] = conn_make(&w, &links[i], 0, &server);
		(void)close(server);
		make_looked_at(big[i]);
		assert_int_equal(send(links[i].program, fill, sizeof(fill), 0), sizeof(fill));
		assert_int_equal(relay_look(big[i], &more), RELAY_ON);
		assert_true(!more && big[i]->kept.n == sizeof(fill));
	}
	w.relay.kept = RELAY_KEPT_ALL; /* as if others kept the rest */
	c = conn_make(&w, &links[MOST - 1], 0, &server);
	(void)close(server);
	make_looked_at(c);
	assert_int_equal(send(links[MOST - 1].program, request, sizeof(request) - 1, 0),
			 sizeof(request) - 1);
	assert_int_equal(w.relay.count, MOST);
	assert_int_equal(relay_look(c, &more), RELAY_ON);
	assert_true(more);
	assert_int_equal(w.relay.count, MOST - 1);
	for (int i = 0; i < MOST; i++)
		link_close(&links[i]);
	world_free(&w);
	/* where nobody keeps more, it is refused itself */
	world_make(&w, 0, 8);
	c = conn_make(&w, &links[0], 0, &server);
	(void)close(server);
	make_looked_at(c);
	assert_int_equal(send(links[0].program, request, 10, 0), 10);
	w.relay.kept = RELAY_KEPT_ALL;
	assert_int_equal(relay_look(c, &more), RELAY_GONE);
	assert_int_equal(w.relay.kept, RELAY_KEPT_ALL);
	link_close(&links[0]);
	world_free(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_limit_of_bytes_is_exact),
		cmocka_unit_test(test_the_last_byte_of_a_limit_is_no_refusal),
		cmocka_unit_test(test_what_did_not_pass_is_given_back),
		cmocka_unit_test(test_counters_are_shared),
		cmocka_unit_test(test_the_end_behind_a_look_is_no_early_end),
		cmocka_unit_test(test_the_one_that_keeps_most_gives_way),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
