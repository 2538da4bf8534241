/* Reads a host with its port (http_host.h). */
#include "runtime/egress/http_host.h"

#include <arpa/inet.h>
#include <string.h>

struct text {
	const char *p;
	size_t n;
};

/* 1 to 65535 in digits; 0 if it is none. */
static uint16_t read_port(struct text t)
{
	uint32_t v = 0;

	if (t.n == 0 || t.n > 5)
		return 0;
	for (size_t i = 0; i < t.n; i++) {
		if (t.p[i] < '0' || t.p[i] > '9')
			return 0;
		v = v * 10 + (uint32_t)(t.p[i] - '0');
	}
	return v > 65535 ? 0 : (uint16_t)v;
}

static bool literal(struct http_authority *a, int family, struct text t)
{
	char text[INET6_ADDRSTRLEN];

	if (t.n == 0 || t.n >= sizeof(text) || memchr(t.p, '\0', t.n))
		return false;
	memcpy(text, t.p, t.n);
	text[t.n] = '\0';
	if (inet_pton(family, text, a->addr) != 1)
		return false;
	a->kind = family == AF_INET ? HTTP_HOST_V4 : HTTP_HOST_V6;
	/* one spelling for each address */
	return inet_ntop(family, a->addr, a->host, sizeof(a->host)) != NULL;
}

bool http_authority_read(struct http_authority *a, const char *p, size_t n)
{
	struct text t = { p, n }, host = t;
	const char *end;

	memset(a, 0, sizeof(*a));
	if (t.n && t.p[0] == '[') {
		end = memchr(t.p, ']', t.n);
		if (!end)
			return false;
		host = (struct text){ t.p + 1, (size_t)(end - t.p) - 1 };
		end++;
		if (!literal(a, AF_INET6, host))
			return false;
	} else {
		end = memchr(t.p, ':', t.n);
		if (!end)
			end = t.p + t.n;
		host.n = (size_t)(end - t.p);
		/* "name." is the same name in DNS */
		if (host.n > 1 && host.p[host.n - 1] == '.')
			host.n--;
		if (!egress_host_name(a->host, (const uint8_t *)host.p, host.n) &&
		    (end != host.p + host.n || !literal(a, AF_INET, host)))
			return false;
	}
	if (end == t.p + t.n)
		return true;
	if (*end != ':')
		return false;
	a->port = read_port((struct text){ end + 1, (size_t)(t.p + t.n - end) - 1 });
	return a->port != 0;
}

bool http_authority_same(const struct http_authority *a, const struct http_authority *b)
{
	return a->kind == b->kind && strcmp(a->host, b->host) == 0;
}
