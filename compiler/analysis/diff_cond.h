/*
 * What decides beside the words of a command: guards, and expressions that are not
 * regular.  Internal to analysis/diff*.c.
 */
#ifndef COMPILER_ANALYSIS_DIFF_COND_H
#define COMPILER_ANALYSIS_DIFF_COND_H

#include "compiler/analysis/diff_ask.h"

/* An item whose words match in a region. */
struct diff_met {
	const struct diff_item *it;
	/* Of each exception: do its words match there, so that its guards decide? */
	const bool *excepted;
};

/* Does more than words decide whether the item matches there? */
bool diff_cond_decides(const struct diff_met *m);

enum diff_cond {
	DIFF_COND_ALIKE,   /* both policies decide alike */
	DIFF_COND_NARROWS, /* the new one permits nothing more */
	DIFF_COND_UNKNOWN
};

static inline enum diff_cond diff_cond_worse(enum diff_cond x, enum diff_cond y)
{
	return x > y ? x : y;
}

/*
 * Where only one of two equal decisions is made by a rule, by its effect: the new policy
 * may permit more there ([0]), or surely does not ([1]).
 */
struct diff_named {
	bool by[IR_EFFECT_COUNT][2];
	bool allows[2]; /* where its allow rules alone count: of an interpreter */
};

/*
 * How do the rules of both policies decide, whatever the guards say?  Every option of a
 * guard may be there or not, in some readings or in all of them, and every other
 * condition may hold or not, each independently of the others.  Some combinations belong
 * to no line: then the answer is worse than the truth.  What follows from another answer
 * is left out; `one_program`: the program of all lines has the base name of the request's.
 * *ret_named tells where only one of two equal decisions is made by a rule.
 */
enum diff_cond diff_cond_decide(const struct diff_small *small, const struct ir_request *req,
				bool one_program, const struct diff_met *met, size_t n,
				struct diff_named *ret_named);

#endif
