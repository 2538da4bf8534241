/* What the reference evaluator decides about a request, and which step decided it. */
#ifndef COMPILER_EVAL_DECISION_H
#define COMPILER_EVAL_DECISION_H

#include "compiler/ir/ir.h"

/* Which step of semantics 3.1 decided. */
enum eval_step {
	EVAL_STEP_FINAL,     /* step 3, with n = 1 or 2 because of a final rule */
	EVAL_STEP_RULES,     /* step 3 */
	EVAL_STEP_DEFAULT,   /* step 3: a deny, ask or hide of level 5 decided */
	EVAL_STEP_FLOOR,     /* step 3: a floor rule decided */
	EVAL_STEP_BASE_ALLOW,/* step 4 */
	EVAL_STEP_OTHERWISE, /* step 5 */
	EVAL_STEP_RISK,      /* step 5, by risk class */
	EVAL_STEP_OPAQUE,    /* the line could not be parsed */
	EVAL_STEP_MODE,      /* network disabled, or the run's own loopback */
	EVAL_STEP_GUARD,     /* a guarded address that no rule names (semantics 6) */
	EVAL_STEP_UNKNOWN,   /* the system call's number has no name: ENOSYS */
	EVAL_STEP_COUNT
};

struct eval_line;

struct eval_decision {
	enum ir_effect effect;        /* HIDE where a hide rule decided */
	enum eval_step step;
	const struct ir_rule *rule;   /* NULL: a scalar decided */
	enum ir_scalar_id scalar;     /* which scalar, where rule is NULL */
	uint16_t err;                 /* syscall deny: the errno */
	enum ir_risk risk;            /* command, tool: the class of risk */
	const struct ir_risk_fact *risk_fact; /* NULL: no pattern gives it a class */
	bool needs_person;            /* an ask that -y does not answer */
	const struct ir_rule **matched; /* every rule that matches, in order */
	size_t nmatched;
	const struct eval_line *line; /* commands: what each part got; else NULL */
};

const char *eval_step_name(enum eval_step s);

#endif
