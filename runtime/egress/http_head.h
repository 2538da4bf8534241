/*
 * The head of an HTTP/1.x request (RFC 9112): which host it names, and what says where
 * its body ends (http_body.h).  Only bytes, no allocation.
 *
 * It is stricter than servers are.  A head that two readers could understand in
 * different ways (as to its host, or where it ends) is malformed: two Host lines, a
 * Host that the target contradicts, folded lines, a bare CR or LF, a control byte, both
 * lengths, ... Clients that people use send nothing of that.
 *
 *     struct http_head h;
 *     http_head_init(&h);
 *     v = http_head_read(&h, p, n);    p: the bytes from the head's first one, all so
 * far; again with more bytes while v is HTTP_MORE http_body_init(&b, &h);          v is
 * HTTP_HEAD: h.head_n bytes are the head v = http_body_read(&b, p, n, &used);   pieces
 * from there on, while v is HTTP_MORE
 *     ...                              v is HTTP_END: the next head begins after `used`
 *
 * A relay has to do this for every request of a connection, since the second may name
 * another host.  h.opaque says that HTTP may end with this request (CONNECT, Upgrade).
 * Behind an Upgrade the next bytes are either a head again, which has to be checked, or no HTTP
 * (WebSocket's first byte is none of a method; HTTP/2's preface is HTTP_H2): then no server
 * takes them, or what follows, for a request that names another host.
 */
#ifndef RUNTIME_EGRESS_HTTP_HEAD_H
#define RUNTIME_EGRESS_HTTP_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/egress/http_host.h"

#define HTTP_HEAD_MAX 16384 /* with the empty line */
#define HTTP_FIELDS_MAX 128 /* lines of a head */

enum http_verdict {
	HTTP_MORE, /* well-formed so far */
	HTTP_HEAD, /* a whole head that names one host */
	HTTP_END,  /* http_body_read(): the body is complete */
	HTTP_MALFORMED,
	HTTP_NOT_HTTP,  /* the first line is no request of HTTP/1.0 or 1.1 */
	HTTP_TOO_LONG,  /* no end within HTTP_HEAD_MAX, or too many lines */
	HTTP_NO_HOST,   /* none, or an empty one */
	HTTP_SEVERAL,   /* more than one Host line, even if they are equal */
	HTTP_DISAGREES, /* the target names another host or port than Host */
	HTTP_H2         /* "PRI * HTTP/2.0": HTTP/2 without TLS names its host later */
};

enum http_body_kind { HTTP_BODY_NONE, HTTP_BODY_LENGTH, HTTP_BODY_CHUNKED };
enum http_method {
	HTTP_OTHER,
	HTTP_GET,
	HTTP_HEAD_METHOD,
	HTTP_POST,
	HTTP_OPTIONS,
	HTTP_CONNECT,
	HTTP_TRACE
};
enum http_target {
	HTTP_ORIGIN /* "/path" */,
	HTTP_ABSOLUTE,
	HTTP_AUTHORITY /* CONNECT */,
	HTTP_ASTERISK
};

struct http_span {
	uint32_t at, n;
}; /* bytes of the head */

/* The fields that the gateway knows; all others are HTTP_F_OTHER. */
enum http_field_id {
	HTTP_F_OTHER,
	HTTP_F_HOST,
	HTTP_F_CONTENT_LENGTH,
	HTTP_F_TRANSFER_ENCODING,
	HTTP_F_CONNECTION,
	HTTP_F_KEEP_ALIVE,
	HTTP_F_PROXY_CONNECTION,
	HTTP_F_UPGRADE,
	HTTP_F_EXPECT,
	HTTP_F_TE,
	HTTP_F_TRAILER,
	HTTP_F_HTTP2_SETTINGS,
	HTTP_F_COUNT
};
struct http_field {
	enum http_field_id id;
	struct http_span name, value; /* the value without the blanks around it */
};

struct http_head {
	/* All of this is set if the verdict is HTTP_HEAD. */
	size_t head_n; /* up to and with the empty line */
	enum http_method method;
	enum http_target target;
	struct http_span method_at, target_at;
	struct http_span path_at; /* of the target, what stands behind the authority; n
				     may be 0 */
	bool http10;              /* HTTP/1.0 */
	bool close;   /* no request may follow: HTTP/1.0 without keep-alive, or close */
	bool upgrade; /* Connection says upgrade, and Upgrade names WebSocket and nothing else */
	bool opaque;  /* CONNECT, or `upgrade`: what follows may be no HTTP */
	bool expect;  /* 100-continue */
	enum http_host_kind host_kind;
	char host[EGRESS_NAME_MAX + 1]; /* lower case, no last dot; an address as text,
					   v6 without brackets */
	size_t host_n;
	uint8_t addr[16]; /* of a literal; v4 in the first 4 bytes */
	uint16_t port;    /* that Host names; 0: none */
	enum http_body_kind body;
	uint64_t length; /* of HTTP_BODY_LENGTH, above 0 */
	struct http_field fields[HTTP_FIELDS_MAX];
	size_t field_n;
	const char *what; /* why it is malformed, a few words; never NULL then */
	/* The reader's own. */
	enum http_verdict verdict;
	size_t seen;
	uint32_t lines, line_at;
	bool in_method, has_length, has_upgrade, other_upgrade, says_close, says_keep, says_upgrade;
};

/* A byte of a token (RFC 9110 5.6.2): of methods and names of fields. */
bool http_is_token(uint8_t c);
/* Could a server take the two names of fields for the same one?  Letters have no case, and
 * some servers turn all that is neither letter nor digit into one sign (HTTP_X_API_KEY). */
bool http_same_field(const char *a, size_t a_n, const char *b, size_t b_n);

void http_head_init(struct http_head *h);

/* `p` points to all bytes of this head so far, `n` may go beyond its end.  The verdict
 * depends only on the bytes, not on the calls, and is final unless it is HTTP_MORE. */
enum http_verdict http_head_read(struct http_head *h, const uint8_t *p, size_t n);

/* A few words for messages: "more than one Host". */
const char *http_text(enum http_verdict v);

#endif
