/* Regular expressions that are not automata. Internal to decide/. */
#ifndef RUNTIME_DECIDE_PART_REGEX_H
#define RUNTIME_DECIDE_PART_REGEX_H

#include "runtime/decide/guard.h"
#include "runtime/decide/part_call.h"

/* What an expression that is not an automaton says about the words. Of those that are not
 * literal nothing is known: with `broad` the words before the first of them decide. */
struct guard_says call_search(struct call *c, const struct pb_regex *re, bool broad);

#endif
