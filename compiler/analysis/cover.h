/*
 * Does it make no difference to any request whether a rule is there, because of other
 * rules?  The answer is "yes" only if it is proved: for each request that the rule matches,
 * on each day, for each role, wherever the roots are.
 *
 * Two things are needed.  Wherever both match, the other rule must make this one
 * unimportant (levels, `final`, what lifts a default, who must answer, what the gateway
 * does); this header is about that.  And the other one must match wherever this one does
 * (cover_set.h).
 */
#ifndef COMPILER_ANALYSIS_COVER_H
#define COMPILER_ANALYSIS_COVER_H

#include "compiler/ir/ir.h"

/* Why a rule is unimportant where another one matches. */
enum cover_why {
	COVER_NOT,      /* it may be important */
	COVER_SAME,     /* the other one decides alike */
	COVER_STRICTER, /* the other one decides, and more strictly */
	COVER_FINAL     /* the other one is final at a higher level */
};

/* What is asked about each pair, made once for a policy. */
struct cover {
	const struct ir *ir;
	const bool *lifts;   /* by rule index: does it lift a default? */
	const bool *mounted; /* by rule index: is its tree the tree of a mount? */
	bool scratch;        /* is a `scratch` final, or does it lift a default? */
	/* by rule index: how well the layers enforce it; a smaller number is better */
	const uint8_t *weak;
};

/* `weak` may be NULL: then the layers are not compared. */
void cover_init(struct cover *c, const struct ir *ir, struct arena *a, const uint8_t *weak);
/* May the rule be found unimportant at all? */
bool cover_is_asked(const struct cover *c, const struct ir_rule *r);
/* Does `by` make `r` unimportant wherever both match? */
enum cover_why cover_why(const struct cover *c, const struct ir_rule *by,
			 const struct ir_rule *r);

#endif
