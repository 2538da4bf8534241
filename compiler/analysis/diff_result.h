/*
 * What a comparison of two policies finds, in which surroundings, and the words of its
 * changes.
 */
#ifndef COMPILER_ANALYSIS_DIFF_RESULT_H
#define COMPILER_ANALYSIS_DIFF_RESULT_H

#include "compiler/base/vec.h"
#include "compiler/ir/ir.h"

/* The surroundings in which requests are made. */
struct diff_where {
	struct ir_roots roots;
	struct str cwd;
	enum ir_scope scope; /* examined first */
};

enum diff_change {
#define CHANGE(id, word) DIFF_##id,
#include "compiler/analysis/diff_change.def"
#undef CHANGE
	DIFF_CHANGE_COUNT
};

/* What one of the two policies says. */
struct diff_said {
	bool there;   /* false: the policy says nothing about it */
	bool decides; /* `effect` is valid */
	enum ir_effect effect;
	uint16_t err; /* for a system call that is denied */
	/* for what is not a decision, one of these */
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
	bool widening; /* it permits more, or we cannot show that it does not */
	bool asked;    /* `request` is answered differently */
	struct str role; /* set if it shows only under this role, else empty */
	struct ir_request request; /* a shortest one */
	/* another one for the same reason, as people would write it; NULL: there is none better */
	const struct ir_request *readable;
	struct diff_said side[2]; /* the old policy, the new policy */
	/* if it was asked: the ids of the changed rules or defaults of each policy that raise
	   it.  Others may decide the request. */
	VEC(struct str) causes[2];
};

/* Something that could not be decided, and the reason. */
struct diff_doubt {
	struct str why;
	bool narrows_only; /* whatever the answer is, nothing more is permitted */
	struct str role; /* as above */
	struct diff_said side[2];
};

struct diff_result {
	VEC(struct diff_finding) findings;
	VEC(struct diff_doubt) doubts;
	/* a proof: requests that differ, but only with roots at other places than now */
	VEC(struct diff_finding) elsewhere;
};

/* The request that people are shown. */
static inline const struct ir_request *diff_shown(const struct diff_finding *f)
{
	return f->readable ? f->readable : &f->request;
}

/* "newly-allowed", … */
const char *diff_change_name(enum diff_change c);

#endif
