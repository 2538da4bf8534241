/*
 * The bytes of the command that are looked at, in memory of the gateway's own.  They are
 * taken out of the socket once and sent from here: the command can hold the pages that lie
 * in a socket (sendfile, splice, vmsplice) and change them after they were read, so what is
 * looked at in place is not what is sent.
 */
#ifndef RUNTIME_EGRESS_RELAY_KEPT_H
#define RUNTIME_EGRESS_RELAY_KEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RELAY_KEPT_MAX (80u * 1024)         /* of one connection: more than the longest hello */
#define RELAY_KEPT_ALL (64u * 1024u * 1024) /* of all connections together */

struct relay_kept {
	uint8_t *p; /* NULL: nothing */
	size_t n, room;
	size_t pass; /* of them, from the first, may be sent */
	bool eof;    /* the command has ended its side */
};

enum relay_kept_result {
	KEPT_MORE, /* bytes have come, or the end */
	KEPT_NONE, /* the socket has no more, or there is no room before some are sent */
	KEPT_FULL, /* no memory, or RELAY_KEPT_ALL is used up */
	KEPT_BROKEN /* errno */
};

/* Takes what the socket has.  `*all` counts the room of all connections. */
enum relay_kept_result relay_kept_read(struct relay_kept *k, int fd, size_t *all);
/* Forgets the first `n` bytes, which were sent, and the memory with the last one. */
void relay_kept_sent(struct relay_kept *k, size_t n, size_t *all);
void relay_kept_release(struct relay_kept *k, size_t *all);

#endif
