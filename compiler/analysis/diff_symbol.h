/*
 * Paths with the roots at no given places.  A word of such a path has a mark at each
 * place where a root lies: "/home/u", the mark of ${HOME}, "/.ssh".  So one automaton has
 * every arrangement of the roots.  Internal to diff_lang.c and diff_word.c.
 */
#ifndef COMPILER_ANALYSIS_DIFF_SYMBOL_H
#define COMPILER_ANALYSIS_DIFF_SYMBOL_H

#include "compiler/analysis/diff_item.h"

/*
 * For a proof: is some request of the changed rule let through by this rule (NULL: by a
 * default)?  The roots of `mask` lie anywhere, and the others where no path is below them.
 */
struct diff_symbols {
	unsigned mask;
	const struct diff_item *letting;
	/*
	 * Also stricter rules of other roots than those of the two: few questions need them,
	 * and their automata are large.
	 */
	bool all;
	const bool *lifts; /* by index of the old policy's rules: does it lift a default? */
};

/* The words of a pattern, with any marks of the roots in d->symbols between its bytes. */
struct set_re *diff_symbol_path(const struct diff *d, struct arena *tmp,
				const struct ir_path *p);
/* Words that are none: `bad` has the paths that are none, without marks. */
struct set_re *diff_symbol_none(const struct diff *d, struct arena *tmp,
				const struct set_re *bad);
/*
 * Sets the path of the word, and each root at its mark.  A root without one lies where it
 * is, or, if the path is below that, nowhere.
 */
void diff_symbol_request(struct arena *tmp, struct str word,
			 struct ir_request *q);

#endif
