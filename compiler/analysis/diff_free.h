/*
 * Hosts that no narrower rule matches: one of them stands for the region of a rule.
 * Internal to diff_net.c.
 */
#ifndef COMPILER_ANALYSIS_DIFF_FREE_H
#define COMPILER_ANALYSIS_DIFF_FREE_H

#include "compiler/analysis/diff_ask.h"

/*
 * The result of a search.  A search that ended without an answer is OPEN.  OPEN is also
 * the value of a variable that nobody has set, so an answer must be given explicitly.
 * Callers must read the result.
 */
enum diff_seek {
	DIFF_SEEK_OPEN,
	DIFF_SEEK_NONE /* there surely is none */,
	DIFF_SEEK_FOUND
};

struct diff_free {
	VEC(const struct ir_net *) rules;
	size_t searched; /* the number of pieces examined */
};

/*
 * Finds an address in the piece `c` that is in no block of the rules with at least
 * `bits` bits.  Those are the blocks smaller than the one that is searched; the block
 * itself and larger ones remove nothing.
 */
DIFF_MUST_READ enum diff_seek diff_free_address(struct diff_free *f, struct num_cidr c,
						unsigned bits, uint8_t ret[16]);
/*
 * Finds a name below `apex` ("" allows any name) that no narrower rule matches.  Every
 * rule matches at most one of the names that we try below an apex, and of those with
 * one label.
 */
DIFF_MUST_READ enum diff_seek diff_free_name(const struct diff_free *f, struct str apex,
					     struct arena *a, struct str *ret);

#endif
