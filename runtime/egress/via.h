/*
 * An upstream proxy (`via`): its address as the policy writes it, the request that asks
 * it for a connection (CONNECT, RFC 9110 9.3.6), and what it answers.  Only bytes.
 */
#ifndef RUNTIME_EGRESS_VIA_H
#define RUNTIME_EGRESS_VIA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/egress/name.h"

#define VIA_REQUEST_MAX 8192u
#define VIA_SECRET_MAX 4096u /* "user:password" */
#define VIA_ANSWER_MAX 16384u

struct via {
	char host[EGRESS_NAME_MAX + 1]; /* a name in lower case; empty: `addr` */
	uint8_t addr[16];               /* v4 is v4-mapped */
	uint16_t port;
};

/* Reads "http://HOST:PORT".  False: it is none. */
bool via_read(struct via *ret, const char *text, size_t n);

/*
 * Writes the request for HOST:PORT, with `addr` if `host` is NULL, and with the secret
 * ("user:password") if there is one.  Its length; 0: it does not fit.
 */
size_t via_request(char *out, size_t size, const char *host, const uint8_t addr[16],
		   uint16_t port, const char *secret, size_t secret_n);

enum via_verdict {
	VIA_MORE,
	VIA_YES, /* *ret_n bytes are the answer; what follows is the destination's */
	VIA_NO,  /* *ret_n bytes are its version and status, for a message; what else it
	            says may hold what it was told, the secret too */
	VIA_BAD  /* no answer of HTTP/1.x */
};

enum via_verdict via_answer(const uint8_t *p, size_t n, size_t *ret_n);

#endif
