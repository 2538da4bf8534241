/*
 * What would make a request allowed: the smallest statement that a level can add, or the
 * exception to one that it has, and everything else that this would permit (doc/polc.md,
 * "Why not").  Nothing is proposed that the evaluator does not allow.
 */
#ifndef COMPILER_CLI_WHY_NOT_H
#define COMPILER_CLI_WHY_NOT_H

#include "compiler/analysis/diff_result.h"
#include "compiler/cli/explain_answer.h"
#include "compiler/cli/why_edit.h"

enum why_answer {
	WHY_ALLOWED, /* it is allowed already */
	WHY_RULES,   /* the edits allow it */
	WHY_LOCKED,  /* another level, or the floor, decides: `by` */
	WHY_NONE     /* no rule of any level would allow it: `reason` */
};

struct why_not {
	enum why_answer answer;
	enum ir_level level;
	struct why_edits edits;  /* RULES */
	struct diff_result more; /* RULES: what else changes, and what is undecided about it */
	/* for the words of requests, as in struct compare */
	struct ir_roots roots;
	bool made[IR_ROOT_COUNT];
	struct str reason;       /* LOCKED, NONE */
	struct explain_rule by;  /* LOCKED: who; no id: nobody has a place */
};

/* False after a message about the surroundings of the request. */
bool why_not(const struct ir *ir, const struct ir_request *req, const struct options *o,
	     struct arena *a, struct why_not *ret);

/* Prints the answer. */
void why_not_text(FILE *out, const struct why_not *w, const struct options *o, struct arena *a);
/* The member `why_not`. */
void why_not_json(struct json *j, const struct why_not *w, const struct options *o, struct arena *a);

#endif
