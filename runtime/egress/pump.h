/*
 * Moves bytes from one socket to another without looking at them: splice() through a
 * pipe of a pool that all connections share.  A pipe is borrowed only while bytes are in
 * it, so idle connections need none; when all are in use, bytes are copied instead, and a
 * reader that never reads holds up nobody else.
 *
 * Sockets are non-blocking and watched by edges: the caller sets `readable` and `writable`
 * when an event says so, and calls pump_run().
 */
#ifndef RUNTIME_EGRESS_PUMP_H
#define RUNTIME_EGRESS_PUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PUMP_PIPES 512u         /* at a time */
#define PUMP_SPARE 64u          /* kept open for the next use */
#define PUMP_BUFFER (80u * 1024) /* what pump_peek() sees at once */
#define PUMP_MOVE (1024u * 1024) /* bytes of one splice */
#define PUMP_LONG 16u              /* pipes that hold so many; others 64 KiB */
#define PUMP_ROUNDS 32          /* of one turn: others wait meanwhile */

struct pump {
	int spare[PUMP_SPARE][2];
	uint32_t spare_count, open, most;
	uint8_t buffer[PUMP_BUFFER];
};

/* One direction. */
struct pump_way {
	int from, to;
	int pipe[2];      /* -1: none is borrowed */
	uint32_t held;    /* bytes in the pipe */
	bool readable, writable;
	bool eof;         /* `from` has ended, and `to` was told if held is 0 */
	uint64_t budget;  /* bytes that may still pass; UINT64_MAX: any number */
	uint64_t total;   /* bytes that `to` took */
};

enum pump_result {
	PUMP_WAIT,  /* for an event */
	PUMP_AGAIN, /* there is more, but it is the others' turn */
	PUMP_SPENT, /* the budget is 0, and there may be more to read */
	PUMP_END,   /* `from` has ended and everything has passed */
	PUMP_BROKEN /* errno says why: reset both ends */
};

/* `pipes`: the most pipes at a time; 0: every byte is copied. */
void pump_init(struct pump *p, uint32_t pipes);
void pump_release(struct pump *p);

void pump_way_init(struct pump_way *w, int from, int to);
/* Gives the pipe back, or closes it if bytes are left in it. */
void pump_way_release(struct pump *p, struct pump_way *w);
enum pump_result pump_run(struct pump *p, struct pump_way *w);

/*
 * Looks at what can be read from the socket and leaves it there: bytes in p->buffer, 0 at
 * the end, -EAGAIN or another -errno.
 */
long pump_peek(struct pump *p, int fd);

#endif
