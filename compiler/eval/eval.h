/*
 * The reference evaluator: what a decision means, in the plainest possible
 * code (doc/semantics.md, steps 3.1).  It walks patterns by backtracking and
 * conditions by arithmetic and shares no code with sets/, the back ends or
 * the runtime; everything compiled is tested against it.
 */
#ifndef COMPILER_EVAL_EVAL_H
#define COMPILER_EVAL_EVAL_H

#include "compiler/ir/ir.h"

/* Which step of 3.1 decided. */
enum eval_step {
	EVAL_STEP_FINAL,     /* 3, with n = 1 or 2 by a final rule */
	EVAL_STEP_RULES,     /* 3 */
	EVAL_STEP_DEFAULT,   /* 3, and a deny, ask or hide of level 5 decided */
	EVAL_STEP_FLOOR,     /* 3, and a floor rule decided */
	EVAL_STEP_BASE_ALLOW,/* 4 */
	EVAL_STEP_OTHERWISE, /* 5 */
	EVAL_STEP_RISK,      /* 5, by risk */
	EVAL_STEP_OPAQUE,    /* an unparsed line */
	EVAL_STEP_MODE,      /* network disabled, or its loopback */
	EVAL_STEP_UNKNOWN,   /* a system call number without a name: ENOSYS */
	EVAL_STEP_COUNT
};

struct eval_line;

struct eval_decision {
	enum ir_effect effect;        /* HIDE where a hide rule decided */
	enum eval_step step;
	const struct ir_rule *rule;   /* or NULL: a scalar decided */
	enum ir_scalar_id scalar;     /* where rule is NULL */
	uint16_t err;                 /* syscall deny: the errno */
	enum ir_risk risk;            /* command, tool: the class */
	const struct ir_risk_fact *risk_fact; /* or NULL: no pattern classes it */
	bool needs_person;            /* an ask that -y does not answer */
	const struct ir_rule **matched; /* every rule that matches, in order */
	size_t nmatched;
	const struct eval_line *line; /* commands: what each part of it got, or NULL */
};

/* Never fails; what it cannot decide is denied. */
void eval_decide(const struct ir *ir, const struct ir_request *req, struct arena *a,
	     struct eval_decision *ret);

/*
 * 5: what lies below the place of a mount is what lies below its tree.  False
 * where the tree hangs off a root that this decision has not: no such file.
 */
bool eval_own_name(const struct ir *ir, struct ir_request *req, struct arena *a);
/* Does this one rule match (its set, scopes and exceptions)?  Not of commands, which
 * match in two ways: eval_rule_on_part(). */
bool eval_rule_matches(const struct ir_rule *rule, const struct ir_request *req);
const char *eval_step_name(enum eval_step s);

#endif
