/* The texts that a pattern without wildcards matches. */
#ifndef COMPILER_IR_TEXTS_H
#define COMPILER_IR_TEXTS_H

#include "compiler/base/vec.h"
#include "compiler/ir/ir.h"

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

/* The bytes with which every member begins; *ret_whole: they are all of it. */
struct str ir_glob_lead(struct arena *a, const struct ir_glob *g, bool *ret_whole);

#endif
