/* What would let pass what was denied: for the report and for people. */
#ifndef RUNTIME_SUPERVISE_DENIAL_HINT_H
#define RUNTIME_SUPERVISE_DENIAL_HINT_H

#include "runtime/decide/decide.h"
#include "runtime/supervise/denials.h"

/* Writes the smallest rule that would allow it, or why no rule can.  False: neither is
 * known. */
bool denial_hint(const struct bundle *b, const struct denial *d, char *out, size_t cap);

#endif
