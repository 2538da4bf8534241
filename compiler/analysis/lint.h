/*
 * Rules that decide nothing (doc/analysis.md, "Rules that decide nothing"): those that
 * stricter rules, rules alike, or final rules of a higher level make unimportant, each with
 * a smallest set of such rules.  Only what is proved is a finding; taking away all rules of
 * the findings together changes no decision.
 */
#ifndef COMPILER_ANALYSIS_LINT_H
#define COMPILER_ANALYSIS_LINT_H

#include "compiler/base/vec.h"
#include "compiler/ir/ir.h"

enum lint_kind {
	LINT_DEAD,       /* stricter rules of its level, of level 5 or of the floor */
	LINT_OPPOSITE,   /* one of them says the opposite of exactly the same requests */
	LINT_REDUNDANT,  /* rules with the same effect, of its level */
	LINT_OVERRULED   /* rules of a higher level, whatever they say */
};

struct lint_finding {
	enum lint_kind kind;
	const struct ir_rule *rule;
	const struct ir_rule *const *by; /* no smaller set of these is enough */
	size_t nby;
	bool links; /* where a symbolic link leads out of it, the rule binds the target, too */
};

struct lint_open {
	const struct ir_rule *rule;
	const struct ir_rule *by; /* the first that could not be compared with it */
};

struct lint_result {
	VEC(struct lint_finding) findings; /* in the order of the rules */
	VEC(struct lint_open) open;        /* not decided */
	const struct ir_rule *rest; /* this and later rules were not looked at; or NULL */
	size_t nrest;
};

struct lint_input {
	const struct ir *ir;  /* lifted */
	const bool *asked;    /* by rule index: may it be a finding? */
	const uint8_t *weak;  /* by rule index: how well it is enforced; see cover.h */
};

void lint_rules(const struct lint_input *in, struct arena *a, struct lint_result *ret);

#endif
