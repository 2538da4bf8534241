/*
 * One request under both policies, and what is told about it.  Internal to
 * analysis/diff*.c.
 */
#ifndef COMPILER_ANALYSIS_DIFF_ASK_H
#define COMPILER_ANALYSIS_DIFF_ASK_H

#include "compiler/analysis/diff_item.h"

/*
 * Was all of it examined?  A variable that nobody has set says no.  Callers must read
 * the answer.
 */
enum diff_looked { DIFF_IN_PART, DIFF_WHOLLY };
#define DIFF_MUST_READ __attribute__((warn_unused_result))

static inline enum diff_looked diff_both(enum diff_looked x, enum diff_looked y)
{
	return x < y ? x : y;
}

/* The rules and classes that one region may meet, for each side: cheap to ask. */
struct diff_small {
	struct ir ir[2];
};

struct diff_small diff_small_of(struct diff *d, struct arena *tmp,
				struct diff_item *const *items, size_t n);
/* What is known about one changed rule. */
struct diff_told {
	const struct diff_item *of; /* NULL: it is no rule */
	struct str value;           /* the id of a default that is another one; else empty */
	/* bits of enum diff_change, each with and without widening: one finding of each
	 * kind is enough */
	uint64_t changes;
	bool widening;
	/* somebody was asked: not everywhere do the same rules, by what they do, match */
	bool asked;
	/*
	 * the rules that the request meets answered differently, but the whole policies
	 * did not
	 */
	bool unconfirmed;
	/*
	 * Both sides decide alike, but only one of them by a rule: words could still make
	 * a difference.  [0]: the new policy may permit more, [1]: it does not.  The first
	 * such request that gets each effect, if it was asked.
	 */
	bool named[2], by[IR_EFFECT_COUNT], has_alike[IR_EFFECT_COUNT];
	struct ir_request alike[IR_EFFECT_COUNT];
	/*
	 * Only one policy's allow rules allow an interpreter, although both decide alike: what
	 * it runs may differ.  As named[], and the first such request.
	 */
	bool code[2], has_coded;
	struct ir_request coded;
	bool final_apart; /* the same, but only one of them by a final rule */
	size_t lines; /* that were tried for guards and searches (diff_region.c) */
	/* what is not known permits nothing more */
	bool narrows_only;
};

/*
 * Asks both sides of `small` (NULL: directly the whole policies) in each scope of
 * `scopes`.  If they differ, both whole policies are asked, and a finding is added
 * unless it is known.  Returns whether they differed.
 */
bool diff_ask(struct diff *d, const struct diff_small *small, struct ir_request *req,
	      unsigned scopes, struct arena *tmp, struct diff_told *told);
/*
 * Does it matter whether a rule allows the command, or a default (eval/part.c)?  Not if
 * tables of both policies say how the program reads its words, and that it runs none.
 */
bool diff_words_count(const struct diff *d, const struct ir_request *req);
/* Does the item match the request? */
bool diff_matches(const struct diff_item *it, const struct ir_request *req);
struct ir_request diff_request(const struct diff *d, enum ir_kind kind);
struct diff_said diff_said_rule(const struct ir_rule *r);
struct diff_said diff_said_scalar(const struct ir_scalar *s);
/*
 * Is this the first finding of its kind about the request?  If so, it counts as told from
 * now on.
 */
bool diff_is_new(struct diff *d, const struct ir_request *req, enum diff_change change,
		 bool widening, struct diff_told *told);
/* Adds a finding that is new, with the item that raises it. */
void diff_finding_add(struct diff *d, struct diff_finding *f, const struct diff_told *told);
/* Do both whole policies answer this request as they do the finding's, by the same rules? */
bool diff_is_still(const struct diff *d, const struct diff_finding *f,
		   const struct ir_request *req);
/* A copy that stays when the region's arena is released. */
struct ir_request diff_keep_request(struct arena *a, const struct ir_request *req);
/* `narrows_only`: whatever the answer is, nothing more is permitted. */
void diff_doubt_item(struct diff *d, const struct diff_item *it, const char *why,
		     bool narrows_only);
/* Once: a statement of many patterns is one doubt where nothing tells them apart. */
void diff_doubt_add(struct diff *d, struct diff_doubt doubt);
/* Do the findings tell all that matters, so that no further question would add to it? */
bool diff_told_enough(const struct diff_item *it, const struct diff_told *told);
/*
 * Call this after all possible questions about the item.  If only part was examined,
 * that is a doubt with the reason `open`, unless the findings already tell everything
 * that matters.
 */
void diff_settled(struct diff *d, struct diff_item *it,
		  const struct diff_told *told, enum diff_looked looked,
		  const char *open);

#endif
