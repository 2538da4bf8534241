/* Asks an automaton about the words of a command. Internal to decide/. */
#ifndef RUNTIME_DECIDE_WALK_ASK_H
#define RUNTIME_DECIDE_WALK_ASK_H

#include "runtime/decide/walk.h"

/* Adds what an automaton of w->m says about the words. */
void walk_ask(const struct walk *w, const struct pb_automaton *a);
/* Adds to w->may what automaton `a` says in these end states, which come from another
 * automaton with the same moves. */
void walk_ask_at(const struct walk *w, const struct pb_automaton *a,
		 const struct walk_ends *ends);

/* The same for the words as one text (walk_text()). */
void walk_ask_text(const struct walk *w, const struct pb_automaton *a);

#endif
