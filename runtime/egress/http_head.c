/*
 * Reads the head of an HTTP/1.x request (http_head.h): lines as their last byte
 * arrives, and what they say together when the empty line does.
 */
#include "runtime/egress/http_head.h"

#include <string.h>
#include <strings.h>

#include "runtime/egress/http_host.h"

#define METHOD_MAX 32
#define LENGTH_DIGITS 18 /* below 2^63 */

struct text {
	const char *p;
	size_t n;
};

static const struct {
	const char *name;
	enum http_field_id id;
} field_names[] = {
	{ "host", HTTP_F_HOST },
	{ "content-length", HTTP_F_CONTENT_LENGTH },
	{ "transfer-encoding", HTTP_F_TRANSFER_ENCODING },
	{ "connection", HTTP_F_CONNECTION },
	{ "keep-alive", HTTP_F_KEEP_ALIVE },
	{ "proxy-connection", HTTP_F_PROXY_CONNECTION },
	{ "upgrade", HTTP_F_UPGRADE },
	{ "expect", HTTP_F_EXPECT },
	{ "te", HTTP_F_TE },
	{ "trailer", HTTP_F_TRAILER },
	{ "http2-settings", HTTP_F_HTTP2_SETTINGS },
};

static const struct {
	const char *name;
	enum http_method method;
} methods[] = {
	{ "GET", HTTP_GET },         { "HEAD", HTTP_HEAD_METHOD },
	{ "POST", HTTP_POST },       { "OPTIONS", HTTP_OPTIONS },
	{ "CONNECT", HTTP_CONNECT }, { "TRACE", HTTP_TRACE },
};

static enum http_verdict malformed(struct http_head *h, const char *what)
{
	h->what = what;
	return HTTP_MALFORMED;
}

bool http_is_token(uint8_t c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z') || (c && strchr("!#$%&'*+-.^_`|~", c));
}

/* In lower case; one sign for all that is neither letter nor digit. */
static char folded(char c)
{
	if (c >= 'A' && c <= 'Z')
		return (char)(c + ('a' - 'A'));
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ? c : '-';
}

bool http_same_field(const char *a, size_t a_n, const char *b, size_t b_n)
{
	if (a_n != b_n)
		return false;
	for (size_t i = 0; i < a_n; i++)
		if (folded(a[i]) != folded(b[i]))
			return false;
	return true;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_tokens(struct text t)
{
	for (size_t i = 0; i < t.n; i++)
		if (!http_is_token((uint8_t)t.p[i]))
			return false;
	return t.n > 0;
}

static bool equals(struct text t, const char *lower)
{
	return t.n == strlen(lower) && strncasecmp(t.p, lower, t.n) == 0;
}

static struct text trimmed(struct text t)
{
	while (t.n && is_blank(t.p[0])) {
		t.p++;
		t.n--;
	}
	while (t.n && is_blank(t.p[t.n - 1]))
		t.n--;
	return t;
}

/* --- lines ----------------------------------------------------------------------- */

static struct http_span span(const uint8_t *p, struct text t)
{
	return (struct http_span){ (uint32_t)((const uint8_t *)t.p - p),
				   (uint32_t)t.n };
}

static struct text at(const uint8_t *p, struct http_span s)
{
	return (struct text){ (const char *)p + s.at, s.n };
}

/* The scheme's length with "://", and the port that it means; 0 if it is not HTTP's. */
static size_t scheme(struct text target, uint16_t *ret_port)
{
	if (target.n > 7 && strncasecmp(target.p, "http://", 7) == 0) {
		*ret_port = 80;
		return 7;
	}
	if (target.n > 8 && strncasecmp(target.p, "https://", 8) == 0) {
		*ret_port = 443;
		return 8;
	}
	return 0;
}

static enum http_verdict read_target(struct http_head *h, const uint8_t *p,
				     struct text t)
{
	uint16_t port = 0;

	h->target_at = span(p, t);
	h->path_at = (struct http_span){ h->target_at.at + h->target_at.n, 0 };
	if (h->method == HTTP_CONNECT) {
		h->target = HTTP_AUTHORITY;
		return HTTP_MORE;
	}
	if (t.p[0] == '/') {
		h->target = HTTP_ORIGIN;
		h->path_at = h->target_at;
		return HTTP_MORE;
	}
	if (t.n == 1 && t.p[0] == '*') {
		h->target = HTTP_ASTERISK;
		return h->method == HTTP_OPTIONS ? HTTP_MORE
						 : malformed(h, "'*' without OPTIONS");
	}
	h->target = HTTP_ABSOLUTE;
	return scheme(t, &port) ? HTTP_MORE
				: malformed(h, "a target that is neither path nor URI");
}

/* METHOD SP target SP HTTP/1.0 or 1.1 */
static enum http_verdict read_request_line(struct http_head *h, const uint8_t *p,
					   struct text line)
{
	const char *end = line.p + line.n, *first, *second;
	struct text method, target, version;

	if (line.n == 14 && memcmp(line.p, "PRI * HTTP/2.0", 14) == 0)
		return HTTP_H2;
	first = memchr(line.p, ' ', line.n);
	second = first ? memchr(first + 1, ' ', (size_t)(end - first) - 1) : NULL;
	if (!second || second == first + 1)
		return HTTP_NOT_HTTP;
	method = (struct text){ line.p, (size_t)(first - line.p) };
	target = (struct text){ first + 1, (size_t)(second - first) - 1 };
	version = (struct text){ second + 1, (size_t)(end - second) - 1 };
	if (!is_tokens(method) || memchr(target.p, '\t', target.n))
		return HTTP_NOT_HTTP;
	if (version.n != 8 || memcmp(version.p, "HTTP/1.", 7) != 0 ||
	    (version.p[7] != '0' && version.p[7] != '1'))
		return HTTP_NOT_HTTP;
	h->http10 = version.p[7] == '0';
	h->method_at = span(p, method);
	for (size_t i = 0; i < sizeof(methods) / sizeof(*methods); i++)
		if (method.n == strlen(methods[i].name) &&
		    memcmp(method.p, methods[i].name, method.n) == 0)
			h->method = methods[i].method;
	return read_target(h, p, target);
}

/* Some servers read '_' as '-': a field that would then be one of ours is two things.
 */
static enum http_field_id field_of(struct text name, bool *ret_disguised)
{
	*ret_disguised = false;
	for (size_t i = 0; i < sizeof(field_names) / sizeof(*field_names); i++) {
		const char *known = field_names[i].name;
		bool same = name.n == strlen(known);

		for (size_t j = 0; same && j < name.n; j++) {
			bool dash = name.p[j] == '_' && known[j] == '-';

			*ret_disguised |= dash;
			same = dash || strncasecmp(name.p + j, known + j, 1) == 0;
		}
		if (same)
			return field_names[i].id;
		*ret_disguised = false;
	}
	return HTTP_F_OTHER;
}

static enum http_verdict read_field(struct http_head *h, const uint8_t *p,
				    struct text line)
{
	const char *colon = memchr(line.p, ':', line.n);
	struct http_field *f = &h->fields[h->field_n];
	struct text name, value;
	bool disguised;

	if (is_blank(line.p[0]))
		return malformed(h, "a folded line");
	if (!colon)
		return malformed(h, "a line without ':'");
	name = (struct text){ line.p, (size_t)(colon - line.p) };
	if (!is_tokens(name))
		return malformed(h, "a field's name with other bytes");
	if (h->field_n == HTTP_FIELDS_MAX)
		return HTTP_TOO_LONG;
	value = trimmed(
		(struct text){ colon + 1, (size_t)(line.p + line.n - colon) - 1 });
	f->id = field_of(name, &disguised);
	if (disguised)
		return malformed(h, "a field's name with '_' for '-'");
	f->name = span(p, name);
	f->value = span(p, value);
	h->field_n++;
	return HTTP_MORE;
}

/* --- what the fields say --------------------------------------------------------- */

static enum http_verdict read_length(struct http_head *h, struct text t)
{
	uint64_t v = 0;

	if (h->has_length)
		return malformed(h, "more than one Content-Length");
	if (t.n == 0 || t.n > LENGTH_DIGITS || (t.n > 1 && t.p[0] == '0'))
		return malformed(h, "a Content-Length that is no number");
	for (size_t i = 0; i < t.n; i++) {
		if (t.p[i] < '0' || t.p[i] > '9')
			return malformed(h, "a Content-Length that is no number");
		v = v * 10 + (uint64_t)(t.p[i] - '0');
	}
	h->has_length = true;
	h->length = v;
	return HTTP_MORE;
}

/* What a connection may take away (RFC 9110 7.6.1) must not be what this reader relies
 * on. */
static bool must_stay(struct text t)
{
	return equals(t, "host") || equals(t, "content-length") ||
	       equals(t, "transfer-encoding") || equals(t, "expect");
}

static enum http_verdict read_connection(struct http_head *h, struct text t)
{
	while (t.n) {
		const char *comma = memchr(t.p, ',', t.n);
		size_t n = comma ? (size_t)(comma - t.p) : t.n;
		struct text word = trimmed((struct text){ t.p, n });

		if (word.n && (!is_tokens(word) || must_stay(word)))
			return malformed(
				h, "a Connection that takes away what has to stay");
		h->says_close |= equals(word, "close");
		h->says_keep |= equals(word, "keep-alive");
		h->says_upgrade |= equals(word, "upgrade");
		n += comma != NULL;
		t.p += n;
		t.n -= n;
	}
	return HTTP_MORE;
}

/* What a server upgrades to is read by nobody here.  Other protocols than WebSocket name a
 * host again (h2c, TLS/1.2, connect-udp): behind them the connection is held to HTTP/1. */
static void read_upgrade(struct http_head *h, struct text t)
{
	while (t.n) {
		const char *comma = memchr(t.p, ',', t.n);
		size_t n = comma ? (size_t)(comma - t.p) : t.n;
		struct text word = trimmed((struct text){ t.p, n });

		h->has_upgrade |= word.n > 0;
		h->other_upgrade |= word.n && !equals(word, "websocket");
		n += comma != NULL;
		t.p += n;
		t.n -= n;
	}
}

static enum http_verdict read_known(struct http_head *h, enum http_field_id id,
				    struct text t)
{
	switch (id) {
	case HTTP_F_CONTENT_LENGTH:
		return read_length(h, t);
	case HTTP_F_TRANSFER_ENCODING:
		if (h->body == HTTP_BODY_CHUNKED)
			return malformed(h, "more than one Transfer-Encoding");
		if (!equals(t, "chunked"))
			return malformed(h, "a Transfer-Encoding that is not chunked");
		h->body = HTTP_BODY_CHUNKED;
		return HTTP_MORE;
	case HTTP_F_CONNECTION:
		return read_connection(h, t);
	case HTTP_F_UPGRADE:
		read_upgrade(h, t);
		return HTTP_MORE;
	case HTTP_F_EXPECT:
		h->expect = equals(t, "100-continue");
		return h->expect ? HTTP_MORE
				 : malformed(h, "an Expect that is not 100-continue");
	case HTTP_F_HOST:
	case HTTP_F_OTHER:
	case HTTP_F_KEEP_ALIVE:
	case HTTP_F_PROXY_CONNECTION:
	case HTTP_F_TE:
	case HTTP_F_TRAILER:
	case HTTP_F_HTTP2_SETTINGS:
	case HTTP_F_COUNT:
		break;
	}
	return HTTP_MORE;
}

static enum http_verdict read_body_kind(struct http_head *h)
{
	if (h->body == HTTP_BODY_CHUNKED && h->has_length)
		return malformed(h,
				 "two lengths: Content-Length and Transfer-Encoding");
	if (h->body == HTTP_BODY_CHUNKED && h->http10)
		return malformed(h, "Transfer-Encoding in HTTP/1.0");
	if (h->has_length && h->length)
		h->body = HTTP_BODY_LENGTH;
	if (h->body != HTTP_BODY_NONE &&
	    (h->method == HTTP_CONNECT || h->method == HTTP_TRACE))
		return malformed(h, "a body of CONNECT or TRACE");
	h->close = h->says_close || (h->http10 && !h->says_keep);
	h->upgrade = h->says_upgrade && h->has_upgrade && !h->other_upgrade;
	h->opaque = h->upgrade || h->method == HTTP_CONNECT;
	return HTTP_MORE;
}

/* The target of CONNECT and of a proxy's request names a host as well. */
static enum http_verdict check_target(struct http_head *h, const uint8_t *p,
				      const struct http_authority *host)
{
	struct text t = at(p, h->target_at);
	struct http_authority a;
	uint16_t port = 0;
	size_t skip = 0, n;

	if (h->target != HTTP_ABSOLUTE && h->target != HTTP_AUTHORITY)
		return HTTP_MORE;
	if (h->target == HTTP_ABSOLUTE)
		skip = scheme(t, &port);
	t.p += skip;
	t.n -= skip;
	for (n = 0; n < t.n && !strchr("/?#", t.p[n]); n++)
		;
	if (h->target == HTTP_AUTHORITY && n != t.n)
		return malformed(h, "a CONNECT to what is no host and port");
	h->path_at.at = h->target_at.at + (uint32_t)(skip + n);
	h->path_at.n = (uint32_t)(t.n - n);
	if (!http_authority_read(&a, t.p, n) || (!port && !a.port))
		return malformed(h, "a target whose host is none");
	if (!http_authority_same(&a, host))
		return HTTP_DISAGREES;
	/* the Host of a CONNECT may leave its port out */
	if (!port)
		port = a.port;
	return (a.port ? a.port : port) == (host->port ? host->port : port)
		       ? HTTP_MORE
		       : HTTP_DISAGREES;
}

static enum http_verdict finish(struct http_head *h, const uint8_t *p)
{
	enum http_verdict v = HTTP_MORE;
	struct text host = { NULL, 0 };
	struct http_authority a;
	size_t hosts = 0;

	for (size_t i = 0; i < h->field_n && v == HTTP_MORE; i++) {
		v = read_known(h, h->fields[i].id, at(p, h->fields[i].value));
		if (h->fields[i].id == HTTP_F_HOST) {
			hosts++;
			host = at(p, h->fields[i].value);
		}
	}
	if (v == HTTP_MORE)
		v = read_body_kind(h);
	if (v != HTTP_MORE)
		return v;
	if (hosts > 1)
		return HTTP_SEVERAL;
	if (host.n == 0)
		return HTTP_NO_HOST;
	if (!http_authority_read(&a, host.p, host.n))
		return malformed(h, "a Host that is no host");
	v = check_target(h, p, &a);
	if (v != HTTP_MORE)
		return v;
	h->host_kind = a.kind;
	h->host_n = strlen(a.host);
	memcpy(h->host, a.host, h->host_n + 1);
	memcpy(h->addr, a.addr, sizeof(h->addr));
	h->port = a.port;
	h->head_n = h->seen;
	return HTTP_HEAD;
}

/* --- bytes ----------------------------------------------------------------------- */

void http_head_init(struct http_head *h)
{
	memset(h, 0, sizeof(*h));
	h->verdict = HTTP_MORE;
	h->what = "";
	h->in_method = true;
}

static enum http_verdict line_end(struct http_head *h, const uint8_t *p)
{
	struct text line = { (const char *)p + h->line_at, h->seen - 2 - h->line_at };

	h->line_at = (uint32_t)h->seen;
	if (h->lines++ == 0)
		return read_request_line(h, p, line);
	return line.n ? read_field(h, p, line) : finish(h, p);
}

static enum http_verdict next_byte(struct http_head *h, const uint8_t *p)
{
	uint8_t c = p[h->seen], before = h->seen ? p[h->seen - 1] : 0;

	h->seen++;
	if (h->lines == 0 && h->in_method) {
		if (c == ' ' && h->seen > 1)
			h->in_method = false;
		else if (!http_is_token(c) || h->seen > METHOD_MAX)
			return HTTP_NOT_HTTP;
	}
	if ((c == '\n') != (before == '\r'))
		return malformed(h, c == '\n' ? "a bare LF" : "a bare CR");
	if ((c < ' ' && c != '\t' && c != '\r' && c != '\n') || c == 0x7f)
		return h->lines ? malformed(h, "a control byte") : HTTP_NOT_HTTP;
	return c == '\n' ? line_end(h, p) : HTTP_MORE;
}

enum http_verdict http_head_read(struct http_head *h, const uint8_t *p, size_t n)
{
	while (h->verdict == HTTP_MORE && h->seen < n)
		h->verdict = h->seen == HTTP_HEAD_MAX ? HTTP_TOO_LONG : next_byte(h, p);
	return h->verdict;
}

const char *http_text(enum http_verdict v)
{
	switch (v) {
	case HTTP_MORE:
		return "an unfinished HTTP request";
	case HTTP_HEAD:
	case HTTP_END:
		return "an HTTP request";
	case HTTP_MALFORMED:
		return "a malformed HTTP request";
	case HTTP_NOT_HTTP:
		return "no HTTP/1.1";
	case HTTP_TOO_LONG:
		return "an HTTP head that is too long";
	case HTTP_NO_HOST:
		return "HTTP without a Host";
	case HTTP_SEVERAL:
		return "more than one Host";
	case HTTP_DISAGREES:
		return "HTTP whose target and Host disagree";
	case HTTP_H2:
		return "HTTP/2 without TLS";
	}
	return "no HTTP/1.1";
}
