/* Words that are not literal: what surely matches. Internal to decide/. */
#ifndef RUNTIME_DECIDE_WALK_MUST_H
#define RUNTIME_DECIDE_WALK_MUST_H

#include "runtime/decide/walk.h"

/*
 * Adds to w->must the clauses that match every list from these states on, for the words
 * from `from` on. false: a budget is used up.
 */
bool walk_must(const struct walk_at *at, struct pool pool, const uint32_t *set,
	       uint32_t n, uint32_t from);

#endif
