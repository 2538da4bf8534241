/* Which rare automata a command can match. Internal to decide/. */
#ifndef RUNTIME_DECIDE_PART_NEEDLE_H
#define RUNTIME_DECIDE_PART_NEEDLE_H

#include "runtime/decide/part_call.h"

/*
 * For a known program: which rare automata (format_matcher.h) have their needle in a word
 * and must be asked. No clause of the others is sure, and if all words are known, none of
 * them may match. NULL: all must be asked. The set lies in c->l->pool.
 */
const struct rare_found *call_rare(struct call *c);
/* Of the n rare automata from `from` on, asks those that have something to say. */
void rare_ask(const struct walk *w, const struct rare_found *r, uint32_t from, uint32_t n);

#endif
