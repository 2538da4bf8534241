/* A set of numbers that only grows.  0 is in none. */
#ifndef RUNTIME_SUPERVISE_NUMBERS_H
#define RUNTIME_SUPERVISE_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zeroed: empty. */
struct numbers {
	uint64_t *v; /* open addressing; 0: no number */
	size_t n, cap; /* cap: a power of 2 */
};

/* 0, or -ENOMEM: also if it would need more than `most` slots of 8 bytes, two for each
 * number.  `k` is not 0. */
int numbers_add(struct numbers *s, uint64_t k, size_t most);
bool numbers_has(const struct numbers *s, uint64_t k);
void numbers_release(struct numbers *s);

#endif
