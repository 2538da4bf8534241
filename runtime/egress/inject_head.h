/*
 * The head of a request as the server gets it from polinject: which requests are passed
 * on, and what becomes of their lines.  Only bytes.
 */
#ifndef RUNTIME_EGRESS_INJECT_HEAD_H
#define RUNTIME_EGRESS_INJECT_HEAD_H

#include "runtime/egress/gate.h"
#include "runtime/egress/http_head.h"

/* The header that a rule injects: "name: prefix value".  Not NUL-ended. */
struct inject_header {
	const char *name, *prefix, *value;
	size_t name_n, prefix_n, value_n;
};

/* A sentence for the program inside, or NULL: the request may be passed on to `name`.
 */
const char *inject_refuses(const struct http_head *h, const uint8_t *p, const char *name,
			   enum gate_why *ret_why);

/*
 * Writes the head for the server `host`, and returns its length, or 0 if `size` is too
 * small. The target becomes a path; Host names the server, with the port if it is not
 * 443.  The lines that are about the connection to the gateway are left out (RFC
 * 9110 7.6.1), an Upgrade too, and each line of the injected header's name, since the
 * program inside must not choose its value.
 */
size_t inject_head(const struct http_head *h, const uint8_t *p, const char *host,
		   uint16_t port, const struct inject_header *add, char *out,
		   size_t size);

/* The most that a head grows by. */
#define INJECT_GROWS 8192

#endif
