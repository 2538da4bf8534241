/*
 * The host name that a TLS client asks for (SNI, RFC 6066), from the first bytes that
 * it sends.  Only bytes: nothing is kept but the name, so the caller keeps what it
 * passes on.
 *
 *     struct tls_hello h;
 *     tls_hello_init(&h);
 *     v = tls_hello_add(&h, p, n);        for each piece, until v is not TLS_HELLO_MORE
 *
 * Pieces may be of any size: records and the hello itself may be split anywhere.  The
 * verdict depends only on the bytes, not on how they were cut, and is final: later
 * calls return the same.  What follows the hello in the last piece does not matter.
 *
 * What it cannot see: the name in an encrypted ClientHello (the outer name counts, as
 * it is the one that the server's owner answers for), a second hello after
 * HelloRetryRequest, and what is asked for inside of the encrypted connection.
 */
#ifndef RUNTIME_EGRESS_TLS_HELLO_H
#define RUNTIME_EGRESS_TLS_HELLO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/egress/name.h"

#define TLS_HELLO_MAX 65536 /* of the hello itself, with its header of 4 bytes */
#define TLS_HELLO_WIRE_MAX (TLS_HELLO_MAX + 8192) /* with the headers of its records \
						   */
#define TLS_HELLO_EXTENSIONS 128

enum tls_hello_verdict {
	TLS_HELLO_MORE,      /* the bytes so far are the beginning of a hello */
	TLS_HELLO_NAME,      /* a whole hello with one host name: h->name */
	TLS_HELLO_NO_SNI,    /* a whole hello without the extension */
	TLS_HELLO_SEVERAL,   /* more than one name */
	TLS_HELLO_MALFORMED, /* lengths that do not agree, an extension twice, a name
				that is none: empty, an address, with a last dot, other
				bytes */
	TLS_HELLO_NOT_TLS,   /* the first bytes are no TLS handshake (an SSLv2 hello
				neither) */
	TLS_HELLO_TOO_LONG /* a hello above TLS_HELLO_MAX, or in very many small records
			    */
};

struct tls_hello {
	/* The result: lower case, NUL-ended; set if the verdict is TLS_HELLO_NAME. */
	char name[EGRESS_NAME_MAX + 1];
	size_t name_n;
	/* The reader's own. */
	enum tls_hello_verdict verdict;
	uint32_t wire;  /* bytes read */
	uint8_t head_n; /* of the record's header */
	uint16_t record_left;
	uint8_t step;
	uint32_t step_left, number; /* of the field that is being read */
	uint32_t hello_left, ext_left;
	uint16_t ext;
	uint16_t seen[TLS_HELLO_EXTENSIONS];
	size_t seen_n;
	uint8_t raw[EGRESS_NAME_MAX];
	size_t raw_n;
	bool has_name;
};

void tls_hello_init(struct tls_hello *h);
enum tls_hello_verdict tls_hello_add(struct tls_hello *h, const uint8_t *p, size_t n);

/* A few words for messages: "TLS without a host name". */
const char *tls_hello_text(enum tls_hello_verdict v);

#endif
