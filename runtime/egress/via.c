/* Reads and writes what polgate and an upstream proxy say to each other. */
#include "runtime/egress/via.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/host.h"

bool via_read(struct via *ret, const char *text, size_t n)
{
	static const char scheme[] = "http://";
	char buf[EGRESS_NAME_MAX + 32], *host = buf, *colon, *end;
	unsigned long port;
	size_t len = sizeof(scheme) - 1;

	*ret = (struct via){ 0 };
	if (n <= len || n - len >= sizeof(buf) || memcmp(text, scheme, len) != 0 ||
	    memchr(text, '\0', n))
		return false;
	memcpy(buf, text + len, n - len);
	buf[n - len] = '\0';
	colon = strrchr(buf, ':');
	if (!colon || colon[1] < '0' || colon[1] > '9')
		return false;
	port = strtoul(colon + 1, &end, 10);
	if (*end || port == 0 || port > UINT16_MAX)
		return false;
	*colon = '\0';
	ret->port = (uint16_t)port;
	if (buf[0] == '[' && colon > buf + 1 && colon[-1] == ']') {
		colon[-1] = '\0';
		host = buf + 1;
	}
	return host_address(host, ret->addr) ||
	       (host == buf &&
		egress_host_name(ret->host, (const uint8_t *)host, strlen(host)));
}

/* base64 (RFC 4648).  The number of bytes written, without a NUL. */
static size_t encode(char *out, const char *p, size_t n)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				     "0123456789+/";
	size_t len = 0;

	for (size_t i = 0; i < n; i += 3) {
		uint32_t v = 0;

		for (size_t k = 0; k < 3; k++)
			v = v << 8 | (i + k < n ? (uint8_t)p[i + k] : 0);
		for (size_t k = 0; k < 4; k++)
			out[len++] = i + k > n ? '=' : digits[v >> (18 - 6 * k) & 63];
	}
	return len;
}

size_t via_request(char *out, size_t size, const char *host, const uint8_t addr[16],
		   uint16_t port, const char *secret, size_t secret_n)
{
	char code[(VIA_SECRET_MAX + 2) / 3 * 4 + 1] = "", text[INET6_ADDRSTRLEN + 2],
	     to[EGRESS_NAME_MAX + 16];
	int n;

	if (secret_n > VIA_SECRET_MAX)
		return 0;
	code[encode(code, secret, secret_n)] = '\0';
	if (!host && host_is_v4(addr)) {
		if (!inet_ntop(AF_INET, addr + 12, text, sizeof(text)))
			return 0;
		host = text;
	} else if (!host) {
		text[0] = '[';
		if (!inet_ntop(AF_INET6, addr, text + 1, sizeof(text) - 2))
			return 0;
		memcpy(text + strlen(text), "]", 2);
		host = text;
	}
	n = snprintf(to, sizeof(to), "%s:%u", host, (unsigned)port);
	if (n < 0 || (size_t)n >= sizeof(to))
		return 0;
	n = snprintf(out, size, "CONNECT %s HTTP/1.1\r\nHost: %s\r\n%s%s%s\r\n", to, to,
		     secret_n ? "Proxy-Authorization: Basic " : "", code,
		     secret_n ? "\r\n" : "");
	explicit_bzero(code, sizeof(code));
	return n < 0 || (size_t)n >= size ? 0 : (size_t)n;
}

enum via_verdict via_answer(const uint8_t *p, size_t n, size_t *ret_n)
{
	static const char begin[] = "HTTP/1.";
	const char *end, *line;
	size_t len = sizeof(begin) - 1, first;

	if (memcmp(p, begin, n < len ? n : len) != 0)
		return VIA_BAD;
	line = memmem(p, n, "\r\n", 2);
	end = memmem(p, n, "\r\n\r\n", 4);
	if (!end)
		return n >= VIA_ANSWER_MAX ? VIA_BAD : VIA_MORE;
	first = (size_t)(line - (const char *)p);
	/* HTTP/1.x NNN */
	if (first < 12 || p[8] != ' ' || (first > 12 && p[12] != ' '))
		return VIA_BAD;
	if (p[9] != '2' || p[10] < '0' || p[10] > '9' || p[11] < '0' || p[11] > '9') {
		*ret_n = 12;
		return VIA_NO;
	}
	*ret_n = (size_t)(end + 4 - (const char *)p);
	return VIA_YES;
}
