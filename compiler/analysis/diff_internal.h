/* What the files of diff share.  Internal to analysis/diff*.c. */
#ifndef COMPILER_ANALYSIS_DIFF_INTERNAL_H
#define COMPILER_ANALYSIS_DIFF_INTERNAL_H

#include "compiler/analysis/diff.h"
#include "compiler/base/map.h"
#include "compiler/sets/automaton.h"

enum { DIFF_OLD, DIFF_NEW };

/*
 * The result of a search.  A search that ended without an answer is OPEN.  OPEN is also
 * the value of a variable that nobody has set, so an answer must be given explicitly.
 * Callers must read the result.
 */
enum diff_seek { DIFF_OPEN, DIFF_NONE /* there surely is none */, DIFF_FOUND };
/* Was all of it examined?  The same rules apply. */
enum diff_looked { DIFF_IN_PART, DIFF_WHOLLY };
#define DIFF_MUST_READ __attribute__((warn_unused_result))

static inline enum diff_looked diff_both(enum diff_looked x, enum diff_looked y)
{
	return x < y ? x : y;
}

/*
 * A rule, or the risk class of a command or tool, identified by what it means: one item
 * if both policies have it.
 */
struct diff_item {
	const struct ir_rule *rule[2];      /* one for each side, or NULL */
	const struct ir_risk_fact *risk[2]; /* the same */
	enum ir_kind kind;
	bool changed;  /* only in one policy, or its effect has changed */
	uint32_t acts; /* items with the same number act alike if they match */
	/* the texts that it matches begin with `lead` */
	struct str lead;
	/*
	 * whole: they are equal to `lead`, or go on after it with `sep` (0: with
	 * anything)
	 */
	bool whole;
	char sep;
	/* its language and what is subtracted from it; made on demand */
	const struct set_re *re, *minus;
};

struct diff {
	struct arena *a;
	const struct ir *ir[2];
	const struct diff_where *where;
	struct diff_result *ret;
	VEC(struct diff_item *) items[IR_KIND_COUNT];
	/*
	 * rules that act alike may still be decided differently, because of locks or
	 * the mode
	 */
	bool context_differs[IR_KIND_COUNT];
	struct map seen; /* findings, by request and change */
	size_t spent;    /* what all questions have used of the budget */
};

/* --- asking (diff_ask.c) ------------------------------------------------- */

/* The rules and classes that one region may meet, for each side: cheap to ask. */
struct diff_small {
	struct ir ir[2];
};

struct diff_small diff_small_of(struct diff *d, struct arena *tmp,
				struct diff_item *const *items, size_t n);
/* What is known about one changed rule. */
struct diff_told {
	/* bits of enum diff_change, each with and without widening: one finding of each
	 * kind is enough */
	uint64_t changes;
	bool widening;
	/*
	 * the rules that the request meets answered differently, but the whole policies
	 * did not
	 */
	bool unconfirmed;
	/*
	 * both sides allow the request, but only one of them by a rule, or by a final
	 * rule: its words could still make a difference
	 */
	bool allowed_otherwise;
};

/*
 * Asks both sides of `small` (NULL: directly the whole policies) in each scope of
 * `scopes`.  If they differ, both whole policies are asked, and a finding is added
 * unless it is known.  Returns whether they differed.
 */
bool diff_ask(struct diff *d, const struct diff_small *small, struct ir_request *req,
	      unsigned scopes, struct arena *tmp, struct diff_told *told);
/* Does the item match the request? */
bool diff_matches(const struct diff_item *it, const struct ir_request *req);
struct ir_request diff_request(const struct diff *d, enum ir_kind kind);
struct diff_said diff_said_rule(const struct ir_rule *r);
struct diff_said diff_said_scalar(const struct ir_scalar *s);
void diff_doubt_item(struct diff *d, const struct diff_item *it, const char *why);
void diff_doubt_add(struct diff *d, struct diff_doubt doubt);
/*
 * Call this after all possible questions about the item.  If only part was examined,
 * that is a doubt with the reason `open`, unless the findings already tell everything
 * that matters.
 */
void diff_settled(struct diff *d, const struct diff_item *it,
		  const struct diff_told *told, enum diff_looked looked,
		  const char *open);

/* --- identity (diff_key.c) ----------------------------------------------- */

/* What the rule means: a key without place, name and spelling. */
struct str diff_rule_key(struct arena *a, const struct ir_rule *r);

/* Fills in items[], which items are changed, and which act alike. */
void diff_identify(struct diff *d);
/* The rule on either side; NULL for a risk class. */
const struct ir_rule *diff_rule(const struct diff_item *it);
const struct ir_risk_fact *diff_risk(const struct diff_item *it);
unsigned diff_scopes(const struct diff_item *it);
/*
 * Of the items that match one request (tags: indexes of `items`), do those of the old
 * policy act like those of the new one?
 */
bool diff_acts_alike(struct diff_item *const *items, const uint32_t *tags, size_t n,
		     struct arena *tmp);
/* May the item's change permit something that was not permitted? */
bool diff_may_widen(const struct diff_item *it);

/* --- regions (diff_lang.c, diff_net.c, diff_call.c) ---------------------- */

void diff_languages(struct diff *d, enum ir_kind kind);
void diff_nets(struct diff *d);
void diff_calls(struct diff *d);
/* Compares values that decide or limit (diff_scalar.c). */
void diff_scalars(struct diff *d);
/* Compares locks, settings, variables, facts, mounts and roles (diff_value.c). */
void diff_values(struct diff *d);

#endif
