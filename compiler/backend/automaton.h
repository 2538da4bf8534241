/* Automata of the set engine as tables of a bundle's member, and back. */
#ifndef COMPILER_BACKEND_AUTOMATON_H
#define COMPILER_BACKEND_AUTOMATON_H

#include "compiler/base/buf.h"
#include "compiler/sets/automaton.h"
#include "runtime/bundle/format.h"

/*
 * Appends the tables of `d`, padded to 8 bytes, and writes its dimensions and
 * the tables' offsets to `a`; the other fields of `a` are the caller's.  `out`
 * begins with the member's first byte.
 */
void bk_automaton_put(struct arena *arena, struct buf *out, const struct set_dfa *d,
		      struct pb_automaton *a);
/* An automaton of the member `m`, which the bundle's checks have passed. */
void bk_automaton_read(struct arena *a, const void *m, const struct pb_automaton *p,
		       struct set_dfa *ret);

#endif
