/*
 * The host and port of an HTTP request's Host line or target (RFC 3986 3.2).
 */
#ifndef RUNTIME_EGRESS_HTTP_HOST_H
#define RUNTIME_EGRESS_HTTP_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/egress/name.h"

enum http_host_kind { HTTP_HOST_NAME, HTTP_HOST_V4, HTTP_HOST_V6 };

struct http_authority {
	enum http_host_kind kind;
	char host[EGRESS_NAME_MAX + 1]; /* as in struct http_head */
	uint8_t addr[16];
	uint16_t port; /* 0: none */
};

/* host [":" port]: no user, no empty port, no zone of an address.  One dot at the end
 * of a name is dropped, since it is the same name in DNS.  An address must have four
 * decimal parts, or stand in brackets. */
bool http_authority_read(struct http_authority *a, const char *p, size_t n);
/* The same host; ports are not compared. */
bool http_authority_same(const struct http_authority *a,
			 const struct http_authority *b);

#endif
