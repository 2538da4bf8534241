/*
 * What polinject makes of a request: the lines that the server gets, and the requests that it
 * never gets.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/egress/inject_head.h"

static const struct inject_header token = { "Authorization", "Bearer ", "s3cret", 13, 7, 6 };

static void read_head(struct http_head *h, const char *text)
{
	http_head_init(h);
	if (http_head_read(h, (const uint8_t *)text, strlen(text)) != HTTP_HEAD)
		fail_msg("'%s': %s", text, h->what);
}

#define AUTH "Authorization: Bearer s3cret\r\n\r\n"
#define HOST "Host: api.example\r\n"

static void test_rewriting(void **state)
{
	static const struct {
		const char *in, *out;
		uint16_t port;
	} rows[] = {
		{ "GET / HTTP/1.1\r\n" HOST "\r\n", "GET / HTTP/1.1\r\n" HOST AUTH, 443 },
		{ "GET / HTTP/1.1\r\n" HOST "\r\n",
		  "GET / HTTP/1.1\r\nHost: api.example:8443\r\n" AUTH, 8443 },
		{ "GET / HTTP/1.1\r\nX: y\r\nhost: API.Example.:80\r\n\r\n",
		  "GET / HTTP/1.1\r\n" HOST "X: y\r\n" AUTH, 443 },
		/* the value of the program inside is replaced, in every spelling and number */
		{ "GET / HTTP/1.1\r\n" HOST "AUTHORIZATION: a\r\nauthorization:b\r\n\r\n",
		  "GET / HTTP/1.1\r\n" HOST AUTH, 443 },
		{ "GET / HTTP/1.1\r\n" HOST "X-Authorization: a\r\n\r\n",
		  "GET / HTTP/1.1\r\n" HOST "X-Authorization: a\r\n" AUTH, 443 },
		/* targets */
		{ "GET http://api.example/a?b HTTP/1.1\r\n" HOST "\r\n",
		  "GET /a?b HTTP/1.1\r\n" HOST AUTH, 443 },
		{ "GET http://api.example?b HTTP/1.1\r\n" HOST "\r\n",
		  "GET /?b HTTP/1.1\r\n" HOST AUTH, 443 },
		{ "GET http://api.example HTTP/1.1\r\n" HOST "\r\n",
		  "GET / HTTP/1.1\r\n" HOST AUTH, 443 },
		{ "OPTIONS http://api.example HTTP/1.1\r\n" HOST "\r\n",
		  "OPTIONS * HTTP/1.1\r\n" HOST AUTH, 443 },
		{ "OPTIONS * HTTP/1.1\r\n" HOST "\r\n", "OPTIONS * HTTP/1.1\r\n" HOST AUTH, 443 },
		/* what is about the connection stays here */
		{ "GET / HTTP/1.1\r\n" HOST
		  "Connection: Upgrade, x-hop\r\nUpgrade: h2c\r\nX-Hop: 1\r\nKeep-Alive: 5\r\n"
		  "TE: trailers\r\nProxy-Authorization: x\r\nHTTP2-Settings: a\r\nX: y\r\n\r\n",
		  "GET / HTTP/1.1\r\n" HOST "X: y\r\n" AUTH, 443 },
		{ "GET / HTTP/1.1\r\n" HOST "Connection: close\r\n\r\n",
		  "GET / HTTP/1.1\r\n" HOST "Connection: close\r\n" AUTH, 443 },
		{ "GET / HTTP/1.0\r\n" HOST "\r\n",
		  "GET / HTTP/1.0\r\n" HOST "Connection: close\r\n" AUTH, 443 },
		{ "GET / HTTP/1.0\r\n" HOST "Connection: keep-alive\r\n\r\n",
		  "GET / HTTP/1.0\r\n" HOST "Connection: keep-alive\r\n" AUTH, 443 },
		/* a Connection that names the header takes away only the program's own */
		{ "GET / HTTP/1.1\r\n" HOST "Connection: authorization\r\nAuthorization: a\r\n\r\n",
		  "GET / HTTP/1.1\r\n" HOST AUTH, 443 },
		/* what says how long the body is stays */
		{ "POST / HTTP/1.1\r\n" HOST "Content-Length:  5\r\nExpect: 100-continue\r\n\r\n",
		  "POST / HTTP/1.1\r\n" HOST "Content-Length: 5\r\nExpect: 100-continue\r\n" AUTH,
		  443 },
		{ "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\nTrailer: X\r\n\r\n",
		  "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\nTrailer: X\r\n" AUTH,
		  443 },
	};
	char out[1000];
	struct http_head h;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		size_t n, want = strlen(rows[i].out);

		read_head(&h, rows[i].in);
		n = inject_head(&h, (const uint8_t *)rows[i].in, "api.example", rows[i].port,
				&token, out, sizeof(out));
		if (n != want || memcmp(out, rows[i].out, n) != 0)
			fail_msg("'%s' becomes '%.*s'", rows[i].in, (int)n, out);
		/* too little room: nothing, and nothing beyond it */
		for (size_t size = 0; size < want; size++) {
			memset(out, '~', sizeof(out));
			assert_int_equal(inject_head(&h, (const uint8_t *)rows[i].in, "api.example",
						     rows[i].port, &token, out, size), 0);
			assert_int_equal(out[size], '~');
		}
	}
}

/* The server reads one header of that name, and '_' is no way around that, nor any other sign
 * that a server may turn into the same one. */
static void test_a_name_with_dashes(void **state)
{
	static const struct inject_header key = { "X-Api-Key", "", "k", 9, 0, 1 };
	static const char in[] = "GET / HTTP/1.1\r\n" HOST "X_Api_Key: mine\r\nx-api_key: mine\r\n"
				 "X.Api.Key: mine\r\nX~Api!Key: mine\r\nXApi-Key: other\r\n\r\n";
	static const char want[] = "GET / HTTP/1.1\r\n" HOST "XApi-Key: other\r\nX-Api-Key: k\r\n\r\n";
	struct http_head h;
	char out[200];

	(void)state;
	read_head(&h, in);
	assert_int_equal(inject_head(&h, (const uint8_t *)in, "api.example", 443, &key, out, sizeof(out)),
			 sizeof(want) - 1);
	assert_memory_equal(out, want, sizeof(want) - 1);
}

static void test_refusals(void **state)
{
	static const struct {
		const char *in;
		int why; /* -1: passed on */
	} rows[] = {
		{ "GET / HTTP/1.1\r\n" HOST "\r\n", -1 },
		{ "GET / HTTP/1.1\r\nHost: API.EXAMPLE.:80\r\n\r\n", -1 },
		{ "GET / HTTP/1.1\r\nHost: api.example:443\r\n\r\n", GATE_W_HOST },
		{ "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", GATE_W_HOST },
		{ "GET / HTTP/1.1\r\nHost: x.api.example\r\n\r\n", GATE_W_HOST },
		{ "GET / HTTP/1.1\r\nHost: api.example.evil\r\n\r\n", GATE_W_HOST },
		{ "GET / HTTP/1.1\r\nHost: 192.0.2.1\r\n\r\n", GATE_W_HOST },
		{ "CONNECT api.example:80 HTTP/1.1\r\nHost: api.example:80\r\n\r\n", GATE_W_PROTOCOL },
		{ "TRACE / HTTP/1.1\r\n" HOST "\r\n", GATE_W_PROTOCOL },
		{ "trace / HTTP/1.1\r\n" HOST "\r\n", GATE_W_PROTOCOL },
		{ "TRACK / HTTP/1.1\r\n" HOST "\r\n", GATE_W_PROTOCOL },
		{ "TRACES / HTTP/1.1\r\n" HOST "\r\n", -1 },
		/* a server may decline an upgrade, but what asks for WebSocket wants nothing else */
		{ "GET / HTTP/1.1\r\n" HOST "Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n", -1 },
		{ "GET / HTTP/1.1\r\n" HOST "Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n", GATE_W_PROTOCOL },
		{ "GET / HTTP/1.1\r\n" HOST "connection: keep-alive, UPGRADE\r\nUpgrade: h2c ,\tWebSocket\r\n\r\n",
		  GATE_W_PROTOCOL },
		{ "GET / HTTP/1.1\r\n" HOST "Connection: Upgrade\r\nUpgrade: h2c\r\nUpgrade: websocket\r\n\r\n",
		  GATE_W_PROTOCOL },
		{ "GET / HTTP/1.1\r\n" HOST "Upgrade: websocket\r\n\r\n", -1 },
	};
	struct http_head h;
	enum gate_why why;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *text;

		read_head(&h, rows[i].in);
		text = inject_refuses(&h, (const uint8_t *)rows[i].in, "api.example", &why);
		if (!text != (rows[i].why < 0) || (text && (int)why != rows[i].why))
			fail_msg("'%s': %s", rows[i].in, text ? text : "passed on");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rewriting),
		cmocka_unit_test(test_a_name_with_dashes),
		cmocka_unit_test(test_refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
