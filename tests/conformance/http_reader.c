/*
 * The gateway's reading of connections, for tests/conformance/http_heads.py: a line of hex in,
 * a line out with the last verdict, how many bytes a relay would pass on, and the host of
 * each request in them.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/egress/http_body.h"

static void read_connection(const uint8_t *p, size_t n)
{
	struct http_head h;
	struct http_body b;
	enum http_verdict v = HTTP_END;
	size_t at = 0, used, len = 0;
	char hosts[4096] = "";

	while (v == HTTP_END && at < n) {
		http_head_init(&h);
		v = http_head_read(&h, p + at, n - at);
		if (v != HTTP_HEAD)
			break;
		len += (size_t)snprintf(hosts + len, sizeof(hosts) - len, " %s", h.host);
		at += h.head_n;
		http_body_init(&b, &h);
		v = http_body_read(&b, p + at, n - at, &used);
		at += used;
		if (h.close || h.opaque || len > sizeof(hosts) - 300)
			break;
	}
	printf("%d %zu%s\n", (int)v, at, hosts);
}

int main(void)
{
	char *line = NULL;
	size_t size = 0;
	uint8_t *p = NULL;

	while (getline(&line, &size, stdin) > 0) {
		size_t n = 0;
		unsigned byte;

		p = realloc(p, size);
		if (!p)
			return 1;
		for (const char *c = line; sscanf(c, "%2x", &byte) == 1; c += 2)
			p[n++] = (uint8_t)byte;
		read_connection(p, n);
		fflush(stdout);
	}
	free(line);
	free(p);
	return 0;
}
