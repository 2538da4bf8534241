/* The answer of `polc explain`, from the evaluator or a bundle, and its JSON parts. */
#ifndef COMPILER_CLI_EXPLAIN_ANSWER_H
#define COMPILER_CLI_EXPLAIN_ANSWER_H

#include "compiler/base/json_buf.h"
#include "compiler/base/vec.h"
#include "compiler/ir/ir.h"
#include "runtime/line/command.h"

/* A rule, a scalar or a fact, as it is printed. */
struct explain_rule {
	struct str id, file, text, because;
	uint32_t line; /* 0: no statement */
	const char *level;
	const char *effect; /* NULL: a scalar by risk */
	struct str idle;    /* a rule that matches and does not count: why; else empty */
};

/* A rule that may match a simple command; `must`: it matches in any case. */
struct explain_match {
	struct explain_rule rule;
	bool must;
};

/* What one part of a line gets. */
struct explain_part {
	const struct cmd_part *part;
	enum ir_effect effect;
	struct str step; /* step of semantics 4.4, in words */
	struct explain_rule by;
	const char *risk; /* simple commands; NULL otherwise */
	bool inert, needs_person;
	VEC(struct explain_match) rules;
};

/* What the decision means for an assertion. */
enum explain_agrees {
	EXPLAIN_UNDECIDED, /* it is not known whether its set contains the request */
	EXPLAIN_HOLDS,
	EXPLAIN_AGAINST
};

struct explain_assertion {
	const struct ir_assertion *is;
	enum explain_agrees agrees;
};

struct explain_layer {
	const char *layer, *exactness;
	struct str note;
};

struct why_not;
struct options;

struct explain_answer {
	struct arena *a;
	const char *kind;      /* "command", "file write", … */
	struct str request;    /* as the user asked it */
	struct str subject;    /* the path that was judged, if it is another one */
	enum ir_effect effect;
	struct str step;       /* the step of semantics 3.1, in words */
	struct explain_rule by;
	struct explain_rule without; /* who would decide without `by`; no id: nobody */
	struct explain_rule risk_by; /* line 0: no pattern gives the risk */
	const char *risk;      /* commands; NULL otherwise */
	bool needs_person;
	struct str hint;       /* what would make it pass; empty: nothing is known */
	bool hint_is_rule;
	struct str gateway;    /* what it does with the connection; empty: only lets it pass */
	const char *err;       /* system calls: "EPERM", or NULL */
	VEC(struct explain_rule) matched;
	size_t more;           /* number of rules that match and are not listed */
	bool asserts;          /* the policy has assertions */
	VEC(struct explain_assertion) assertions; /* whose sets contain the request, or may */
	VEC(struct explain_layer) layers;
	/* commands: what the line may run, in order */
	const struct cmd_line *line; /* or NULL */
	const struct why_not *why;   /* --why-not; or NULL */
	const struct options *o;     /* for its words; NULL without it */
	VEC(struct explain_part) parts;
};

/* FILE:LINE, or "built in". */
struct str explain_place(struct arena *a, const struct explain_rule *r);

/* Is it the same statement, in the same role? Its patterns are one rule each. */
bool explain_same_rule(const struct explain_rule *x, const struct explain_rule *y);

/* `key` is NULL in a list. */
void explain_json_rule(struct json *j, const char *key, struct arena *a,
		       const struct explain_rule *r);

#endif
