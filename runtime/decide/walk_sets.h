/* Words that are not literal: what may match. Internal to decide/. */
#ifndef RUNTIME_DECIDE_WALK_SETS_H
#define RUNTIME_DECIDE_WALK_SETS_H

#include "runtime/decide/walk.h"

/*
 * Adds what may match from these states on, for the words from `from` on; for narrow
 * automata also what must. Takes memory from w->pool. false: a budget is used up.
 */
bool walk_sets(const struct walk_at *at, struct walk *w, const uint32_t *set, uint32_t n,
	       uint32_t from);

/*
 * The words joined by blanks, as one text: the first word is w->lead, those of w->words from
 * the second on follow. Adds the clauses of some text to w->may, those of every text to
 * w->must. false: a budget is used up.
 */
bool walk_text(const struct walk_at *at, struct walk *w);

#endif
