/* The answer of `polc explain`, whoever decided, and the JSON of its parts. */
#ifndef COMPILER_CLI_EXPLAIN_ANSWER_H
#define COMPILER_CLI_EXPLAIN_ANSWER_H

#include "compiler/base/vec.h"
#include "compiler/ir/ir.h"
#include "runtime/line/command.h"

/* A rule, a scalar or a fact, as it is printed. */
struct explain_rule {
	struct str id, file, text, because;
	uint32_t line; /* 0: nobody said it */
	const char *level;
	const char *effect; /* NULL: a scalar by risk */
};

/* A rule that may match a simple command; `must`: that matches all of it. */
struct explain_match {
	struct explain_rule rule;
	bool must;
};

/* What one part of a line gets. */
struct explain_part {
	const struct cmd_part *part;
	enum ir_effect effect;
	struct str step; /* of semantics 4.4, in words */
	struct explain_rule by;
	const char *risk; /* simple commands; NULL otherwise */
	bool inert, needs_person;
	VEC(struct explain_match) rules;
};

struct explain_layer {
	const char *layer, *exactness;
	struct str note;
};

struct explain_answer {
	struct arena *a;
	const char *kind;      /* "command", "file write", … */
	struct str request;    /* as it was asked */
	struct str subject;    /* what was judged, where it is another path */
	enum ir_effect effect;
	struct str step;       /* the step of semantics 3.1, in words */
	struct explain_rule by;
	struct explain_rule risk_by; /* line 0: no pattern classes it */
	const char *risk;      /* commands; NULL otherwise */
	bool needs_person;
	const char *err;       /* system calls: "EPERM", or NULL */
	VEC(struct explain_rule) matched;
	size_t more;           /* rules that match and are not listed */
	VEC(struct explain_layer) layers;
	/* commands: what the line may run, in its order */
	const struct cmd_line *line; /* or NULL */
	VEC(struct explain_part) parts;
};

/* FILE:LINE, or "built in". */
struct str explain_place(struct arena *a, const struct explain_rule *r);

/* A member of an object, with the comma before it. */
void explain_json_text(struct buf *b, const char *key, struct str v);
void explain_json_rule(struct buf *b, struct arena *a, const struct explain_rule *r);

#endif
