/*
 * What one simple command of a line gets (semantics 4.4), for the files of the
 * reference evaluator and for explaining.
 */
#ifndef COMPILER_EVAL_PART_H
#define COMPILER_EVAL_PART_H

#include "compiler/eval/eval.h"
#include "compiler/eval/match_command.h"

/* Which step of 4.4 decided a part of a line. */
enum eval_part_step {
	EVAL_PS_RULES,       /* 1, 2: the rules, or `otherwise` */
	EVAL_PS_TRANSPARENT, /* 2: a transparent wrapper, of which nothing is asked */
	EVAL_PS_SHELL_CODE,  /* 2: in the code of a shell that an allow rule matches */
	EVAL_PS_LOST,        /* 1: the words of a wrapper spell a denied command */
	EVAL_PS_MAY_DENY,    /* 3: a rule denies some of what it may stand for */
	EVAL_PS_OPAQUE,      /* 3: opaque, for the reason of the part */
	EVAL_PS_SPELLS,      /* the words of an unknown program spell a denied command */
	EVAL_PS_HIDDEN,      /* a word names a path that is hidden, or not to be read */
	EVAL_PS_HOLDS,       /* what it reads may be, or hold, such a path */
	EVAL_PS_READS,       /* it reads such a path */
	EVAL_PS_WRITES,      /* it writes a path of which a rule speaks */
	EVAL_PS_TARGET,      /* a file or an address: the rules of its section */
	EVAL_PS_NO_TARGET,   /* … that is not known */
	EVAL_PS_UNPARSED,    /* text that could not be read */
	EVAL_PS_COUNT
};

struct eval_part_rule {
	const struct ir_rule *rule;
	bool must; /* else it may match */
};

struct eval_part_decision {
	const struct cmd_part *part;
	enum eval_part_step step;
	/* d.matched are the rules that 3.1 was asked about */
	struct eval_decision d;
	struct eval_part_rule *rules; /* every rule that may match, in order */
	size_t nrules;
	/* LOST, MAY_DENY, SPELLS, HIDDEN, HOLDS, READS, WRITES: the rule because of which; or NULL */
	const struct ir_rule *because;
	uint32_t word;       /* LOST, SPELLS, HIDDEN, READS: the word it is about */
	bool allowed_by_rule;
	bool inert;
};

/* Steps 1 to 3 and what follows them, for a part of kind CMD_COMMAND. */
void eval_decide_part(const struct eval_asked *q, struct arena *a,
		  struct eval_part_decision *ret);

/* Does the rule match, less its exceptions, each as the opposite would? */
struct eval_match eval_rule_on_part(const struct eval_asked *q, const struct ir_rule *r);

/* What the table says of files (eval_files.c).  The rule that hides what a literal word
 * names, or denies it being read; of all words, or of those that are read. */
const struct ir_rule *eval_part_hidden(const struct eval_asked *q, bool only_read,
				     uint32_t *ret_word);
/* One that does so of what a pattern or a tree that is read may be. */
const struct ir_rule *eval_part_holds(const struct eval_asked *q);
/* What rules say of what is written; false: no rule does. */
bool eval_part_writes(const struct eval_asked *q, struct arena *a, struct eval_decision *ret);

const char *eval_part_step_name(enum eval_part_step s);

#endif
