/*
 * The reference evaluator: what a decision means, in the plainest possible
 * code (doc/semantics.md, steps 3.1).  It walks patterns by backtracking and
 * conditions by arithmetic and shares no code with sets/, the back ends or
 * the runtime; everything compiled is tested against it.
 */
#ifndef COMPILER_IR_EVAL_H
#define COMPILER_IR_EVAL_H

#include "compiler/ir/ir.h"

/* Which step of 3.1 decided. */
enum ir_step {
	IR_STEP_FINAL,     /* 3, with n = 1 or 2 by a final rule */
	IR_STEP_RULES,     /* 3 */
	IR_STEP_DEFAULT,   /* 3, and a deny, ask or hide of level 5 decided */
	IR_STEP_FLOOR,     /* 3, and a floor rule decided */
	IR_STEP_BASE_ALLOW,/* 4 */
	IR_STEP_OTHERWISE, /* 5 */
	IR_STEP_RISK,      /* 5, by risk */
	IR_STEP_OPAQUE,    /* an unparsed line */
	IR_STEP_MODE,      /* network disabled, or its loopback */
	IR_STEP_UNKNOWN,   /* a system call number without a name: ENOSYS */
	IR_STEP_COUNT
};

struct ir_line;

struct ir_decision {
	enum ir_effect effect;        /* HIDE where a hide rule decided */
	enum ir_step step;
	const struct ir_rule *rule;   /* or NULL: a scalar decided */
	enum ir_scalar_id scalar;     /* where rule is NULL */
	uint16_t err;                 /* syscall deny: the errno */
	enum ir_risk risk;            /* command, tool: the class */
	const struct ir_risk_fact *risk_fact; /* or NULL: no pattern classes it */
	bool needs_person;            /* an ask that -y does not answer */
	const struct ir_rule **matched; /* every rule that matches, in order */
	size_t nmatched;
	const struct ir_line *line; /* commands: what each part of it got, or NULL */
};

/* Never fails; what it cannot decide is denied. */
void ir_eval(const struct ir *ir, const struct ir_request *req, struct arena *a,
	     struct ir_decision *ret);

/*
 * 5: what lies below the place of a mount is what lies below its tree.  False
 * where the tree hangs off a root that this decision has not: no such file.
 */
bool ir_own_name(const struct ir *ir, struct ir_request *req, struct arena *a);
/* Does this one rule match (its set, scopes and exceptions)?  Not of commands, which
 * match in two ways: ir_rule_on_part(). */
bool ir_rule_matches(const struct ir_rule *rule, const struct ir_request *req);
const char *ir_step_name(enum ir_step s);

#endif
