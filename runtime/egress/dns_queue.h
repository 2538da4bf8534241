/*
 * Queries by UDP that wait for their turn, in a queue for each sender (address and port): one is taken
 * from each in turn, so who sends many waits behind itself only.  What finds no room is
 * lost, as on any network.
 *
 * The room is fixed.  A sender that is new where DNS_QUEUE_SENDERS have something to wait for
 * takes the place of the one that has most: so many ports of one program are as many senders.
 */
#ifndef RUNTIME_EGRESS_DNS_QUEUE_H
#define RUNTIME_EGRESS_DNS_QUEUE_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "runtime/egress/dns.h"

#define DNS_QUEUE_SENDERS 128u
/* Queries of one: a resolver may send all lookups of a program from one port. */
#define DNS_QUEUE_EACH 128u

struct dns_queued {
	uint16_t n;
	uint8_t p[DNS_QUERY_MAX + 1]; /* one more, so that a longer one is seen as such */
};

struct dns_sender {
	TAILQ_ENTRY(dns_sender) link;
	struct sockaddr_in6 from; /* of either family */
	socklen_t from_len;
	int fd;               /* the socket that it came by */
	uint32_t first, count; /* of its ring */
};

TAILQ_HEAD(dns_senders, dns_sender);

struct dns_queue {
	struct dns_senders waiting, free; /* the first one's turn is next */
	struct dns_sender v[DNS_QUEUE_SENDERS];
	/* apart: the pages of those that nobody needs are never touched */
	struct dns_queued rings[DNS_QUEUE_SENDERS][DNS_QUEUE_EACH];
};

void dns_queue_init(struct dns_queue *q);
/*
 * Where a query of this sender can be read to, or NULL: it has as many as it may.  The caller
 * sets `n`.  The place is good until the next call.
 */
struct dns_queued *dns_queue_add(struct dns_queue *q, int fd, const struct sockaddr_in6 *from,
				 socklen_t from_len);
/* The next query and who sent it, or NULL.  Good until the next call. */
const struct dns_queued *dns_queue_take(struct dns_queue *q, const struct dns_sender **ret_sender);

#endif
