/* Which limits ended the command, or are likely to be why it failed. */
#ifndef RUNTIME_POLRUN_LIMIT_HIT_H
#define RUNTIME_POLRUN_LIMIT_HIT_H

#include <stdio.h>

#include "runtime/bundle/reader.h"
#include "runtime/supervise/supervise.h"

struct limit_hit {
	uint8_t kind;   /* enum pb_limit_kind */
	uint32_t rule;
	uint64_t value; /* of the limit */
	bool likely;    /* inferred: nobody saw the kernel refuse */
};
#define LIMIT_HITS 3

/* Fills `ret`; returns how many there are. */
size_t limit_hits(const struct bundle *b, const struct supervise_result *r,
		  struct limit_hit ret[LIMIT_HITS]);
/* The word of the policy: "time", "memory", "file-size". */
const char *limit_word(unsigned kind);
/* One line for each; a limit that is only likely goes to `notes`. */
void limit_say(FILE *out, FILE *notes, const struct bundle *b, const struct supervise_result *r);

#endif
