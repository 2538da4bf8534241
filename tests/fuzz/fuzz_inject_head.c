/*
 * A request's head, behind one byte that chooses the port and the header, as polinject passes it
 * on.  The server's reader accepts what it gets, and finds the rule's host and nothing of the
 * program's value: the injected header stands there once, with the secret.  The body has the same
 * extent for both, and no line is about the connection to the gateway.
 */
#include <ctype.h>

#include "tests/fuzz/egress_law.h"

#include "runtime/egress/inject_head.h"

static const struct inject_header headers[] = {
	{ "Authorization", "Bearer ", "the-secret", 13, 7, 10 },
	{ "X-Api-Key", "", "the-secret", 9, 0, 10 },
};

static void law_value(const char *out, size_t n, const struct inject_header *add)
{
	size_t count = 0;
	char *value = law_field(out, n, add->name, &count);

	LAW(count == 1 && strlen(value) == add->prefix_n + add->value_n);
	LAW(memcmp(value, add->prefix, add->prefix_n) == 0);
	LAW(strcmp(value + add->prefix_n, add->value) == 0);
	free(value);
}

/* Lines of `name`, where each sign counts as '-'. */
static size_t law_count(const struct http_head *h, const uint8_t *p, const char *name)
{
	size_t n = 0;

	for (size_t i = 0; i < h->field_n; i++) {
		char *text = strndup((const char *)p + h->fields[i].name.at, h->fields[i].name.n);

		LAW(text);
		for (char *c = text; *c; c++)
			*c = isalnum((unsigned char)*c) ? *c : '-';
		n += strcasecmp(text, name) == 0;
		free(text);
	}
	return n;
}

static void law_inject(const uint8_t *p, size_t n, uint8_t seed)
{
	const struct inject_header *add = &headers[seed & 1];
	uint16_t port = seed & 2 ? 8443 : 443;
	struct http_head h, server;
	enum gate_why why;
	char *out = malloc(HTTP_HEAD_MAX + INJECT_GROWS);
	size_t len;

	LAW(out);
	http_head_init(&h);
	if (http_head_read(&h, p, n) == HTTP_HEAD && !inject_refuses(&h, p, h.host, &why)) {
		len = inject_head(&h, p, h.host, port, add, out, HTTP_HEAD_MAX + INJECT_GROWS);
		LAW(len > 0);
		http_head_init(&server);
		(void)http_head_read(&server, (const uint8_t *)out, len);
		/* it may have grown beyond what this reader takes */
		if (server.verdict != HTTP_TOO_LONG) {
			LAW(server.verdict == HTTP_HEAD && server.head_n == len);
			LAW(strcmp(server.host, h.host) == 0);
			LAW(server.port == (port == 443 ? 0 : port));
			LAW(server.body == h.body && server.length == h.length);
			LAW(server.method == h.method && server.http10 == h.http10);
			LAW(server.close == h.close && !server.opaque && server.expect == h.expect);
			LAW(server.target == HTTP_ORIGIN || server.target == HTTP_ASTERISK);
			LAW(law_count(&server, (const uint8_t *)out, add->name) == 1);
			LAW(!law_count(&server, (const uint8_t *)out, "upgrade") &&
			    !law_count(&server, (const uint8_t *)out, "proxy-authorization"));
			law_value(out, len, add);
			law_http_head((const uint8_t *)out, &server);
		}
	}
	free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct law_input in = law_begin(data, n);

	law_inject(in.p, in.n, in.choice);
	law_end(&in);
	return 0;
}
