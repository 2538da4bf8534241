/*
 * Where the body of an HTTP/1.x request ends (RFC 9112 6 and 7), so that the next
 * request of the connection is found.  Nothing is kept of the body.
 */
#ifndef RUNTIME_EGRESS_HTTP_BODY_H
#define RUNTIME_EGRESS_HTTP_BODY_H

#include "runtime/egress/http_head.h"

#define HTTP_TRAILER_MAX 16384
#define HTTP_CLOSED_MAX 256
#define HTTP_EXTENSION_MAX 256 /* of a chunk's line behind the size */

struct http_body {
	enum http_body_kind kind;
	enum http_verdict verdict;
	uint8_t step;
	uint64_t left;
	uint32_t digits, line_n, trailer_n;
	/* Set behind http_body_init(): one more name that no field behind the body may have.
	 * At most HTTP_CLOSED_MAX bytes, the caller's; NULL: none. */
	const char *closed;
	size_t closed_n;
	uint32_t name_n;
	char name[HTTP_CLOSED_MAX + 1];
};

void http_body_init(struct http_body *b, const struct http_head *h);
/* HTTP_MORE: all `n` bytes belong to the body; HTTP_END: `ret_used` of them do (a body
 * of no bytes ends at once); HTTP_MALFORMED: end the connection, `ret_used` bytes were
 * well-formed. `ret_used` is always set. */
enum http_verdict http_body_read(struct http_body *b, const uint8_t *p, size_t n,
				 size_t *ret_used);

#endif
