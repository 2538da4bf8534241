/*
 * Heads and bodies of HTTP requests: which host a head names, what is refused, and where the
 * next request begins.  Each row is read whole, byte by byte and in every pair of pieces.
 * What servers think of such heads: tests/conformance/http_heads.py.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/egress/http_body.h"

#define N(s) s, sizeof(s) - 1
#define GET "GET / HTTP/1.1\r\n"
#define HOST "Host: a.example\r\n"

struct row {
	const char *p;
	size_t n;
	enum http_verdict want;
	const char *host; /* of HTTP_HEAD */
	unsigned port;
};

static void check(const struct row *r)
{
	struct http_head *h = malloc(sizeof(*h)), *whole = malloc(sizeof(*h));
	uint8_t *copy = malloc(r->n ? r->n : 1);

	assert_true(h && whole && copy);
	memcpy(copy, r->p, r->n);
	http_head_init(whole);
	if (http_head_read(whole, copy, r->n) != r->want)
		fail_msg("'%s': verdict %d (%s), not %d", r->p, whole->verdict, whole->what, r->want);
	if (r->want == HTTP_HEAD && (strcmp(whole->host, r->host) != 0 || whole->port != r->port))
		fail_msg("'%s': host '%s' port %u", r->p, whole->host, whole->port);
	if (r->want == HTTP_MALFORMED)
		assert_true(whole->what[0]);
	for (size_t cut = 0; cut <= r->n; cut++) {
		http_head_init(h);
		if (cut == r->n) /* one by one */
			for (size_t i = 0; i < r->n; i++)
				(void)http_head_read(h, copy, i);
		(void)http_head_read(h, copy, cut);
		if (http_head_read(h, copy, r->n) != r->want)
			fail_msg("'%s': cut at %zu: verdict %d, not %d", r->p, cut, h->verdict, r->want);
		assert_memory_equal(h, whole, sizeof(*h));
	}
	free(copy);
	free(whole);
	free(h);
}

static void check_rows(const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++)
		check(&rows[i]);
}
#define CHECK(rows) check_rows(rows, sizeof(rows) / sizeof(*(rows)))

static void test_hosts(void **state)
{
	static const struct row rows[] = {
		{ N(GET HOST "\r\n"), HTTP_HEAD, "a.example", 0 },
		{ N(GET "hOsT:A.Example\r\n\r\n"), HTTP_HEAD, "a.example", 0 },
		{ N(GET "Host: \t a.example \t\r\n\r\n"), HTTP_HEAD, "a.example", 0 },
		{ N(GET "Host: a.example:8080\r\n\r\n"), HTTP_HEAD, "a.example", 8080 },
		{ N(GET "Host: a.example.\r\n\r\n"), HTTP_HEAD, "a.example", 0 },
		{ N(GET "Host: a.example.:80\r\n\r\n"), HTTP_HEAD, "a.example", 80 },
		{ N(GET "Host: 192.0.2.1\r\n\r\n"), HTTP_HEAD, "192.0.2.1", 0 },
		{ N(GET "Host: [2001:DB8:0::1]:80\r\n\r\n"), HTTP_HEAD, "2001:db8::1", 80 },
		{ N(GET "Host: [::1]\r\n\r\n"), HTTP_HEAD, "::1", 0 },
		{ N(GET "Accept: */*\r\n" HOST "X: \xc3\xbc\r\n\r\nbody"), HTTP_HEAD, "a.example", 0 },
		/* none */
		{ N(GET "\r\n"), HTTP_NO_HOST, NULL, 0 },
		{ N(GET "Host:\r\n\r\n"), HTTP_NO_HOST, NULL, 0 },
		{ N(GET "Host: \t\r\n\r\n"), HTTP_NO_HOST, NULL, 0 },
		{ N(GET "X-Host: a.example\r\n\r\n"), HTTP_NO_HOST, NULL, 0 },
		{ N("GET / HTTP/1.0\r\n\r\n"), HTTP_NO_HOST, NULL, 0 },
		{ N("GET http://a.example/ HTTP/1.1\r\n\r\n"), HTTP_NO_HOST, NULL, 0 },
		/* two, also equal or empty ones */
		{ N(GET HOST HOST "\r\n"), HTTP_SEVERAL, NULL, 0 },
		{ N(GET HOST "X: y\r\nhost: b.example\r\n\r\n"), HTTP_SEVERAL, NULL, 0 },
		{ N(GET HOST "Host:\r\n\r\n"), HTTP_SEVERAL, NULL, 0 },
		{ N(GET "Host:\r\n" HOST "\r\n"), HTTP_SEVERAL, NULL, 0 },
		/* no hosts */
		{ N(GET "Host: a.example b.example\r\n\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N(GET "Host: a.example,b.example\r\n\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N(GET "Host: a.example/\r\n\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N(GET "Host: a.example@b.example\r\n\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N(GET "Host: http://a.example\r\n\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N(GET "Host: a..example\r\n\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N(GET "Host: a.example..\r\n\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N(GET "Host: .\r\n\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N(GET "Host: a.example:\r\n\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N(GET "Host: a.example:0\r\n\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N(GET "Host: a.example:65536\r\n\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N(GET "Host: a.example:80:90\r\n\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N(GET "Host: a.example:8x\r\n\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N(GET "Host: :80\r\n\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N(GET "Host: b\xc3\xbc" "cher\r\n\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N(GET "Host: 127.1\r\n\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N(GET "Host: 0177.0.0.1\r\n\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N(GET "Host: 127.0.0.1.\r\n\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N(GET "Host: 2130706433\r\n\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N(GET "Host: ::1\r\n\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N(GET "Host: [::1\r\n\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N(GET "Host: [::1%lo]\r\n\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N(GET "Host: [::1]x\r\n\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N(GET "Host: [192.0.2.1]\r\n\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N(GET "Host: []\r\n\r\n"), HTTP_MALFORMED, NULL, 0 },
	};

	(void)state;
	CHECK(rows);
}

static void test_targets(void **state)
{
	static const struct row rows[] = {
		{ N("GET http://a.example/x HTTP/1.1\r\n" HOST "\r\n"), HTTP_HEAD, "a.example", 0 },
		{ N("GET HTTP://A.EXAMPLE HTTP/1.1\r\n" HOST "\r\n"), HTTP_HEAD, "a.example", 0 },
		{ N("GET http://a.example:80/x HTTP/1.1\r\n" HOST "\r\n"), HTTP_HEAD, "a.example", 0 },
		{ N("GET http://a.example?q HTTP/1.1\r\nHost: a.example:80\r\n\r\n"), HTTP_HEAD, "a.example", 80 },
		{ N("GET https://a.example/ HTTP/1.1\r\n" HOST "\r\n"), HTTP_HEAD, "a.example", 0 },
		{ N("GET http://b.example/ HTTP/1.1\r\n" HOST "\r\n"), HTTP_DISAGREES, NULL, 0 },
		{ N("GET http://a.example:81/ HTTP/1.1\r\n" HOST "\r\n"), HTTP_DISAGREES, NULL, 0 },
		{ N("GET http://a.example/ HTTP/1.1\r\nHost: a.example:81\r\n\r\n"), HTTP_DISAGREES, NULL, 0 },
		{ N("GET http://192.0.2.1/ HTTP/1.1\r\n" HOST "\r\n"), HTTP_DISAGREES, NULL, 0 },
		{ N("GET http://a.example@b.example/ HTTP/1.1\r\n" HOST "\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N("GET http://b.example\\@a.example/ HTTP/1.1\r\n" HOST "\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N("GET http:///a.example/ HTTP/1.1\r\n" HOST "\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N("GET http:/a.example/ HTTP/1.1\r\n" HOST "\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N("GET ftp://a.example/ HTTP/1.1\r\n" HOST "\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N("GET a.example HTTP/1.1\r\n" HOST "\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N("GET a.example:80 HTTP/1.1\r\n" HOST "\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N("GET //b.example/ HTTP/1.1\r\n" HOST "\r\n"), HTTP_HEAD, "a.example", 0 },
		{ N("GET /http://b.example/ HTTP/1.1\r\n" HOST "\r\n"), HTTP_HEAD, "a.example", 0 },
		{ N("OPTIONS * HTTP/1.1\r\n" HOST "\r\n"), HTTP_HEAD, "a.example", 0 },
		{ N("GET * HTTP/1.1\r\n" HOST "\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N("CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n"), HTTP_HEAD, "a.example", 443 },
		{ N("CONNECT a.example:443 HTTP/1.1\r\n" HOST "\r\n"), HTTP_HEAD, "a.example", 0 },
		{ N("CONNECT b.example:443 HTTP/1.1\r\n" HOST "\r\n"), HTTP_DISAGREES, NULL, 0 },
		{ N("CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:80\r\n\r\n"), HTTP_DISAGREES, NULL, 0 },
		{ N("CONNECT a.example HTTP/1.1\r\n" HOST "\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N("CONNECT /x HTTP/1.1\r\n" HOST "\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N("CONNECT a.example:443/x HTTP/1.1\r\n" HOST "\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N("connect a.example:443 HTTP/1.1\r\n" HOST "\r\n"), HTTP_MALFORMED, NULL, 0 },
	};

	(void)state;
	CHECK(rows);
}

static void test_first_lines(void **state)
{
	static const struct row rows[] = {
		{ N("G"), HTTP_MORE, NULL, 0 },
		{ N("M-SEARCH /x HTTP/1.1\r\n" HOST "\r\n"), HTTP_HEAD, "a.example", 0 },
		{ N("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), HTTP_H2, NULL, 0 },
		{ N("PRI * HTTP/2.0\r\n"), HTTP_H2, NULL, 0 },
		{ N("PRI * HTTP/1.1\r\n" HOST "\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N(" "), HTTP_NOT_HTTP, NULL, 0 },
		{ N("\r\n" GET HOST "\r\n"), HTTP_NOT_HTTP, NULL, 0 },
		{ N("\x16\3\1\2"), HTTP_NOT_HTTP, NULL, 0 },
		{ N("GET(/ HTTP/1.1\r\n"), HTTP_NOT_HTTP, NULL, 0 },
		{ N("SSH-2.0-OpenSSH\r\n"), HTTP_NOT_HTTP, NULL, 0 },
		{ N("GET /\r\n"), HTTP_NOT_HTTP, NULL, 0 },
		{ N("GET  / HTTP/1.1\r\n"), HTTP_NOT_HTTP, NULL, 0 },
		{ N("GET / HTTP/1.1 \r\n"), HTTP_NOT_HTTP, NULL, 0 },
		{ N("GET / x HTTP/1.1\r\n"), HTTP_NOT_HTTP, NULL, 0 },
		{ N("GET\t/ HTTP/1.1\r\n"), HTTP_NOT_HTTP, NULL, 0 },
		{ N("GET /\t HTTP/1.1\r\n"), HTTP_NOT_HTTP, NULL, 0 },
		{ N("GET / http/1.1\r\n"), HTTP_NOT_HTTP, NULL, 0 },
		{ N("GET / HTTP/1.2\r\n"), HTTP_NOT_HTTP, NULL, 0 },
		{ N("GET / HTTP/0.9\r\n"), HTTP_NOT_HTTP, NULL, 0 },
		{ N("GET / HTTP/2.0\r\n"), HTTP_NOT_HTTP, NULL, 0 },
		{ N("GET / HTTP/1.10\r\n"), HTTP_NOT_HTTP, NULL, 0 },
		{ N("GET / HTTP/1.1\n"), HTTP_MALFORMED, NULL, 0 },
		{ N("GET /\r/ HTTP/1.1\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N("GET /\0 HTTP/1.1\r\n"), HTTP_NOT_HTTP, NULL, 0 },
		{ N("ABCDEFGHIJKLMNOPQRSTUVWXYZABCDE / HTTP/1.1\r\n" HOST "\r\n"), HTTP_HEAD, "a.example", 0 },
		{ N("ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFG"), HTTP_NOT_HTTP, NULL, 0 },
	};

	(void)state;
	CHECK(rows);
}

static void test_lines(void **state)
{
	static const struct row rows[] = {
		{ N(GET HOST), HTTP_MORE, NULL, 0 },
		{ N(GET HOST "\r"), HTTP_MORE, NULL, 0 },
		{ N(GET HOST "X:\r\n\r\n"), HTTP_HEAD, "a.example", 0 },
		{ N(GET HOST "X: a:b\tc\r\n\r\n"), HTTP_HEAD, "a.example", 0 },
		{ N(GET "Host: a.example\r\n .evil\r\n\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N(GET "\tX: y\r\n" HOST "\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N(GET "Host: a.example\n\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N(GET "Host: a.example\r\n\n"), HTTP_MALFORMED, NULL, 0 },
		{ N(GET "X: a\rHost: b.example\r\n" HOST "\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N(GET "X: a\nHost: b.example\r\n" HOST "\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N(GET "X: a\r\r\n" HOST "\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N(GET "X: a\0b\r\n" HOST "\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N(GET "X: a\x7f\r\n" HOST "\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N(GET "X: a\x0b\r\n" HOST "\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N(GET "Host : a.example\r\n\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N(GET "Host\t: a.example\r\n\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N(GET ": a.example\r\n" HOST "\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N(GET "Host a.example\r\n" HOST "\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N(GET "Ho st: b.example\r\n" HOST "\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N(GET "H\xc3st: b.example\r\n" HOST "\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N(GET "Content_Length: 5\r\n" HOST "\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N(GET "Transfer_Encoding: chunked\r\n" HOST "\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N(GET "X_Length: 5\r\n" HOST "\r\n"), HTTP_HEAD, "a.example", 0 },
	};

	(void)state;
	CHECK(rows);
}

#define POST "POST / HTTP/1.1\r\n" HOST

static void test_body_lines(void **state)
{
	static const struct row rows[] = {
		{ N(POST "Content-Length: 5\r\n\r\n"), HTTP_HEAD, "a.example", 0 },
		{ N(POST "Content-Length: 999999999999999999\r\n\r\n"), HTTP_HEAD, "a.example", 0 },
		{ N(POST "Content-Length: 1000000000000000000\r\n\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N(POST "Content-Length: 5\r\nContent-Length: 5\r\n\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N(POST "Content-Length: 5\r\ncontent-length: 6\r\n\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N(POST "Content-Length: 0\r\nContent-Length: 0\r\n\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N(POST "Content-Length: 5, 5\r\n\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N(POST "Content-Length: +5\r\n\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N(POST "Content-Length: -5\r\n\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N(POST "Content-Length: 05\r\n\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N(POST "Content-Length: 0x5\r\n\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N(POST "Content-Length: 5 5\r\n\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N(POST "Content-Length: 1_0\r\n\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N(POST "Content-Length:\r\n\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N(POST "Transfer-Encoding: Chunked\r\n\r\n"), HTTP_HEAD, "a.example", 0 },
		{ N(POST "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N(POST "Content-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N(POST "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N(POST "Transfer-Encoding: chunked, identity\r\n\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N(POST "Transfer-Encoding: gzip, chunked\r\n\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N(POST "Transfer-Encoding: identity\r\n\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N(POST "Transfer-Encoding: xchunked\r\n\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N(POST "Transfer-Encoding: chunked;q=1\r\n\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N(POST "Transfer-Encoding:\r\n\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N("POST / HTTP/1.0\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N(POST "Expect: 100-Continue\r\n\r\n"), HTTP_HEAD, "a.example", 0 },
		{ N(POST "Expect: 200-ok\r\n\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N("CONNECT a.example:1 HTTP/1.1\r\n" HOST "Content-Length: 5\r\n\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N(POST "Connection: keep-alive, host\r\n\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N(POST "Connection: Transfer-Encoding\r\n\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N(POST "Connection: a b\r\n\r\n"), HTTP_MALFORMED, NULL, 0 },
		{ N(POST "Connection: ,x-own,,\r\n\r\n"), HTTP_HEAD, "a.example", 0 },
	};

	(void)state;
	CHECK(rows);
}

static void test_what_a_head_says(void **state)
{
	static const struct {
		const char *p;
		size_t n;
		bool close, upgrade, opaque, expect;
		enum http_body_kind body;
		uint64_t length;
		const char *path;
	} rows[] = {
		{ N(GET HOST "\r\n"), 0, 0, 0, 0, HTTP_BODY_NONE, 0, "/" },
		{ N("GET http://a.example/p?q HTTP/1.1\r\n" HOST "\r\n"), 0, 0, 0, 0, HTTP_BODY_NONE, 0, "/p?q" },
		{ N("GET http://a.example?q HTTP/1.1\r\n" HOST "\r\n"), 0, 0, 0, 0, HTTP_BODY_NONE, 0, "?q" },
		{ N("GET http://a.example HTTP/1.1\r\n" HOST "\r\n"), 0, 0, 0, 0, HTTP_BODY_NONE, 0, "" },
		{ N(GET HOST "Connection: Close\r\n\r\n"), 1, 0, 0, 0, HTTP_BODY_NONE, 0, "/" },
		{ N(GET HOST "Connection: keep-alive, close\r\n\r\n"), 1, 0, 0, 0, HTTP_BODY_NONE, 0, "/" },
		{ N("GET / HTTP/1.0\r\n" HOST "\r\n"), 1, 0, 0, 0, HTTP_BODY_NONE, 0, "/" },
		{ N("GET / HTTP/1.0\r\n" HOST "Connection: keep-alive\r\n\r\n"), 0, 0, 0, 0, HTTP_BODY_NONE, 0, "/" },
		{ N(GET HOST "Connection: x, Upgrade\r\nUpgrade: websocket\r\n\r\n"), 0, 1, 1, 0, HTTP_BODY_NONE, 0, "/" },
		{ N(GET HOST "Connection: upgrade\r\nUpgrade: WebSocket, websocket\r\n\r\n"), 0, 1, 1, 0, HTTP_BODY_NONE, 0, "/" },
		{ N(GET HOST "Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n"), 0, 0, 0, 0, HTTP_BODY_NONE, 0, "/" },
		{ N(GET HOST "Connection: Upgrade\r\nUpgrade: websocket,h2c\r\n\r\n"), 0, 0, 0, 0, HTTP_BODY_NONE, 0, "/" },
		{ N(GET HOST "Connection: Upgrade\r\nUpgrade: h2c\r\nUpgrade: websocket\r\n\r\n"), 0, 0, 0, 0, HTTP_BODY_NONE, 0, "/" },
		{ N(GET HOST "Connection: Upgrade\r\n\r\n"), 0, 0, 0, 0, HTTP_BODY_NONE, 0, "/" },
		{ N(GET HOST "Upgrade: websocket\r\n\r\n"), 0, 0, 0, 0, HTTP_BODY_NONE, 0, "/" },
		{ N("CONNECT a.example:1 HTTP/1.1\r\n" HOST "\r\n"), 0, 0, 1, 0, HTTP_BODY_NONE, 0, "" },
		{ N(POST "Expect: 100-continue\r\nContent-Length: 7\r\n\r\n"), 0, 0, 0, 1, HTTP_BODY_LENGTH, 7, "/" },
		{ N(POST "Content-Length: 0\r\n\r\n"), 0, 0, 0, 0, HTTP_BODY_NONE, 0, "/" },
		{ N(POST "Transfer-Encoding: chunked\r\n\r\n"), 0, 0, 0, 0, HTTP_BODY_CHUNKED, 0, "/" },
	};
	struct http_head h;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		http_head_init(&h);
		assert_int_equal(http_head_read(&h, (const uint8_t *)rows[i].p, rows[i].n), HTTP_HEAD);
		if (h.close != rows[i].close || h.upgrade != rows[i].upgrade ||
		    h.opaque != rows[i].opaque || h.expect != rows[i].expect ||
		    h.body != rows[i].body || h.length != rows[i].length)
			fail_msg("'%s' is understood as something else", rows[i].p);
		assert_int_equal(h.head_n, rows[i].n);
		assert_int_equal(h.path_at.n, strlen(rows[i].path));
		assert_memory_equal(rows[i].p + h.path_at.at, rows[i].path, h.path_at.n);
	}
}

/* The head's end at 16,384 bytes, and behind it; 128 and 129 lines. */
static void test_limits(void **state)
{
	static uint8_t p[HTTP_HEAD_MAX + 100];
	struct http_head h;

	(void)state;
	for (size_t n = HTTP_HEAD_MAX; n <= HTTP_HEAD_MAX + 1; n++) {
		memset(p, 'x', sizeof(p));
		memcpy(p, GET HOST "X: ", sizeof(GET HOST "X: ") - 1);
		memcpy(p + n - 4, "\r\n\r\n", 4);
		http_head_init(&h);
		assert_int_equal(http_head_read(&h, p, sizeof(p)),
				 n == HTTP_HEAD_MAX ? HTTP_HEAD : HTTP_TOO_LONG);
	}
	/* a Host that comes after the limit */
	memset(p, 'x', sizeof(p));
	memcpy(p, GET "X: ", sizeof(GET "X: ") - 1);
	memcpy(p + HTTP_HEAD_MAX, "\r\n" HOST "\r\n", sizeof("\r\n" HOST "\r\n") - 1);
	http_head_init(&h);
	assert_int_equal(http_head_read(&h, p, sizeof(p)), HTTP_TOO_LONG);
	for (size_t lines = HTTP_FIELDS_MAX; lines <= HTTP_FIELDS_MAX + 1; lines++) {
		size_t n = sizeof(GET HOST) - 1;

		memcpy(p, GET HOST, n);
		for (size_t i = 1; i < lines; i++, n += 4)
			memcpy(p + n, "X:\r\n", 4);
		memcpy(p + n, "\r\n", 2);
		http_head_init(&h);
		assert_int_equal(http_head_read(&h, p, n + 2),
				 lines == HTTP_FIELDS_MAX ? HTTP_HEAD : HTTP_TOO_LONG);
	}
}

/* The body in every pair of pieces, and byte by byte. */
static void check_body(const struct http_head *h, const char *p, size_t n, enum http_verdict want,
		       size_t want_used)
{
	for (size_t cut = 0; cut <= n + 1; cut++) {
		struct http_body b;
		size_t at = 0, used;
		enum http_verdict v;

		http_body_init(&b, h);
		do {
			size_t end = cut > n ? at + 1 : at < cut ? cut : n;

			if (end > n)
				end = n;
			v = http_body_read(&b, (const uint8_t *)p + at, end - at, &used);
			assert_true(used <= end - at && (v != HTTP_MORE || used == end - at));
			at += used;
		} while (v == HTTP_MORE && at < n);
		if (v != want || at != want_used)
			fail_msg("'%s' cut at %zu: verdict %d, %zu bytes", p, cut, v, at);
	}
}

static void test_bodies(void **state)
{
	static const struct {
		const char *p;
		size_t n;
		enum http_verdict want;
		size_t used;
	} rows[] = {
		{ N("0\r\n\r\nGET"), HTTP_END, 5 },
		{ N("3\r\nabc\r\n0\r\n\r\nGET"), HTTP_END, 13 },
		{ N("0000A\r\n0123456789\r\n000\r\n\r\n"), HTTP_END, 26 },
		{ N("1;x=\"y\"\r\na\r\n0;z\r\n\r\n"), HTTP_END, 19 },
		{ N("0\r\nX: y\r\nZ:\r\n\r\nGET"), HTTP_END, 15 },
		{ N(""), HTTP_MORE, 0 },
		{ N("3\r\nab"), HTTP_MORE, 5 },
		{ N("0\r\n"), HTTP_MORE, 3 },
		{ N("0\r\n\r"), HTTP_MORE, 4 },
		{ N("\r\n"), HTTP_MALFORMED, 0 },
		{ N("g\r\n"), HTTP_MALFORMED, 0 },
		{ N("0x5\r\n"), HTTP_MALFORMED, 1 },
		{ N("-1\r\n"), HTTP_MALFORMED, 0 },
		{ N(" 1\r\n"), HTTP_MALFORMED, 0 },
		{ N("1 \r\n"), HTTP_MALFORMED, 1 },
		{ N("1\n"), HTTP_MALFORMED, 1 },
		{ N("1\rx"), HTTP_MALFORMED, 2 },
		{ N("1;\n\r\n"), HTTP_MALFORMED, 2 },
		{ N("1;\0\r\n"), HTTP_MALFORMED, 2 },
		{ N("1;a\rb"), HTTP_MALFORMED, 4 },
		{ N("1\r\nab"), HTTP_MALFORMED, 4 },
		{ N("1\r\na\n"), HTTP_MALFORMED, 4 },
		{ N("1\r\na\rb"), HTTP_MALFORMED, 5 },
		{ N("1000000000000000"), HTTP_MALFORMED, 15 },
		{ N("0000000000000001"), HTTP_MALFORMED, 15 },
		{ N("0\r\n x\r\n"), HTTP_MALFORMED, 3 },
		{ N("0\r\n:x\r\n"), HTTP_MALFORMED, 3 },
		{ N("0\r\nX y\r\n"), HTTP_MALFORMED, 4 },
		{ N("0\r\nX\r\n"), HTTP_MALFORMED, 4 },
		{ N("0\r\nX: y\n"), HTTP_MALFORMED, 7 },
		{ N("0\r\n\n"), HTTP_MALFORMED, 3 },
		{ N("0\r\nHOST: b\r\n"), HTTP_MALFORMED, 7 },
		{ N("0\r\nContent_Length: 1\r\n"), HTTP_MALFORMED, 17 },
		{ N("0\r\ntransfer-encoding: chunked\r\n"), HTTP_MALFORMED, 20 },
	};
	struct http_head h = { .body = HTTP_BODY_CHUNKED };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		check_body(&h, rows[i].p, rows[i].n, rows[i].want, rows[i].used);
	h.body = HTTP_BODY_LENGTH;
	h.length = 5;
	check_body(&h, N("abcdeGET"), HTTP_END, 5);
	check_body(&h, N("abcde"), HTTP_END, 5);
	check_body(&h, N("abcd"), HTTP_MORE, 4);
	h.body = HTTP_BODY_NONE;
	check_body(&h, N("GET"), HTTP_END, 0);
	check_body(&h, N(""), HTTP_END, 0);
}

static void test_body_limits(void **state)
{
	static uint8_t p[HTTP_TRAILER_MAX + 100];
	struct http_head h = { .body = HTTP_BODY_CHUNKED };
	struct http_body b;
	size_t used;

	(void)state;
	memset(p, 'x', sizeof(p));
	memcpy(p, "0\r\nX:", 5);
	http_body_init(&b, &h);
	assert_int_equal(http_body_read(&b, p, 3 + HTTP_TRAILER_MAX, &used), HTTP_MORE);
	assert_int_equal(http_body_read(&b, p, 1, &used), HTTP_MALFORMED);
	memcpy(p, "1;xx", 4);
	http_body_init(&b, &h);
	assert_int_equal(http_body_read(&b, p, 2 + HTTP_EXTENSION_MAX, &used), HTTP_MORE);
	assert_int_equal(http_body_read(&b, p + 9, 1, &used), HTTP_MALFORMED);
	/* a chunk of 2^60 - 1 bytes is counted, not kept */
	http_body_init(&b, &h);
	assert_int_equal(http_body_read(&b, (const uint8_t *)"fffffffffffffff\r\n", 17, &used), HTTP_MORE);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(http_body_read(&b, p, sizeof(p), &used), HTTP_MORE);
	assert_true(b.left == (UINT64_C(1) << 60) - 1 - 1000 * sizeof(p));
}

/* Three requests behind each other; the second one's body looks like a request. */
static void test_a_connection(void **state)
{
	static const char wire[] = POST "Content-Length: 3\r\n\r\nabc"
		"POST / HTTP/1.1\r\nHost: b.example\r\nTransfer-Encoding: chunked\r\n\r\n"
		"1e\r\n" GET "Host: evil\r\n\r\n\r\n0\r\n\r\n"
		"GET / HTTP/1.1\r\nHost: c.example\r\n\r\n";
	static const char *const hosts[] = { "a.example", "b.example", "c.example" };
	const uint8_t *p = (const uint8_t *)wire;
	size_t n = sizeof(wire) - 1, at = 0, used;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct http_head h;
		struct http_body b;

		http_head_init(&h);
		assert_int_equal(http_head_read(&h, p + at, n - at), HTTP_HEAD);
		assert_string_equal(h.host, hosts[i]);
		at += h.head_n;
		http_body_init(&b, &h);
		assert_int_equal(http_body_read(&b, p + at, n - at, &used), HTTP_END);
		at += used;
	}
	assert_int_equal(at, n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hosts),	     cmocka_unit_test(test_targets),
		cmocka_unit_test(test_first_lines),  cmocka_unit_test(test_lines),
		cmocka_unit_test(test_body_lines),   cmocka_unit_test(test_what_a_head_says),
		cmocka_unit_test(test_limits),	     cmocka_unit_test(test_bodies),
		cmocka_unit_test(test_body_limits),  cmocka_unit_test(test_a_connection),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
