/* Whether what a command sends first is for the host that its rule names: peek.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>
#include <errno.h>

#include "runtime/egress/peek.h"
#include "tests/unit/egress_fixture.h"

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
		/* to a protocol that names hosts again: HTTP/2, TLS.  It is not let go. */
		{ "GET / HTTP/1.1\r\nHost: a.example\r\nConnection: upgrade, http2-settings\r\n"
		  "Upgrade: h2c\r\nHTTP2-Settings: AA\r\n\r\nPRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
		  REFUSED(GATE_W_PROTOCOL), "HTTP/1.1 101 Switching" },
		{ "GET / HTTP/1.1\r\nHost: a.example\r\nConnection: upgrade\r\n"
		  "Upgrade: websocket, h2c\r\n\r\nPRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
		  REFUSED(GATE_W_PROTOCOL), "HTTP/1.1 101 Switching" },
		{ "GET / HTTP/1.1\r\nHost: a.example\r\nConnection: upgrade\r\n"
		  "Upgrade: websocket\r\nUpgrade: TLS/1.2\r\n\r\n\x16\x03\x01", REFUSED(GATE_W_PROTOCOL),
		  "HTTP/1.1 101 Switching" },
		{ "GET / HTTP/1.1\r\nHost: a.example\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n"
		  HTTP_GET_A, -2, "HTTP/1.1 200 OK" },
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

/* A ClientHello in one record that names the host.  Its length. */
static size_t put_hello(uint8_t *to, const char *name)
{
	uint8_t b[200] = { 22, 3, 1, 0, 0, 1, 0, 0, 0, 3, 3 };
	const uint8_t rest[] = { 0, 0, 2, 0x13, 1, 1, 0 }; /* no session, a suite, a method */
	size_t n = strlen(name), at = 11 + 32;

	memcpy(b + at, rest, sizeof(rest));
	at += sizeof(rest);
	/* the extensions, the one of names, its list, the name */
	for (int i = 0; i < 4; i++) {
		static const uint8_t more[4] = { 9, 5, 3, 0 };

		if (i == 1)
			at += 2;
		if (i == 3)
			at++;
		b[at + 1] = (uint8_t)(n + more[i]);
		at += 2;
	}
	memcpy(b + at, name, n);
	at += n;
	b[4] = (uint8_t)(at - 5);
	b[8] = (uint8_t)(at - 9);
	memcpy(to, b, at);
	return at;
}

/* A ServerHello's first record, of which `n` bytes are there; with `retry` it wants another
 * ClientHello. */
static bool answer_hello(struct peek *k, bool retry, size_t n, bool eof)
{
	static const uint8_t digest[] = { 0xcf, 0x21, 0xad, 0x74, 0xe5, 0x9a, 0x61, 0x11,
					  0xbe, 0x1d, 0x8c, 0x02, 0x1e, 0x65, 0xb8, 0x91,
					  0xc2, 0xa2, 0x11, 0x16, 0x7a, 0xbb, 0x8c, 0x5e,
					  0x07, 0x9e, 0x09, 0xe2, 0xc8, 0xa8, 0x33, 0x9c };
	uint8_t b[60] = { 22, 3, 3, 0, 55, 2, 0, 0, 51, 3, 3 };

	if (retry)
		memcpy(b + 11, digest, sizeof(digest));
	return peek_server(k, b, n, eof);
}

static void test_a_second_hello_names_the_host_too(void **state)
{
	static const uint8_t early[] = { 23, 3, 3, 0, 2, 'x', 'y' }, cipher[] = { 20, 3, 3, 0, 1, 1 },
			     exchange[] = { 22, 3, 3, 0, 4, 16, 0, 0, 0 };
	static const struct {
		const char *name; /* of the second hello; NULL: none comes */
		bool retry, early;
		size_t cut; /* the server's first record has so many bytes; 0: it is whole */
		bool refused;
	} rows[] = {
		{ "a.example", true, false, 0, false },
		{ "b.example", true, false, 0, true },
		{ "b.example", true, true, 0, true },  /* behind what was sent too early */
		{ "a.example", true, true, 0, false },
		{ "b.example", true, false, 20, true }, /* a server that ends before it is known */
		{ "b.example", false, false, 0, false }, /* not asked for: the server takes none */
		{ NULL, true, false, 0, false },         /* an older version's next message */
	};
	uint8_t text[600];
	struct peek_verdict v;
	struct peek k;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t first = put_hello(text, "a.example"), n = first, at;

		if (rows[i].early) {
			memcpy(text + n, early, sizeof(early));
			n += sizeof(early);
		}
		memcpy(text + n, cipher, sizeof(cipher));
		n += sizeof(cipher);
		if (rows[i].name) {
			n += put_hello(text + n, rows[i].name);
		} else {
			memcpy(text + n, exchange, sizeof(exchange));
			n += sizeof(exchange);
		}
		peek_init(&k, PB_PEEK_TLS, "a.example", 9);
		peek_client(&k, text, n, false, &v);
		assert_int_equal(v.answer, PEEK_PASS);
		assert_int_equal(v.pass, first);
		peek_client(&k, text + first, n - first, false, &v);
		assert_int_equal(v.answer, PEEK_WATCH);
		if (rows[i].cut) {
			assert_false(answer_hello(&k, rows[i].retry, rows[i].cut, false));
			assert_true(answer_hello(&k, rows[i].retry, rows[i].cut, true));
		} else {
			for (size_t have = 1; have < 43; have++)
				assert_false(answer_hello(&k, rows[i].retry, have, false));
			assert_true(answer_hello(&k, rows[i].retry, 43, false));
		}
		for (at = first; at < n;) {
			peek_client(&k, text + at, n - at, false, &v);
			if (v.answer != PEEK_PASS || v.pass == UINT64_MAX)
				break;
			at += (size_t)v.pass;
		}
		if ((v.answer == PEEK_REFUSE) != rows[i].refused ||
		    (v.answer == PEEK_REFUSE && v.why != GATE_W_SNI) ||
		    (v.answer != PEEK_REFUSE && v.pass != UINT64_MAX))
			fail_msg("row %zu: answer %d, pass %llu", i, (int)v.answer,
				 (unsigned long long)v.pass);
		peek_release(&k);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_a_port_is_looked_at_for),
		cmocka_unit_test(test_every_request_of_a_connection_names_the_host),
		cmocka_unit_test(test_tls_names_the_host_or_is_refused),
		cmocka_unit_test(test_a_second_hello_names_the_host_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
