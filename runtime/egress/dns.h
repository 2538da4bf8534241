/*
 * DNS messages (RFC 1035, 6891, 8914): reads a query and writes the answer to it.  Only
 * bytes: no sockets, no allocation, no decision.  A message is read whole; every byte
 * of it belongs to something that was checked, or the query is a FORMERR.
 *
 *     switch (dns_read(&q, p, n)) ... DNS_QUERY: decide on q.name, q.type
 *     len = dns_write(&q, &reply, out, sizeof(out), over_tcp ? 0 : dns_udp_limit(&q));
 *
 * The caller decides like this: q.host is false (a byte that no host name has, or the
 * root): NXDOMAIN, never looked up.  The name is allowed: A and AAAA get their address,
 * every other type NODATA (DNS_NOERROR without an address).  The name is not allowed,
 * but names below it are: NODATA too, since NXDOMAIN says that there is nothing below
 * (RFC 8020), and caches inside of the run conclude from that.  Otherwise NXDOMAIN.
 */
#ifndef RUNTIME_EGRESS_DNS_H
#define RUNTIME_EGRESS_DNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/egress/name.h"

#define DNS_HEADER 12
#define DNS_UDP_MIN 512    /* what everybody can receive */
#define DNS_QUERY_MAX 1232 /* longer queries are a FORMERR, over TCP the end */
#define DNS_REPLY_MAX 512  /* no answer of dns_write() is longer */

enum dns_type {
	DNS_A = 1,
	DNS_SOA = 6,
	DNS_AAAA = 28,
	DNS_OPT = 41,
	DNS_SVCB = 64,
	DNS_HTTPS = 65
};

/* Response codes; those above 15 need EDNS and are written only to queries that have
 * it. */
enum dns_rcode {
	DNS_NOERROR,
	DNS_FORMERR,
	DNS_SERVFAIL,
	DNS_NXDOMAIN,
	DNS_NOTIMP,
	DNS_REFUSED,
	DNS_BADVERS = 16
};

/* Extended errors (RFC 8914). */
enum dns_ede { DNS_EDE_NONE = 0, DNS_EDE_BLOCKED = 15, DNS_EDE_FILTERED = 17 };

enum dns_verdict {
	DNS_QUERY, /* one well-formed question of class IN */
	DNS_REPLY, /* send dns_write() with q.rcode: FORMERR, NOTIMP, REFUSED or BADVERS
		    */
	DNS_DROP   /* no answer: shorter than a header, or itself a response */
};

struct dns_query {
	uint16_t id;
	uint8_t opcode; /* 0..15 */
	bool rd, cd;    /* of the header; echoed */
	uint8_t rcode;  /* enum dns_rcode, for DNS_REPLY */
	bool host;      /* `name` is a host name (egress_host_name()) */
	uint16_t type, class_;
	/* The question as it was asked, echoed byte for byte (resolvers compare the
	 * case of letters); points into the message; question_n is 0 if it could not be
	 * read. */
	const uint8_t *question;
	size_t question_n; /* name, type and class */
	/* The name as text: lower case, labels separated by dots, no last dot, NUL.  If
	 * `host` is false it is empty (the root) or for messages only: other bytes are
	 * '?'. */
	char name[EGRESS_NAME_MAX + 1];
	size_t name_n;
	bool edns, dnssec_ok; /* has an OPT record; its DO bit, which is echoed */
	uint16_t udp_size; /* what the client can receive; DNS_UDP_MIN without EDNS */
};

/* Reads a message.  `ret` is always filled, and is what dns_write() needs, unless the
 * verdict is DNS_DROP. */
enum dns_verdict dns_read(struct dns_query *ret, const uint8_t *p, size_t n);

struct dns_reply {
	enum dns_rcode rcode;
	const uint8_t
		*addr;    /* NULL: no answer record (NODATA if rcode is DNS_NOERROR) */
	size_t addr_n;    /* 4: A, 16: AAAA; must be the type asked for */
	uint32_t ttl;     /* of the answer, or of the negative answer's SOA; 1..5 */
	enum dns_ede ede; /* written if the query has EDNS */
};

/* The largest answer over UDP: 512, or what an EDNS client says, at most DNS_QUERY_MAX.
 */
size_t dns_udp_limit(const struct dns_query *q);

/*
 * Writes the answer and returns its length, at most `size` and, unless it is 0,
 * `limit`. What does not fit is answered with TC and the question alone; 0 if not even
 * that fits.
 */
size_t dns_write(const struct dns_query *q, const struct dns_reply *r, uint8_t *out,
		 size_t size, size_t limit);

/* Queries over TCP: two bytes of length before each; they come in any pieces. */
struct dns_stream {
	uint8_t buf[2 + DNS_QUERY_MAX];
	size_t n;
};

enum dns_framing {
	DNS_MORE,
	DNS_MESSAGE,
	DNS_TOO_LONG /* or shorter than a header: close */
};

/* Takes bytes until one message is whole; `ret_used` of the `n` bytes were taken. */
enum dns_framing dns_stream_add(struct dns_stream *s, const uint8_t *p, size_t n,
				size_t *ret_used);
/* After DNS_MESSAGE: the message, valid until the next dns_stream_next(). */
const uint8_t *dns_stream_message(const struct dns_stream *s, size_t *ret_n);
/* Makes room for the next one. */
void dns_stream_next(struct dns_stream *s);

#endif
