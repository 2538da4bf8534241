/* The texts that a pattern without wildcards matches. */
#ifndef COMPILER_IR_TEXTS_H
#define COMPILER_IR_TEXTS_H

#include "compiler/base/vec.h"
#include "compiler/ir/ir.h"

/* Alternatives of a path are written out up to this many names; beyond it they count as a
 * wildcard. */
#define IR_MOST_NAMES 256

/* VEC(struct str), with a name. */
struct ir_texts {
	struct str *v;
	size_t n, cap;
};

/*
 * One text for each choice among the {alternatives}; a text may occur twice.  False, with no
 * text in *ret: the pattern has a wildcard, or more than `max` texts.
 */
bool ir_glob_texts(struct arena *a, const struct ir_glob *g, size_t max,
		   struct ir_texts *ret);

/* Has it as many texts?  The answer of ir_glob_texts(), without writing them out. */
bool ir_glob_is_texts(const struct ir_glob *g, size_t max);
/*
 * Does a rule take reading away by a wildcard inside of the sandbox?  Then polrun decides
 * about every open of the run.
 */
bool ir_opens_by_name(const struct ir *ir);
/* Or executing? */
bool ir_starts_by_name(const struct ir *ir);
/* Is this one of the rules that do? */
bool ir_rule_starts_by_name(const struct ir_rule *r);

/* The bytes with which every member begins; *ret_whole: they are all of it. */
struct str ir_glob_lead(struct arena *a, const struct ir_glob *g, bool *ret_whole);

#endif
