/*
 * Which states of the automata over files still matter to whether a rule denies writing.
 * Internal to decide/.
 */
#ifndef RUNTIME_DECIDE_LINK_USEFUL_H
#define RUNTIME_DECIDE_LINK_USEFUL_H

#include "runtime/base/automaton.h"
#include "runtime/decide/decide.h"

#define LINK_USEFUL_STATES (512u * 1024) /* of all automata; if there are more, all matter */

struct link_states {
	uint8_t bits[LINK_USEFUL_STATES / 8];
};

struct link_useful {
	bool known;
	bool all;
	struct link_states denies, lifts;
};

/*
 * Fills `u` unless it is known.  In `denies` a state is missing if no text leads from it to a rule on
 * which a denial can depend: an ask, a deny or a hide of writing, or an allow that ends the
 * list of rules or lifts a default.  Whoever asks only whether a rule denies may take such a
 * state for the dead one.  In `lifts` those are missing that lead to no such allow and no exception:
 * they can only deny more.  Time: linear in the moves of all automata, for each turn of a
 * loop between them once more.
 */
void link_useful_find(struct link_useful *u, const struct decide_ctx *c);
/* `first`: how many states of the automata over files come before this one's. */
bool link_useful_has(const struct link_useful *u, const struct link_states *states, uint32_t first,
		     uint32_t state);

#endif
