/* One word of a command as the automata read it. Internal to decide/. */
#ifndef RUNTIME_DECIDE_PART_WORD_H
#define RUNTIME_DECIDE_PART_WORD_H

#include "runtime/decide/line_ctx.h"
#include "runtime/decide/walk.h"

/* The word as the automata read it; *ret lies in the pool. false: no room. */
bool part_word(struct line_ctx *l, const struct cmd_word *w, bool broad,
	       struct walk_word *ret);

#endif
