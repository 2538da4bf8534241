/*
 * What a traced run has asked for: files, sockets of the host and addresses, each once, for
 * polrun --record.  What was asked for is here whether it passed or not.  Bounded, and all
 * memory is taken before the command starts.
 */
#ifndef RUNTIME_SUPERVISE_TOUCHED_H
#define RUNTIME_SUPERVISE_TOUCHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TOUCHED_MAX 65536u               /* requests */
#define TOUCHED_TEXTS (16u * 1024 * 1024) /* bytes of all their texts */

enum touched_kind { TOUCHED_FILE, TOUCHED_UNIX, TOUCHED_TCP, TOUCHED_UDP };

struct touched_one {
	uint32_t text;  /* a path or an address, NUL-terminated, in `texts` */
	uint16_t port;  /* TCP, UDP */
	uint8_t kind;   /* enum touched_kind */
	uint8_t op;     /* FILE: one bit of enum pb_op */
};

struct touched {
	struct touched_one *v; /* malloc'ed, in the order of their first time */
	size_t n;
	char *texts;
	size_t used;
	uint32_t *slots;       /* index + 1 by hash; 0: free */
	uint64_t lost;         /* requests for which there was no room, or that were not seen */
};

/* False: out of memory. */
bool touched_init(struct touched *t);
void touched_release(struct touched *t);
void touched_add(struct touched *t, enum touched_kind kind, uint8_t op, const char *text,
		 uint16_t port);
/* Takes back what was added since there were n. */
void touched_forget(struct touched *t, size_t n);

#endif
