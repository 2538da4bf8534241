/* What the gateway decides without a socket: where a connection may go, and what is said to an
 * upstream proxy. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>
#include <errno.h>

#include "runtime/decide/egress.h"
#include "runtime/egress/via.h"
#include "tests/unit/reach_fixture.h"

/* --- reach ----------------------------------------------------------------------------- */

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
		"deny 10.6.6.0/24 1-65535",     "allow localhost 443 within=127.0.0.0/8",
		"ask 127.0.0.0/8 443 soft",     "allow l.example 443 within=127.0.0.0/8", NULL
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
		/* and in the forms that carry it; another one does not matter */
		{ "a.example", "64:ff9b::198.51.100.13", PB_DENY, GATE_W_RULE, 3 },
		{ "a.example", "64:ff9b::198.51.100.14", PB_ASK, GATE_W_RULE, 4 },
		{ "a.example", "64:ff9b::198.51.100.12", PB_ALLOW, 0, 1 },
		{ "a.example", "2002:c633:640d::1", PB_DENY, GATE_W_RULE, 3 },
		{ "a.example", "2001:db8::5efe:198.51.100.13", PB_DENY, GATE_W_RULE, 3 },
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
		/* who only may ask, asks about the host's loopback as about any address */
		{ "l.example", "127.0.0.1", PB_ASK, GATE_W_RULE, 7 },
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
	assert_int_equal(a.effect, PB_ASK);
	assert_int_equal(a.rule, 7);
	/* not in `within` */
	reach_address(&w.policy, &r, address("::1"), 443, &a);
	assert_int_equal(a.effect, PB_DENY);
	free_world(&w);
}

/* An address of its own that carries one which a rule is about. */
static void test_addresses_that_carry_another(void **state)
{
	static const char *const lines[] = { "allow 64:ff9b::/96 443", "deny 198.51.100.13/32 1-65535",
					     NULL };
	struct world w;
	struct reach r;
	struct reach_address a;

	(void)state;
	make_world(&w, lines);
	reach_decide(&w.policy, address("64:ff9b::198.51.100.12"), 443, &r);
	assert_int_equal(r.effect, PB_ALLOW);
	reach_address(&w.policy, &r, address("64:ff9b::198.51.100.12"), 443, &a);
	assert_int_equal(a.effect, PB_ALLOW);
	reach_decide(&w.policy, address("64:ff9b::198.51.100.13"), 443, &r);
	reach_address(&w.policy, &r, address("64:ff9b::198.51.100.13"), 443, &a);
	assert_int_equal(a.effect, PB_DENY);
	assert_int_equal(a.rule, 2);
	free_world(&w);
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
		{ "HTTP/1.1 407 Proxy Authentication Required\r\n\r\n", VIA_NO, 12 },
		{ "HTTP/1.1 302 x\r\n\r\n", VIA_NO, 12 },
		{ "HTTP/1.1 407\r\n\r\n", VIA_NO, 12 },
		/* a debugging proxy: the rest of the line is not for a message */
		{ "HTTP/1.1 407 Basic bGFiOmdlaGVpbQ==\r\n\r\n", VIA_NO, 12 },
		/* an interim answer is no yes */
		{ "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", VIA_NO, 12 },
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_destinations),
		cmocka_unit_test(test_addresses_of_a_name),
		cmocka_unit_test(test_addresses_that_carry_another),
		cmocka_unit_test(test_upstream_proxies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
