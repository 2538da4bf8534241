/*
 * What one simple command of a line gets (semantics 4.4); for the files of the
 * reference evaluator and for `explain`.
 */
#ifndef COMPILER_EVAL_PART_H
#define COMPILER_EVAL_PART_H

#include "compiler/eval/asked.h"
#include "compiler/eval/decision.h"

/* Which step of 4.4 decided a part of a line. */
enum eval_part_step {
	EVAL_PS_RULES,       /* steps 1, 2: the rules, or `otherwise` */
	EVAL_PS_TRANSPARENT, /* step 2: a transparent wrapper, which needs no decision */
	EVAL_PS_SHELL_CODE,  /* step 2: code of a shell that an allow rule matches */
	EVAL_PS_LOST,        /* step 1: the words of a wrapper spell a denied command */
	EVAL_PS_MAY_DENY,    /* step 3: a rule denies some of its possible values */
	EVAL_PS_OPAQUE,      /* step 3: opaque, for the reason that the part gives */
	EVAL_PS_SPELLS,      /* the words of an unknown program spell a denied command */
	EVAL_PS_HIDDEN,      /* a word names a path that is hidden or must not be read */
	EVAL_PS_HOLDS,       /* a pattern or tree that the command reads may contain
	                        such a path */
	EVAL_PS_READS,       /* the command reads such a path */
	EVAL_PS_WRITES,      /* the command writes a path that a rule decides */
	EVAL_PS_MAY_READ,    /* a word names a path, or it reads what may be or hold one, about
			      * whose reading a rule asks */
	EVAL_PS_MAY_WRITE,   /* a word names a path that may not be written, and no table
	                        says that the program does not write there */
	EVAL_PS_TARGET,      /* a file or an address: decided by the rules of its
	                        section */
	EVAL_PS_SANDBOX,     /* a file that no rule is about: left to the sandbox */
	EVAL_PS_NO_TARGET,   /* a file or an address that is not known */
	EVAL_PS_UNPARSED,    /* text that could not be parsed */
	EVAL_PS_COUNT
};

struct eval_part_rule {
	const struct ir_rule *rule;
	bool must; /* false: the rule only may match */
};

struct eval_part_decision {
	const struct cmd_part *part;
	enum eval_part_step step;
	/* d.matched are the rules that went into the steps of 3.1 */
	struct eval_decision d;
	struct eval_part_rule *rules; /* every rule that may match, in order */
	size_t nrules;
	/*
	 * LOST, MAY_DENY, SPELLS, HIDDEN, HOLDS, READS, WRITES: the rule that is the
	 * reason; may be NULL
	 */
	const struct ir_rule *because;
	uint32_t word;       /* LOST, SPELLS, HIDDEN, READS: the index of the word */
	bool too_much;       /* CMD_TOO_MUCH is why it is opaque */
	bool allowed_by_rule;
	bool inert;
};

/* Steps 1 to 3 of 4.4 and those after them, for a part of kind CMD_COMMAND. */
void eval_decide_part(const struct eval_asked *q, struct arena *a,
		  struct eval_part_decision *ret);

/*
 * Does the rule match, less its exceptions?  An exception matches as a rule of the
 * opposite effect would.
 */
struct eval_match eval_rule_on_part(const struct eval_asked *q, const struct ir_rule *r);

const char *eval_part_step_name(enum eval_part_step s);

#endif
