/*
 * What decisions are timed beside: matchers of many patterns over a whole line,
 * which read no shell.  Patterns are text in which '*' is any bytes, none too;
 * every peer reports the numbers of all that match.
 */
#ifndef TESTS_BENCH_PEERS_H
#define TESTS_BENCH_PEERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How many numbers of patterns a peer keeps of one line; it counts all. */
#define PEER_KEPT 64

struct peer_hits {
	uint32_t n;
	uint32_t v[PEER_KEPT];
};

static inline void peer_hit(struct peer_hits *h, uint32_t i)
{
	if (h->n < PEER_KEPT)
		h->v[h->n] = i;
	h->n++;
}

struct peer {
	const char *name;
	/* false after a message: too large for it */
	bool (*build)(char *const *patterns, uint32_t n);
	/* false: no answer */
	bool (*match)(const char *line, size_t n, struct peer_hits *ret);
};

extern const struct peer peer_fnmatch, peer_pcre2;
/* In programs that are linked with them: their libraries need not be there. */
extern const struct peer peer_re2 __attribute__((weak));
extern const struct peer peer_hyperscan __attribute__((weak));

/*
 * The pattern as an expression for the beginning of the line: of a '*' at its
 * end nothing is left, as whatever follows matches.  `room` for 2 * strlen() + 2.
 */
size_t peer_expression(const char *pattern, char *room);

#ifdef __cplusplus
}
#endif

#endif
