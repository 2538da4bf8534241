/*
 * Answers the DNS queries of a run.  A name that a rule lets be reached gets a synthetic
 * address; nothing is ever forwarded, so nothing can be carried out by queries.  A flood
 * of queries is answered only as fast as DNS_SERVE_RATE, each sender in turn (dns_queue.h),
 * and read only as fast as DNS_SERVE_READS.  Who has more waiting than its queue holds is not
 * heard until the next window begins (dns_shut.h).
 */
#ifndef RUNTIME_EGRESS_DNS_SERVE_H
#define RUNTIME_EGRESS_DNS_SERVE_H

#include <event2/event.h>
#include <event2/event_struct.h>
#include <stdint.h>
#include <sys/queue.h>

#include "runtime/egress/dns.h"
#include "runtime/egress/dns_queue.h"
#include "runtime/egress/dns_shut.h"
#include "runtime/egress/gate_report.h"
#include "runtime/egress/names.h"

#define DNS_SERVE_RATE 20000u  /* answers in a second, by UDP */
#define DNS_SERVE_READS 400000u /* queries that are looked at in a second: half a processor's work */
#define DNS_SERVE_WINDOW_MS 20u
#define DNS_SERVE_STREAMS 32u  /* TCP connections; the oldest gives way */
#define DNS_SERVE_STREAM_S 20  /* how long one may stay */
#define DNS_SERVE_TTL 5u

struct dns_serve_stream;
TAILQ_HEAD(dns_serve_streams, dns_serve_stream);

struct dns_serve {
	struct event_base *base;
	struct names *names;
	struct gate_report *report;
	uint32_t left, may_read; /* of this window: answers, and queries to read */
	struct dns_queue queue;
	struct dns_shut shut[2]; /* of each socket */
	struct event sockets[2], listeners[2], window;
	int socket_fds[2];
	struct dns_serve_streams streams;
	uint32_t stream_count;
	char last[EGRESS_NAME_MAX + 1]; /* the last name that was refused */
};

void dns_serve_init(struct dns_serve *s);
/* Non-blocking sockets, `which` 0 or 1.  0 or -ENOMEM. */
int dns_serve_udp(struct dns_serve *s, int which, int fd);
int dns_serve_tcp(struct dns_serve *s, int which, int fd);

/* The decision for a query; pure but for the table of names and the records. */
struct dns_reply dns_serve_reply(struct dns_serve *s, const struct dns_query *q,
				 uint8_t addr[16]);

#endif
