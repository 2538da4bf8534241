/* Does one rule match wherever another one does?  Nothing here looks at levels. */
#ifndef COMPILER_ANALYSIS_COVER_SET_H
#define COMPILER_ANALYSIS_COVER_SET_H

#include "compiler/ir/ir.h"
#include "compiler/sets/automaton.h"

/* Cheap: may `by` match wherever `r` does?  False only if it surely does not. */
bool cover_may_contain(const struct ir_rule *by, const struct ir_rule *r);
/* Does `by` match wherever `r` does? */
enum set_answer cover_contains(struct arena *a, const struct ir_rule *by,
			       const struct ir_rule *r);
/* May `by` match where `r` does?  False only if it surely does not. */
bool cover_may_meet(const struct ir_rule *by, const struct ir_rule *r);
/*
 * Does one of them match wherever `r` does?  Commands are not asked: a command that
 * stands for several must be matched as a whole by one rule.
 */
enum set_answer cover_together(struct arena *a, const struct ir_rule *const *by, size_t n,
			       const struct ir_rule *r);
/*
 * Files: do the paths of both rules begin with the same fixed folders?  If not, a symbolic
 * link on the machine may lead the rule elsewhere, and not the other one.
 */
bool cover_same_links(const struct ir_rule *by, const struct ir_rule *r);

#endif
