/* Writes automata of the set engine as tables of a bundle's member, and reads them. */
#ifndef COMPILER_RECORD_AUTOMATON_H
#define COMPILER_RECORD_AUTOMATON_H

#include "compiler/base/buf.h"
#include "compiler/base/map.h"
#include "compiler/sets/automaton.h"
#include "runtime/base/automaton.h"

/* The tables that a member has so far; equal tables are stored once. */
struct rec_tables {
	struct arena *a;
	struct buf *out; /* begins with the member's first byte */
	struct map seen; /* bytes -> their offset + 1 */
};

void rec_tables_init(struct rec_tables *t, struct arena *a, struct buf *out);
/*
 * Appends those tables of `d` that are new, and sets in `a` the dimensions and the
 * offsets of the tables; the caller sets the other fields of `a`.
 */
void rec_automaton_put(struct rec_tables *t, const struct set_dfa *d,
		      struct pb_automaton *a);
/* Reads an automaton of the member `m`, which the checks of the bundle have accepted. */
void rec_automaton_read(struct arena *a, const void *m, const struct pb_automaton *p,
		       struct set_dfa *ret);

#endif
