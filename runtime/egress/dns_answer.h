/*
 * The other half of dns.h: asks a server for the addresses of a name, and reads its
 * answer (RFC 1035, 6891).  Only bytes.  The answer comes from the network: every
 * length is checked, compression may only point backwards, and only records that belong
 * to the name, or to what its CNAMEs lead to, are taken.
 */
#ifndef RUNTIME_EGRESS_DNS_ANSWER_H
#define RUNTIME_EGRESS_DNS_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/egress/dns.h"
#include "runtime/egress/name.h"

#define DNS_ASK_MAX 300        /* bytes of a question to a server */
#define DNS_ASK_UDP 1232       /* what it may answer over UDP */
#define DNS_ANSWER_ADDRESSES 16
#define DNS_ANSWER_CNAMES 16

/* Writes the query: recursion desired, EDNS.  Its length; 0: no name for DNS. */
size_t dns_ask(uint16_t id, const char *name, enum dns_type type, uint8_t out[DNS_ASK_MAX]);

enum dns_answered {
	DNS_A_ADDRESSES, /* at least one address */
	DNS_A_NONE,      /* the name has none of this type, or does not exist */
	DNS_A_FAILED,    /* the server cannot say: ask another one */
	DNS_A_TRUNCATED, /* ask over TCP */
	DNS_A_FOREIGN    /* not an answer to this question: wait on */
};

struct dns_answer {
	uint8_t addr[DNS_ANSWER_ADDRESSES][16]; /* v4 is v4-mapped */
	size_t count;
	uint32_t ttl; /* the smallest, in seconds */
};

/* Adds the addresses to `ret`, which the caller has initialised (ttl UINT32_MAX). */
enum dns_answered dns_answer_read(struct dns_answer *ret, const uint8_t *p, size_t n,
				  uint16_t id, const char *name, enum dns_type type);

#endif
