/* What the gateway decides without a socket: connections, the look at what is sent, upstream
 * proxies, logged packets, and which records it sends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime/bundle/check.h"
#include "runtime/decide/egress.h"
#include "runtime/egress/gate_record.h"
#include "runtime/egress/nflog.h"
#include "runtime/egress/peek.h"
#include "runtime/egress/reach.h"
#include "runtime/egress/via.h"
#include "tests/unit/egress_fixture.h"

static const uint8_t *address(const char *text)
{
	static uint8_t a[16];
	struct in_addr v4;

	memset(a, 0, sizeof(a));
	if (inet_pton(AF_INET, text, &v4) == 1) {
		a[10] = a[11] = 0xff;
		memcpy(a + 12, &v4, 4);
	} else {
		assert_int_equal(inet_pton(AF_INET6, text, a), 1);
	}
	return a;
}

/* --- reach ----------------------------------------------------------------------------- */

static struct made made;

struct world {
	struct names names;
	struct guard guard;
	struct reach_policy policy;
};

static void make_world(struct world *w, const char *const *lines)
{
	struct rt_err err = { 0 };

	memset(&made, 0, sizeof(made));
	for (; *lines; lines++)
		assert_true(made_add(&made, *lines));
	(void)made_write(&made);
	if (bundle_check_egress(made.data, made.size, made.rule_count + 1, &err) != 0)
		fail_msg("%s", err.text);
	*w = (struct world){ .guard = { .on = true } };
	assert_int_equal(names_init(&w->names, (const void *)made.data), 0);
	w->policy = (struct reach_policy){ .egress = (const void *)made.data,
					   .names = &w->names, .guard = &w->guard };
	assert_int_equal(guard_add_own(&w->guard, address("203.0.113.2")), 0);
}

static void free_world(struct world *w)
{
	names_release(&w->names);
	guard_release(&w->guard);
}

static const uint8_t *named(struct world *w, const char *name, bool v6)
{
	static uint8_t a[16];
	uint32_t index = 0;

	assert_int_equal(names_give(&w->names, name, strlen(name), &index), 0);
	assert_true(index > 0);
	memcpy(a, address("198.18.0.0"), 16);
	if (v6)
		names_v6(index, a);
	else
		names_v4(index, a + 12);
	return a;
}

static void test_destinations(void **state)
{
	static const char *const lines[] = {
		"allow a.example 443",     "ask b.example 443",
		"allow *.w.example 80-90", "allow 198.51.100.0/24 22",
		"deny 10.0.0.0/8 1-65535", "allow localhost 5432 within=127.0.0.0/8", NULL
	};
	struct world w;
	struct reach r;

	(void)state;
	make_world(&w, lines);
	reach_decide(&w.policy, named(&w, "a.example", false), 443, &r);
	assert_int_equal(r.effect, PB_ALLOW);
	assert_int_equal(r.rule, 1);
	assert_string_equal(r.name, "a.example");
	reach_decide(&w.policy, named(&w, "a.example", true), 443, &r);
	assert_int_equal(r.effect, PB_ALLOW);
	reach_decide(&w.policy, named(&w, "a.example", false), 444, &r);
	assert_int_equal(r.effect, PB_DENY);
	assert_int_equal(r.why, GATE_W_RULE);
	reach_decide(&w.policy, named(&w, "b.example", false), 443, &r);
	assert_int_equal(r.effect, PB_ASK);
	reach_decide(&w.policy, named(&w, "x.y.w.example", false), 90, &r);
	assert_int_equal(r.effect, PB_ALLOW);
	/* an address of the pool that nobody has */
	reach_decide(&w.policy, address("198.18.77.77"), 443, &r);
	assert_int_equal(r.effect, PB_DENY);
	assert_int_equal(r.why, GATE_W_NO_NAME);
	reach_decide(&w.policy, address("198.18.0.0"), 443, &r);
	assert_int_equal(r.effect, PB_DENY);
	/* addresses */
	reach_decide(&w.policy, address("198.51.100.7"), 22, &r);
	assert_int_equal(r.effect, PB_ALLOW);
	assert_null(r.name);
	reach_decide(&w.policy, address("198.51.101.7"), 22, &r);
	assert_int_equal(r.effect, PB_DENY);
	/* the host's loopback, where a rule names it; the run's own is not brought here */
	reach_decide(&w.policy, address("127.0.0.1"), 5432, &r);
	assert_int_equal(r.effect, PB_ALLOW);
	assert_true(r.loopback);
	reach_decide(&w.policy, address("127.0.0.1"), 5433, &r);
	assert_int_equal(r.effect, PB_DENY);
	reach_decide(&w.policy, address("::1"), 1, &r);
	assert_int_equal(r.effect, PB_DENY);
	free_world(&w);
}

static void test_addresses_of_a_name(void **state)
{
	static const char *const lines[] = {
		"allow a.example 443",          "allow i.example 443 within=10.0.0.0/8",
		"deny 198.51.100.13/32 1-65535", "ask 198.51.100.14/32 443",
		"deny 10.6.6.0/24 1-65535",     "allow localhost 443 within=127.0.0.0/8", NULL
	};
	static const struct {
		const char *name, *addr;
		enum pb_effect effect;
		enum gate_why why;
		uint32_t rule;
	} rows[] = {
		{ "a.example", "198.51.100.12", PB_ALLOW, 0, 1 },
		{ "a.example", "2001:db8::12", PB_ALLOW, 0, 1 },
		/* a rule about the address */
		{ "a.example", "198.51.100.13", PB_DENY, GATE_W_RULE, 3 },
		{ "a.example", "198.51.100.14", PB_ASK, GATE_W_RULE, 4 },
		/* the guard */
		{ "a.example", "10.1.2.3", PB_DENY, GATE_W_GUARD, 1 },
		{ "a.example", "127.0.0.1", PB_DENY, GATE_W_GUARD, 1 },
		{ "a.example", "::1", PB_DENY, GATE_W_GUARD, 1 },
		{ "a.example", "203.0.113.2", PB_DENY, GATE_W_GUARD, 1 },
		{ "a.example", "64:ff9b::a01:203", PB_DENY, GATE_W_GUARD, 1 },
		{ "a.example", "169.254.169.254", PB_DENY, GATE_W_GUARD, 1 },
		/* `within` lifts it for its range, and no rule about the address */
		{ "i.example", "10.1.2.3", PB_ALLOW, 0, 2 },
		{ "i.example", "10.6.6.6", PB_DENY, GATE_W_RULE, 5 },
		{ "i.example", "192.168.1.1", PB_DENY, GATE_W_GUARD, 2 },
		{ "i.example", "198.51.100.12", PB_ALLOW, 0, 2 },
		/* an address of the pools is nobody's outside */
		{ "a.example", "198.18.0.1", PB_DENY, GATE_W_GUARD, 1 },
		{ "a.example", "fd70:6f6c::1", PB_DENY, GATE_W_GUARD, 1 },
	};
	struct world w;
	struct reach r;
	struct reach_address a;

	(void)state;
	make_world(&w, lines);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		reach_decide(&w.policy, named(&w, rows[i].name, false), 443, &r);
		assert_int_equal(r.effect, PB_ALLOW);
		reach_address(&w.policy, &r, address(rows[i].addr), 443, &a);
		if (a.effect != rows[i].effect || a.rule != rows[i].rule ||
		    (a.effect == PB_DENY && a.why != rows[i].why))
			fail_msg("%s at %s: effect %d, rule %u, why %d", rows[i].name,
				 rows[i].addr, (int)a.effect, a.rule, (int)a.why);
	}
	reach_decide(&w.policy, address("127.0.0.1"), 443, &r);
	reach_address(&w.policy, &r, address("127.0.0.1"), 443, &a);
	assert_int_equal(a.effect, PB_ALLOW);
	/* not in `within` */
	reach_address(&w.policy, &r, address("::1"), 443, &a);
	assert_int_equal(a.effect, PB_DENY);
	free_world(&w);
}

/* --- peek --------------------------------------------------------------------------------- */

static void test_what_a_port_is_looked_at_for(void **state)
{
	(void)state;
	assert_int_equal(peek_kind(PB_PEEK_PORT, 443), PB_PEEK_TLS);
	assert_int_equal(peek_kind(PB_PEEK_PORT, 8443), PB_PEEK_TLS);
	assert_int_equal(peek_kind(PB_PEEK_PORT, 80), PB_PEEK_HTTP);
	assert_int_equal(peek_kind(PB_PEEK_PORT, 8080), PB_PEEK_HTTP);
	assert_int_equal(peek_kind(PB_PEEK_PORT, 22), PB_PEEK_NONE);
	assert_int_equal(peek_kind(PB_PEEK_NONE, 443), PB_PEEK_NONE);
	assert_int_equal(peek_kind(PB_PEEK_TLS, 25), PB_PEEK_TLS);
	assert_int_equal(peek_kind(PB_PEEK_HTTP, 25), PB_PEEK_HTTP);
}

/*
 * A whole conversation of a command, of which `step` bytes are there at a time.  The
 * number of bytes that may pass; -why - 1 if it is refused; `server`: its first bytes.
 */
static long converse(enum pb_peek kind, const char *text, size_t step, const char *server)
{
	size_t n = strlen(text), passed = 0, have = step;
	struct peek_verdict v;
	struct peek k;
	long ret = -100;

	peek_init(&k, kind, "a.example", 9);
	while (ret == -100) {
		if (have > n)
			have = n;
		peek_client(&k, (const uint8_t *)text + passed, have - passed, have == n, &v);
		if (v.answer == PEEK_REFUSE) {
			ret = -(long)v.why - 1;
		} else if (v.answer == PEEK_WATCH) {
			assert_true(peek_server(&k, (const uint8_t *)server, strlen(server),
						true));
		} else if (v.answer == PEEK_PASS) {
			passed = v.pass > n - passed ? n : passed + (size_t)v.pass;
			if (have < passed)
				have = passed;
			if (v.pass == UINT64_MAX)
				ret = (long)n;
		} else if (have == n) {
			ret = (long)passed;
		} else {
			have += step;
		}
	}
	peek_release(&k);
	return ret;
}

#define REFUSED(why) (-(long)(why) - 1)
#define HTTP_GET_A "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n"
#define HTTP_GET_B "GET / HTTP/1.1\r\nHost: b.example\r\n\r\n"

static void test_every_request_of_a_connection_names_the_host(void **state)
{
	static const struct {
		const char *text;
		long passed; /* -2: all */
		const char *server;
	} rows[] = {
		{ HTTP_GET_A, -2, "" },
		{ HTTP_GET_A HTTP_GET_A, -2, "" },
		{ HTTP_GET_B, REFUSED(GATE_W_HOST), "" },
		{ HTTP_GET_A HTTP_GET_B, REFUSED(GATE_W_HOST), "" },
		{ "GET / HTTP/1.1\r\nHost: a.example:80\r\n\r\n", -2, "" },
		{ "GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n", -2, "" },
		{ "GET http://b.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n",
		  REFUSED(GATE_W_HOST), "" },
		{ "GET / HTTP/1.1\r\nHost: a.example\r\nHost: b.example\r\n\r\n",
		  REFUSED(GATE_W_HOST), "" },
		{ "GET / HTTP/1.1\r\n\r\n", REFUSED(GATE_W_HOST), "" },
		{ "GET / HTTP/1.1\r\nHost: 198.51.100.1\r\n\r\n", REFUSED(GATE_W_HOST), "" },
		{ "CONNECT a.example:80 HTTP/1.1\r\nHost: a.example:80\r\n\r\n",
		  REFUSED(GATE_W_PROTOCOL), "" },
		{ "SSH-2.0-x\r\n", REFUSED(GATE_W_PROTOCOL), "" },
		{ "GET / HT", REFUSED(GATE_W_PROTOCOL), "" },
		{ "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", REFUSED(GATE_W_PROTOCOL), "" },
		/* bodies: what looks like a request in one is none, what follows is */
		{ "POST / HTTP/1.1\r\nHost: a.example\r\nContent-Length: 35\r\n\r\n" HTTP_GET_B
		  HTTP_GET_A, -2, "" },
		{ "POST / HTTP/1.1\r\nHost: a.example\r\nContent-Length: 3\r\n\r\nabc" HTTP_GET_B,
		  REFUSED(GATE_W_HOST), "" },
		{ "POST / HTTP/1.1\r\nHost: a.example\r\nTransfer-Encoding: chunked\r\n\r\n"
		  "3\r\nabc\r\n23\r\n" HTTP_GET_B "\r\n0\r\n\r\n" HTTP_GET_A, -2, "" },
		{ "POST / HTTP/1.1\r\nHost: a.example\r\nTransfer-Encoding: chunked\r\n\r\n"
		  "3\r\nabc\r\n0\r\n\r\n" HTTP_GET_B, REFUSED(GATE_W_HOST), "" },
		{ "POST / HTTP/1.1\r\nHost: a.example\r\nTransfer-Encoding: chunked\r\n\r\n"
		  "zz\r\n", REFUSED(GATE_W_PROTOCOL), "" },
		/* no request after the last one */
		{ "GET / HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n", -2, "" },
		{ "GET / HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n" HTTP_GET_B,
		  REFUSED(GATE_W_PROTOCOL), "" },
		/* an empty line behind it is not passed on, and ends nothing */
		{ "POST / HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n"
		  "Content-Length: 1\r\n\r\nx\r\n", 75, "" },
		{ "POST / HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n"
		  "Content-Length: 1\r\n\r\nx\r\n" HTTP_GET_B, REFUSED(GATE_W_PROTOCOL), "" },
		/* an upgrade that the server makes, and one that it does not make */
		{ "GET / HTTP/1.1\r\nHost: a.example\r\nConnection: upgrade\r\nUpgrade: websocket\r\n"
		  "\r\n\x81\x05hello", -2, "HTTP/1.1 101 Switching" },
		{ "GET / HTTP/1.1\r\nHost: a.example\r\nConnection: upgrade\r\nUpgrade: websocket\r\n"
		  "\r\n" HTTP_GET_B, REFUSED(GATE_W_HOST), "HTTP/1.1 200 OK" },
		{ "GET / HTTP/1.1\r\nHost: a.example\r\nConnection: upgrade\r\nUpgrade: websocket\r\n"
		  "\r\n" HTTP_GET_B, REFUSED(GATE_W_HOST), "HTTP/1.1 10" },
		/* not the first request: its answer could not be told from others */
		{ HTTP_GET_A
		  "GET / HTTP/1.1\r\nHost: a.example\r\nConnection: upgrade\r\nUpgrade: websocket\r\n"
		  "\r\n" HTTP_GET_B, REFUSED(GATE_W_HOST), "HTTP/1.1 101 Switching" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (size_t step = 1; step <= 4096; step = step < 8 ? step + 1 : step * 8) {
			long want = rows[i].passed == -2 ? (long)strlen(rows[i].text) :
							   rows[i].passed;
			long got = converse(PB_PEEK_HTTP, rows[i].text, step, rows[i].server);

			if (got != want)
				fail_msg("row %zu in pieces of %zu: %ld, not %ld", i, step, got,
					 want);
		}
}

static void test_tls_names_the_host_or_is_refused(void **state)
{
	(void)state;
	/* a true hello is in test_egress_real; here what is none */
	assert_int_equal(converse(PB_PEEK_TLS, HTTP_GET_A, 100, ""),
			 REFUSED(GATE_W_PROTOCOL));
	assert_int_equal(converse(PB_PEEK_TLS, "", 100, ""), REFUSED(GATE_W_PROTOCOL));
	assert_int_equal(converse(PB_PEEK_TLS, "\x16\x03\x01\x02", 1, ""),
			 REFUSED(GATE_W_PROTOCOL));
}

/* --- upstream proxies ------------------------------------------------------------------------ */

static void test_upstream_proxies(void **state)
{
	static const struct {
		const char *text, *host;
		uint16_t port; /* 0: refused */
	} rows[] = {
		{ "http://proxy.example:3128", "proxy.example", 3128 },
		{ "http://Proxy.Example:80", "proxy.example", 80 },
		{ "http://10.0.0.1:3128", "", 3128 },
		{ "http://[2001:db8::1]:8080", "", 8080 },
		{ "http://proxy.example", "", 0 },
		{ "http://proxy.example:", "", 0 },
		{ "http://proxy.example:0", "", 0 },
		{ "http://proxy.example:65536", "", 0 },
		{ "http://proxy.example:80/x", "", 0 },
		{ "https://proxy.example:80", "", 0 },
		{ "http://:80", "", 0 },
		{ "http://[proxy.example]:80", "", 0 },
		{ "http://u:p@proxy.example:80", "", 0 },
		{ "", "", 0 },
	};
	static const struct {
		const char *text;
		enum via_verdict v;
		size_t n;
	} answers[] = {
		{ "HTTP/1.1 200 OK\r\n\r\nSSH-2.0", VIA_YES, 19 },
		{ "HTTP/1.0 200\r\nA: b\r\n\r\n", VIA_YES, 22 },
		{ "HTTP/1.1 200 OK\r\n", VIA_MORE, 0 },
		{ "HTT", VIA_MORE, 0 },
		{ "HTTP/1.1 407 Proxy Authentication Required\r\n\r\n", VIA_NO, 42 },
		{ "HTTP/1.1 302 x\r\n\r\n", VIA_NO, 14 },
		{ "HTTP/1.1 20\r\n\r\n", VIA_BAD, 0 },
		{ "HTTP/1.1 2000\r\n\r\n", VIA_BAD, 0 },
		{ "HTTP/2 200\r\n\r\n", VIA_BAD, 0 },
		{ "SSH-2.0-x\r\n\r\n", VIA_BAD, 0 },
	};
	char out[VIA_REQUEST_MAX], secret[VIA_SECRET_MAX + 1];
	struct via via;
	size_t n;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		bool ok = via_read(&via, rows[i].text, strlen(rows[i].text));

		if (ok != (rows[i].port != 0) ||
		    (ok && (via.port != rows[i].port || strcmp(via.host, rows[i].host) != 0)))
			fail_msg("%s", rows[i].text);
	}
	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
		n = 0;
		if (via_answer((const uint8_t *)answers[i].text, strlen(answers[i].text), &n) !=
			    answers[i].v || n != answers[i].n)
			fail_msg("answer %zu: %zu", i, n);
	}
	n = via_request(out, sizeof(out), "a.example", NULL, 443, NULL, 0);
	assert_int_equal(n, strlen(out));
	assert_string_equal(out, "CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n");
	(void)via_request(out, sizeof(out), NULL, address("2001:db8::7"), 22, "user:pass", 9);
	assert_string_equal(out, "CONNECT [2001:db8::7]:22 HTTP/1.1\r\nHost: [2001:db8::7]:22\r\n"
				 "Proxy-Authorization: Basic dXNlcjpwYXNz\r\n\r\n");
	(void)via_request(out, sizeof(out), NULL, address("192.0.2.1"), 22, "a:b", 3);
	assert_non_null(strstr(out, "CONNECT 192.0.2.1:22 "));
	assert_non_null(strstr(out, " YTpi\r\n"));
	(void)via_request(out, sizeof(out), "a", NULL, 22, "ab:c", 4);
	assert_non_null(strstr(out, " YWI6Yw==\r\n"));
	memset(secret, 'x', sizeof(secret));
	assert_true(via_request(out, sizeof(out), "a", NULL, 22, secret, VIA_SECRET_MAX) > 0);
	assert_int_equal(via_request(out, sizeof(out), "a", NULL, 22, secret, sizeof(secret)), 0);
	assert_int_equal(via_request(out, 20, "a.example", NULL, 22, NULL, 0), 0);
}

/* --- records -------------------------------------------------------------------------------- */

static unsigned read_all(int fd, uint64_t *ret_count)
{
	struct gate_record r;
	unsigned n = 0;

	while (recv(fd, &r, sizeof(r), MSG_DONTWAIT) == sizeof(r)) {
		n++;
		*ret_count += r.count;
	}
	return n;
}

static void test_a_flood_of_refusals_is_few_messages(void **state)
{
	static struct record rec;
	struct gate_record r = record_new(GATE_REFUSED, GATE_W_RULE, 7);
	uint64_t count = 0;
	unsigned messages;
	char name[32];
	int s[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, s), 0);
	record_init(&rec, s[0]);
	record_name(&r, "a.example", 9);
	for (int i = 0; i < 100000; i++)
		record_add(&rec, &r);
	assert_true(record_waits(&rec));
	record_tick(&rec);
	assert_false(record_waits(&rec));
	messages = read_all(s[1], &count);
	assert_true(messages <= RECORD_RATE * RECORD_TICK_MS / 1000 + 1);
	assert_int_equal(count, 100000);
	/* all different: the first have their names, of the others the number is kept */
	count = 0;
	for (int i = 0; i < 100000; i++) {
		(void)snprintf(name, sizeof(name), "n%d.example", i);
		record_name(&r, name, strlen(name));
		record_add(&rec, &r);
	}
	for (int i = 0; i < 100 && record_waits(&rec); i++) {
		record_tick(&rec);
		messages += read_all(s[1], &count);
	}
	assert_false(record_waits(&rec));
	assert_int_equal(count, 100000);
	assert_true(messages < 1000);
	/* nobody reads: nothing blocks, nothing is lost but names */
	for (int i = 0; i < 10000; i++) {
		(void)snprintf(name, sizeof(name), "m%d.example", i);
		record_name(&r, name, strlen(name));
		record_add(&rec, &r);
		record_tick(&rec);
	}
	count = 0;
	for (int i = 0; i < 10000 && record_waits(&rec); i++) {
		(void)read_all(s[1], &count);
		record_tick(&rec);
	}
	(void)read_all(s[1], &count);
	assert_int_equal(count, 10000);
	(void)close(s[0]);
	(void)close(s[1]);
}

static void test_records_of_different_things_are_not_merged(void **state)
{
	static struct record rec;
	struct gate_record r = record_new(GATE_CLOSED, GATE_W_RULE, 1), got;
	uint64_t up = 0;
	int s[2], n = 0;

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, s), 0);
	record_init(&rec, s[0]);
	rec.tokens = 0;
	r.up = 3;
	record_name(&r, "a.example", 9);
	record_add(&rec, &r);
	record_add(&rec, &r);
	r.port = 1;
	record_add(&rec, &r);
	record_text(&r, "x\x1b[2J", 5);
	record_add(&rec, &r);
	r.rule = 2;
	record_add(&rec, &r);
	record_flush(&rec, 100);
	while (recv(s[1], &got, sizeof(got), MSG_DONTWAIT) == sizeof(got)) {
		n++;
		up += got.up;
		assert_null(strchr(got.text, 0x1b));
	}
	assert_int_equal(n, 4);
	assert_int_equal(up, 15);
	(void)close(s[0]);
	(void)close(s[1]);
}

/* --- logged packets ---------------------------------------------------------------------------- */

static void test_refused_packets(void **state)
{
	static const char *const lines[] = { "allow a.example 443", "deny 198.51.100.0/24 22",
					     NULL };
	uint8_t tcp4[24] = { 0x45, [9] = 6, [20] = 0x80, [21] = 1, [22] = 0, [23] = 22 };
	uint8_t tcp6[44] = { 0x60, [6] = 6, [40] = 0x80, [41] = 1, [42] = 0, [43] = 80 };
	struct gate_record r;
	struct world w;

	(void)state;
	make_world(&w, lines);
	memcpy(tcp4 + 16, address("198.51.100.9") + 12, 4);
	assert_true(nflog_packet(&w.policy, tcp4, sizeof(tcp4), &r));
	assert_int_equal(r.rule, 2);
	assert_int_equal(r.port, 22);
	assert_int_equal(r.source, 0x8001);
	assert_true(r.has_addr);
	memcpy(tcp6 + 24, named(&w, "a.example", true), 16);
	assert_true(nflog_packet(&w.policy, tcp6, sizeof(tcp6), &r));
	assert_string_equal(r.name, "a.example");
	assert_int_equal(r.rule, 0);
	assert_int_equal(r.port, 80);
	assert_false(r.has_addr);
	memcpy(tcp6 + 24, address("fd70:6f6c::777"), 16);
	assert_true(nflog_packet(&w.policy, tcp6, sizeof(tcp6), &r));
	assert_int_equal(r.why, GATE_W_NO_NAME);
	tcp4[9] = 1;
	assert_true(nflog_packet(&w.policy, tcp4, sizeof(tcp4), &r));
	assert_string_equal(r.text, "protocol 1");
	/* cut anywhere */
	for (size_t n = 0; n < sizeof(tcp6); n++)
		assert_int_equal(nflog_packet(&w.policy, tcp6, n, &r), n >= 40);
	free_world(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_destinations),
		cmocka_unit_test(test_addresses_of_a_name),
		cmocka_unit_test(test_what_a_port_is_looked_at_for),
		cmocka_unit_test(test_every_request_of_a_connection_names_the_host),
		cmocka_unit_test(test_tls_names_the_host_or_is_refused),
		cmocka_unit_test(test_upstream_proxies),
		cmocka_unit_test(test_a_flood_of_refusals_is_few_messages),
		cmocka_unit_test(test_records_of_different_things_are_not_merged),
		cmocka_unit_test(test_refused_packets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
