/* Rewrites the head of a request (inject_head.h). */
#include "runtime/egress/inject_head.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "runtime/egress/inject.h"

/* Methods that make a server show the request that it got, header and all, or tunnel.  Methods
 * have case, but not every server knows that. */
static bool is_closed_method(const struct http_head *h, const uint8_t *p)
{
	static const char *const closed[] = { "CONNECT", "TRACE", "TRACK", "DEBUG" };

	for (size_t i = 0; i < sizeof(closed) / sizeof(*closed); i++)
		if (h->method_at.n == strlen(closed[i]) &&
		    strncasecmp((const char *)p + h->method_at.at, closed[i], h->method_at.n) == 0)
			return true;
	return false;
}

/* Does a line of this field have the word, in a list with commas? */
static bool lists(const struct http_head *h, const uint8_t *p, enum http_field_id id,
		  const char *name, size_t n)
{
	for (size_t i = 0; i < h->field_n; i++) {
		const char *v = (const char *)p + h->fields[i].value.at;
		const char *end = v + h->fields[i].value.n;

		if (h->fields[i].id != id)
			continue;
		while (v < end) {
			const char *comma = memchr(v, ',', (size_t)(end - v));
			const char *stop = comma ? comma : end, *word = v;

			v = comma ? comma + 1 : end;
			while (word < stop && (*word == ' ' || *word == '\t'))
				word++;
			while (stop > word && (stop[-1] == ' ' || stop[-1] == '\t'))
				stop--;
			if (http_same_field(word, (size_t)(stop - word), name, n))
				return true;
		}
	}
	return false;
}

const char *inject_refuses(const struct http_head *h, const uint8_t *p, const char *name,
			   enum gate_why *ret_why)
{
	*ret_why = GATE_W_HOST;
	if (h->host_kind != HTTP_HOST_NAME || strcmp(h->host, name) != 0)
		return "the request is for another host";
	if (h->port && h->port != INJECT_PORT)
		return "the request is for another port";
	*ret_why = GATE_W_PROTOCOL;
	if (is_closed_method(h, p))
		return "CONNECT, TRACE and their like are not passed on";
	/* Without its Upgrade the server would answer something else, and no client of
	   WebSocket could say why.  Other upgrades are offers that a server may decline:
	   only the offer is left out. */
	if (lists(h, p, HTTP_F_CONNECTION, "upgrade", 7) && lists(h, p, HTTP_F_UPGRADE, "websocket", 9))
		return "WebSocket does not pass a rule with inject";
	return NULL;
}

struct out {
	char *p;
	size_t n, size;
};

static void put(struct out *o, const char *p, size_t n)
{
	if (n && o->n <= o->size && n <= o->size - o->n)
		memcpy(o->p + o->n, p, n);
	o->n += n;
}

static void put_text(struct out *o, const char *s)
{
	put(o, s, strlen(s));
}

static void put_span(struct out *o, const uint8_t *p, struct http_span s)
{
	put(o, (const char *)p + s.at, s.n);
}

static bool is_dropped(const struct http_head *h, const uint8_t *p,
		       const struct http_field *f, const struct inject_header *add)
{
	static const char proxy[] = "proxy-";
	const char *name = (const char *)p + f->name.at;

	switch (f->id) {
	case HTTP_F_HOST:
	case HTTP_F_CONNECTION:
	case HTTP_F_KEEP_ALIVE:
	case HTTP_F_PROXY_CONNECTION:
	case HTTP_F_UPGRADE:
	case HTTP_F_TE:
	case HTTP_F_HTTP2_SETTINGS:
		return true;
	case HTTP_F_CONTENT_LENGTH:
	case HTTP_F_TRANSFER_ENCODING:
	case HTTP_F_EXPECT:
		return false;
	case HTTP_F_TRAILER:
	case HTTP_F_OTHER:
	case HTTP_F_COUNT:
		break;
	}
	if (f->name.n >= sizeof(proxy) - 1 &&
	    strncasecmp(name, proxy, sizeof(proxy) - 1) == 0)
		return true;
	return http_same_field(name, f->name.n, add->name, add->name_n) ||
	       lists(h, p, HTTP_F_CONNECTION, name, f->name.n);
}

static void put_request_line(struct out *o, const struct http_head *h, const uint8_t *p)
{
	put_span(o, p, h->method_at);
	put_text(o, " ");
	if (h->target == HTTP_ASTERISK)
		put_text(o, "*");
	else if (h->path_at.n == 0)
		put_text(o, h->method == HTTP_OPTIONS ? "*" : "/");
	else if (p[h->path_at.at] != '/')
		put_text(o, "/");
	put_span(o, p, h->path_at);
	put_text(o, h->http10 ? " HTTP/1.0\r\n" : " HTTP/1.1\r\n");
}

size_t inject_head(const struct http_head *h, const uint8_t *p, const char *host,
		   uint16_t port, const struct inject_header *add, char *out,
		   size_t size)
{
	struct out o = { out, 0, size };
	char number[16];

	put_request_line(&o, h, p);
	put_text(&o, "Host: ");
	put_text(&o, host);
	if (port != 443) {
		(void)snprintf(number, sizeof(number), ":%u", (unsigned)port);
		put_text(&o, number);
	}
	put_text(&o, "\r\n");
	for (size_t i = 0; i < h->field_n; i++) {
		const struct http_field *f = &h->fields[i];

		if (is_dropped(h, p, f, add))
			continue;
		put_span(&o, p, f->name);
		put_text(&o, ": ");
		put_span(&o, p, f->value);
		put_text(&o, "\r\n");
	}
	if (h->close)
		put_text(&o, "Connection: close\r\n");
	else if (h->http10)
		put_text(&o, "Connection: keep-alive\r\n");
	put(&o, add->name, add->name_n);
	put_text(&o, ": ");
	put(&o, add->prefix, add->prefix_n);
	put(&o, add->value, add->value_n);
	put_text(&o, "\r\n\r\n");
	return o.n <= size ? o.n : 0;
}
