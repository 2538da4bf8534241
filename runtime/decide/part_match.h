/* The clauses and rules that match one command. Internal to decide/. */
#ifndef RUNTIME_DECIDE_PART_MATCH_H
#define RUNTIME_DECIDE_PART_MATCH_H

#include "runtime/decide/combine.h"
#include "runtime/decide/line_ctx.h"

/* What matches one command. */
struct part_match {
	struct decide_match sure; /* allow and deny rules that must match, ask rules that
	                             may */
	struct decide_match more; /* the same, and deny rules that may match */
	bool may_deny;            /* `more` has a rule that `sure` lacks */
	bool inert;
	uint8_t risk;             /* enum ir_risk, semantics 4.5 */
};

/* If a limit is exceeded, l->work is 0, and the line is denied. */
void part_match(struct line_ctx *l, const struct cmd_part *p, struct part_match *ret);

/* May a broad clause of a deny rule match the words from `from` on, the first of them as
 * the program? All of them are literal. */
bool part_tail_may_deny(struct line_ctx *l, const struct cmd_part *p, uint32_t from);

#endif
