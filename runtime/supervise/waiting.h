/*
 * Calls of the run that wait: polrun has received them, and can decide them only later.  Their
 * callers may be gone by then.
 */
#ifndef RUNTIME_SUPERVISE_WAITING_H
#define RUNTIME_SUPERVISE_WAITING_H

#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WAITING_MOST 1024u /* calls at a time */
#define WAITING_TURNS 20u  /* so often one is decided anew */

struct waiting_call {
	struct seccomp_notif req;
	unsigned turn; /* how often it has waited, as far as that is counted */
	int64_t since_ms; /* when it came */
};

/* All zero: none. */
struct waiting {
	struct waiting_call *v; /* in the order in which they came */
	size_t n, cap;
};

/* May one more wait, which has done so `turn` times?  Then there is room for it. */
bool waiting_may(struct waiting *w, unsigned turn);
/* After waiting_may(). */
void waiting_add(struct waiting *w, const struct seccomp_notif *req, unsigned turn, int64_t since_ms);
void waiting_release(struct waiting *w);

#endif
