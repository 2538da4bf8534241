/* How denials are named to people: one line each, on stderr, every
 * byte that came from the command escaped. */
#ifndef RUNTIME_SUPERVISE_EXPLAIN_DENIALS_H
#define RUNTIME_SUPERVISE_EXPLAIN_DENIALS_H

#include <stdio.h>

#include "runtime/decide/rule_text.h"
#include "runtime/supervise/denials.h"

/* One line per denial: what was blocked, by which rule, at which file:line;
 * those that only make a program fall back to another call come last. */
void explain_denials(FILE *out, const struct bundle *b, const struct denials *d);
/* One line that points to --explain-denials, where there is something to name
 * that may be why a run failed. */
void explain_denials_hint(FILE *out, const struct denials *d);

#endif
