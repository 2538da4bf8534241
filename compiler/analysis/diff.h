/*
 * What two resolved policies decide differently (doc/polc.md, "What
 * changed").  Rules are compared by identity: what they mean without place,
 * name and spelling.  A rule that only one policy has is a question: the
 * requests of its set are divided into regions that meet the same rules, and
 * one request of each is asked of the evaluator under both policies.
 *
 * A finding about requests always holds a request that the evaluator answers
 * differently.  "Same" is only said where every region was looked at, or where
 * the rules of both sides are alike in each; all else is a doubt.
 */
#ifndef COMPILER_ANALYSIS_DIFF_H
#define COMPILER_ANALYSIS_DIFF_H

#include "compiler/base/vec.h"
#include "compiler/eval/eval.h"

enum diff_change {
#define CHANGE(id, word) DIFF_##id,
#include "compiler/analysis/diff_change.def"
#undef CHANGE
	DIFF_CHANGE_COUNT
};

/* What one of the two policies says. */
struct diff_said {
	bool there;   /* false: it says nothing about it */
	bool decides; /* `effect` holds */
	enum ir_effect effect;
	uint16_t err; /* of a system call that is denied */
	/* of what is no decision, one of these */
	const struct ir_scalar *scalar;
	enum ir_scalar_id scalar_id;
	const struct ir_setting *setting;
	struct str value;
	struct str id, text; /* of the rule, scalar, setting, … */
	enum ir_level level; /* 0: none */
	struct ir_place at;
};

struct diff_finding {
	const char *kind; /* "command", …, "limits", "setting", "policy" */
	enum diff_change change;
	bool widening; /* it permits more, or nobody can say that it does not */
	bool asked;    /* `request` is answered differently */
	struct str role; /* shows under this role alone, or empty */
	struct ir_request request;
	struct diff_said side[2]; /* old, new */
};

/* What could not be decided, and why. */
struct diff_doubt {
	struct str why;
	bool narrows_only; /* whatever it is, it permits nothing more */
	struct str role; /* as above */
	struct diff_said side[2];
};

/* Where requests are made. */
struct diff_where {
	struct ir_roots roots;
	struct str cwd;
	enum ir_scope scope; /* looked at first */
};

struct diff_result {
	VEC(struct diff_finding) findings;
	VEC(struct diff_doubt) doubts;
};

/* Both verified and lifted.  Bounded in time: past a budget there are doubts. */
void diff_policies(const struct ir *old, const struct ir *new,
		   const struct diff_where *where, struct arena *a,
		   struct diff_result *ret);
/* "newly-allowed", … */
const char *diff_change_name(enum diff_change c);

#endif
