/*
 * Resolves names for the gateway itself: /etc/hosts of the host, then its servers of
 * resolv.conf.  Written here and not taken from libevent's evdns, because that has no
 * EDNS, no answer over TCP when one is cut, and one source port for all questions.
 *
 * Each question has a socket, a port and identifiers of its own.  Answers are kept for
 * their TTL, at most LOOKUP_KEEP_MS, so that a name that moves is followed.  Equal
 * questions at one time are one.
 */
#ifndef RUNTIME_EGRESS_GATE_LOOKUP_H
#define RUNTIME_EGRESS_GATE_LOOKUP_H

#include <event2/event.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "runtime/egress/dns_answer.h"
#include "runtime/egress/host_files.h"

#define LOOKUP_ADDRESSES 16
#define LOOKUP_AT_ONCE 256     /* different names */
#define LOOKUP_TRIES 5
#define LOOKUP_TRY_MS 2000
#define LOOKUP_SETTLE_MS 50    /* for the other family, once one has answered */
#define LOOKUP_KEEP_MS 5000
#define LOOKUP_KEPT 256

struct lookup_result {
	uint8_t addr[LOOKUP_ADDRESSES][16]; /* v6 and v4 in turn; v4 is v4-mapped */
	size_t count;
	int error; /* count 0: ENOENT (no such name or address), ETIMEDOUT, EAGAIN … */
};

/* Somebody who waits; part of the caller's own struct. */
struct lookup_wait {
	LIST_ENTRY(lookup_wait) link;
	void (*done)(struct lookup_wait *w, const struct lookup_result *r);
	bool waits;
};

struct lookup_query;
struct lookup_kept;

struct lookup {
	struct event_base *base;
	struct host_files files;
	LIST_HEAD(lookup_queries, lookup_query) queries;
	uint32_t count;
	struct lookup_kept *kept;
};

/* Takes over `files`.  0 or -ENOMEM. */
int lookup_init(struct lookup *l, struct event_base *base, const struct host_files *files);
void lookup_release(struct lookup *l);

/* The name is in lower case.  true: *ret is the result; false: w->done will be called,
 * unless lookup_cancel() is called before. */
bool lookup_name(struct lookup *l, const char *name, struct lookup_wait *w,
		 struct lookup_result *ret);
void lookup_cancel(struct lookup_wait *w);

#endif
