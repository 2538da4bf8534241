/* Decides whether TLS or HTTP names the host of the rule.  The bytes are read by
 * tls_hello.c, http_head.c and http_body.c. */
#include "runtime/egress/peek.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum pb_peek peek_kind(enum pb_peek rule, uint16_t port)
{
	if (rule != PB_PEEK_PORT)
		return rule;
	switch (port) {
	case 443:
	case 8443:
		return PB_PEEK_TLS;
	case 80:
	case 8080:
		return PB_PEEK_HTTP;
	default:
		return PB_PEEK_NONE;
	}
}

void peek_init(struct peek *k, enum pb_peek kind, const char *name, size_t name_n)
{
	*k = (struct peek){ .kind = kind, .step = PEEK_FIRST, .name = name,
			    .name_n = name_n };
}

void peek_release(struct peek *k)
{
	free(k->hello);
	free(k->head);
	k->hello = NULL;
	k->head = NULL;
}

static void refuse(struct peek_verdict *ret, enum gate_why why, const char *text)
{
	ret->answer = PEEK_REFUSE;
	ret->why = why;
	(void)snprintf(ret->text, sizeof(ret->text), "%s", text);
}

static void pass(struct peek_verdict *ret, uint64_t n)
{
	ret->answer = PEEK_PASS;
	ret->pass = n;
}

static bool is_name(const struct peek *k, const char *name, size_t n)
{
	return n == k->name_n && memcmp(name, k->name, n) == 0;
}

/* --- TLS --------------------------------------------------------------------------- */

enum {
	RECORD_HEAD = 5, /* type, version, length */
	RECORD_CIPHER = 20, RECORD_ALERT, RECORD_HANDSHAKE, RECORD_DATA,
	CLIENT_HELLO = 1, SERVER_HELLO = 2,
	RANDOM_AT = RECORD_HEAD + 6, RANDOM_END = RANDOM_AT + 32
};

static void hello(struct peek *k, const uint8_t *p, size_t n, bool eof,
		  struct peek_verdict *ret)
{
	enum tls_hello_verdict v;

	if (!k->hello) {
		k->hello = malloc(sizeof(*k->hello));
		if (!k->hello) {
			refuse(ret, GATE_W_LIMIT, "out of memory");
			return;
		}
		tls_hello_init(k->hello);
		k->seen = 0;
	}
	v = tls_hello_add(k->hello, p + k->seen, n - k->seen);
	k->seen = n;
	switch (v) {
	case TLS_HELLO_MORE:
		if (eof)
			refuse(ret, GATE_W_PROTOCOL, "the ClientHello ends early");
		return;
	case TLS_HELLO_NAME:
		if (!is_name(k, k->hello->name, k->hello->name_n)) {
			refuse(ret, GATE_W_SNI, k->hello->name);
			return;
		}
		/* a third one is an error for both ends */
		if (k->step == PEEK_FIRST) {
			k->step = PEEK_SERVER;
			pass(ret, k->hello->wire);
		} else {
			k->step = PEEK_ALL;
			pass(ret, UINT64_MAX);
		}
		free(k->hello);
		k->hello = NULL;
		return;
	case TLS_HELLO_NO_SNI:
	case TLS_HELLO_SEVERAL:
		refuse(ret, GATE_W_SNI, tls_hello_text(v));
		return;
	case TLS_HELLO_MALFORMED:
	case TLS_HELLO_NOT_TLS:
	case TLS_HELLO_TOO_LONG:
		break;
	}
	refuse(ret, GATE_W_PROTOCOL, tls_hello_text(v));
}

/* Before the second hello a client may send a change of ciphers that changes nothing, and
 * the rest of what it sent too early; the server drops both. */
static void again(struct peek *k, const uint8_t *p, size_t n, bool eof,
		  struct peek_verdict *ret)
{
	if (n <= RECORD_HEAD) {
		if (n == 0 && eof)
			pass(ret, UINT64_MAX);
		else if (eof)
			refuse(ret, GATE_W_PROTOCOL, "the second ClientHello ends early");
		return;
	}
	switch (p[0]) {
	case RECORD_CIPHER:
	case RECORD_DATA:
		pass(ret, RECORD_HEAD + ((uint64_t)p[3] << 8 | p[4]));
		return;
	case RECORD_ALERT:
		break;
	case RECORD_HANDSHAKE:
		if (p[RECORD_HEAD] == CLIENT_HELLO) {
			hello(k, p, n, eof, ret);
			return;
		}
		break; /* of an older version: a server that speaks it reads no hello here */
	default:
		refuse(ret, GATE_W_PROTOCOL, tls_hello_text(TLS_HELLO_NOT_TLS));
		return;
	}
	k->step = PEEK_ALL;
	pass(ret, UINT64_MAX);
}

/* False: more bytes of the server are needed. */
static bool server_hello(struct peek *k, const uint8_t *p, size_t n, bool eof)
{
	/* the digest of "HelloRetryRequest" in the place of random bytes */
	static const uint8_t retry[] = {
		0xcf, 0x21, 0xad, 0x74, 0xe5, 0x9a, 0x61, 0x11, 0xbe, 0x1d, 0x8c,
		0x02, 0x1e, 0x65, 0xb8, 0x91, 0xc2, 0xa2, 0x11, 0x16, 0x7a, 0xbb,
		0x8c, 0x5e, 0x07, 0x9e, 0x09, 0xe2, 0xc8, 0xa8, 0x33, 0x9c,
	};
	bool is_hello = n > RECORD_HEAD && p[0] == RECORD_HANDSHAKE &&
			p[RECORD_HEAD] == SERVER_HELLO;
	size_t length = n > RECORD_HEAD ? (size_t)p[3] << 8 | p[4] : 0;

	if (!eof && (n <= RECORD_HEAD || (is_hello && n < RANDOM_END && n < RECORD_HEAD + length)))
		return false;
	/* one that is cut into small records is taken for the worse */
	k->step = is_hello && (n < RANDOM_END || length < RANDOM_END - RECORD_HEAD ||
			       memcmp(p + RANDOM_AT, retry, sizeof(retry)) == 0) ?
			  PEEK_AGAIN : PEEK_ALL;
	return true;
}

/* --- HTTP ------------------------------------------------------------------------- */

/* What comes after this request. */
static void after(struct peek *k)
{
	k->step = k->upgrade ? PEEK_SERVER : k->close ? PEEK_LAST : PEEK_HEAD;
}

static void head_is_whole(struct peek *k, struct peek_verdict *ret)
{
	const struct http_head *h = k->head;
	uint64_t n = h->head_n;

	if (h->host_kind != HTTP_HOST_NAME || !is_name(k, h->host, h->host_n)) {
		refuse(ret, GATE_W_HOST, h->host);
		return;
	}
	if (h->method == HTTP_CONNECT) {
		refuse(ret, GATE_W_PROTOCOL, "CONNECT leads to another host");
		return;
	}
	k->close = h->close;
	/* Whether a server upgrades can only be seen at its first answer: all others are
	   held to HTTP. */
	k->upgrade = h->upgrade && k->step == PEEK_FIRST && h->body != HTTP_BODY_CHUNKED;
	http_body_init(&k->body, h);
	if (h->body == HTTP_BODY_CHUNKED) {
		k->step = PEEK_BODY;
	} else {
		if (h->body == HTTP_BODY_LENGTH)
			n = h->length < UINT64_MAX / 2 ? n + h->length : UINT64_MAX - 1;
		after(k);
	}
	pass(ret, n);
}

static void head(struct peek *k, const uint8_t *p, size_t n, bool eof,
		 struct peek_verdict *ret)
{
	enum http_verdict v;

	if (n == 0 && eof) {
		k->step = PEEK_ALL; /* there is nothing left to pass but the end */
		pass(ret, UINT64_MAX);
		return;
	}
	if (n == 0)
		return;
	if (!k->head) {
		k->head = malloc(sizeof(*k->head));
		if (!k->head) {
			refuse(ret, GATE_W_LIMIT, "out of memory");
			return;
		}
		http_head_init(k->head);
	}
	v = http_head_read(k->head, p, n);
	switch (v) {
	case HTTP_MORE:
		if (eof)
			refuse(ret, GATE_W_PROTOCOL, "the request's head ends early");
		return;
	case HTTP_HEAD:
		head_is_whole(k, ret);
		break;
	case HTTP_NO_HOST:
	case HTTP_SEVERAL:
	case HTTP_DISAGREES:
		refuse(ret, GATE_W_HOST, http_text(v));
		break;
	case HTTP_END:
	case HTTP_MALFORMED:
	case HTTP_NOT_HTTP:
	case HTTP_TOO_LONG:
	case HTTP_H2:
		refuse(ret, GATE_W_PROTOCOL, http_text(v));
		break;
	}
	free(k->head);
	k->head = NULL;
}

/* True: the body is over, and the next step has these bytes. */
static bool body(struct peek *k, const uint8_t *p, size_t n, bool eof,
		 struct peek_verdict *ret)
{
	size_t used = 0;
	enum http_verdict v = http_body_read(&k->body, p, n, &used);

	if (v != HTTP_MORE && v != HTTP_END) {
		refuse(ret, GATE_W_PROTOCOL, "the request's chunks are malformed");
		return false;
	}
	if (v == HTTP_END)
		after(k);
	if (used > 0)
		pass(ret, used);
	else if (v == HTTP_MORE && eof)
		refuse(ret, GATE_W_PROTOCOL, "the request's body ends early");
	return v == HTTP_END && used == 0;
}

void peek_client(struct peek *k, const uint8_t *p, size_t n, bool eof,
		 struct peek_verdict *ret)
{
	*ret = (struct peek_verdict){ .answer = PEEK_MORE };
	if (k->step == PEEK_BODY && !body(k, p, n, eof, ret))
		return;
	switch (k->step) {
	case PEEK_FIRST:
	case PEEK_HEAD:
		if (k->kind == PB_PEEK_TLS)
			hello(k, p, n, eof, ret);
		else if (k->kind == PB_PEEK_HTTP)
			head(k, p, n, eof, ret);
		else
			refuse(ret, GATE_W_PROTOCOL, "an unknown protocol");
		return;
	case PEEK_SERVER:
		ret->answer = PEEK_WATCH;
		return;
	case PEEK_AGAIN:
		again(k, p, n, eof, ret);
		return;
	case PEEK_LAST:
		/* old clients end a body with an empty line: it stays where it is, since a
		   reset would take the answer with it */
		if (n == 1 ? p[0] == '\r' : n == 2 && p[0] == '\r' && p[1] == '\n')
			return;
		if (n > 0)
			refuse(ret, GATE_W_PROTOCOL, "a request after the last one");
		else if (eof)
			pass(ret, UINT64_MAX);
		return;
	case PEEK_ALL:
		pass(ret, UINT64_MAX);
		return;
	case PEEK_BODY:
		return;
	}
}

bool peek_server(struct peek *k, const uint8_t *p, size_t n, bool eof)
{
	static const char yes[] = "HTTP/1.1 101";
	size_t len = sizeof(yes) - 1;
	bool same;

	if (k->kind == PB_PEEK_TLS)
		return server_hello(k, p, n, eof);
	same = memcmp(p, yes, n < len ? n : len) == 0;
	if (same && n < len && !eof)
		return false;
	k->upgrade = false;
	if (same && n >= len)
		k->step = PEEK_ALL;
	else
		after(k);
	return true;
}
