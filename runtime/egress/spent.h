/*
 * What is used up of the rules' limits of bytes (pb_grant.bytes): one counter for each rule, of all its
 * connections, both ways together.  Bytes are taken before they pass and given back if
 * they do not, so never more than the limit pass, however many connections there are.
 *
 * One rule may decide connections of polgate and of polinject, so both processes have the
 * same counters: shared memory that polrun makes where a header is injected.  Each sees for a moment
 * what the other has taken and will give back: a limit may then be met by some bytes too early,
 * never too late.
 */
#ifndef RUNTIME_EGRESS_SPENT_H
#define RUNTIME_EGRESS_SPENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct spent {
	uint64_t *v; /* by rule number; other processes may change it at any time */
	uint32_t count;
};

/* Bytes of the shared memory for so many rules. */
static inline size_t spent_size(uint32_t rule_count)
{
	return ((size_t)rule_count + 1) * sizeof(uint64_t);
}
/* Counters of this process alone.  0 or -ENOMEM. */
int spent_init(struct spent *s, uint32_t rule_count);
/* Those of the descriptor, which must have that size and be sealed against another one.
 * 0 or -errno. */
int spent_open(struct spent *s, uint32_t rule_count, int fd);

/*
 * Takes up to `wanted` bytes of the rule's limit; how many.  `most`: the limit; 0: there
 * is none, and nothing is counted.  A rule that is not there has nothing left.
 */
uint64_t spent_take(struct spent *s, uint32_t rule, uint64_t most, uint64_t wanted);
/* Bytes that were taken and did not pass. */
void spent_give(struct spent *s, uint32_t rule, uint64_t most, uint64_t n);
/* Is nothing left? */
bool spent_all(const struct spent *s, uint32_t rule, uint64_t most);

#endif
