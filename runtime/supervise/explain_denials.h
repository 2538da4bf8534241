/* Names denials for people: one line each, on stderr, with every byte from the command
 * escaped. */
#ifndef RUNTIME_SUPERVISE_EXPLAIN_DENIALS_H
#define RUNTIME_SUPERVISE_EXPLAIN_DENIALS_H

#include <stdio.h>

#include "runtime/decide/rule_text.h"
#include "runtime/supervise/denials.h"

/* Prints one line per denial: what was blocked, by which rule, at which file:line.
 * Denials that only make a program fall back to another call come last. */
void explain_denials(FILE *out, const struct bundle *b, const struct denials *d);
/* Prints one line that points to --explain-denials, if there are denials that may be
 * the reason why a run failed. */
void explain_denials_hint(FILE *out, const struct denials *d);

#endif
