/* What the parts of diff share.  Internal to analysis/diff*.c. */
#ifndef COMPILER_ANALYSIS_DIFF_INTERNAL_H
#define COMPILER_ANALYSIS_DIFF_INTERNAL_H

#include "compiler/analysis/diff.h"
#include "compiler/base/map.h"
#include "compiler/sets/automaton.h"

enum { DIFF_OLD, DIFF_NEW };

/*
 * What a search came to.  One that ended without an answer is OPEN, which is also
 * what nobody has set: an answer has to be said.  Who searches must read it.
 */
enum diff_seek { DIFF_OPEN, DIFF_NONE /* there is none, surely */, DIFF_FOUND };
/* Was all of it looked at?  The same holds here. */
enum diff_looked { DIFF_IN_PART, DIFF_WHOLLY };
#define DIFF_MUST_READ __attribute__((warn_unused_result))

static inline enum diff_looked diff_both(enum diff_looked x, enum diff_looked y)
{
	return x < y ? x : y;
}

/*
 * A rule, or the class of a command or tool, by what it means: one item where
 * both policies have it.
 */
struct diff_item {
	const struct ir_rule *rule[2];      /* by side, or NULL */
	const struct ir_risk_fact *risk[2]; /* likewise */
	enum ir_kind kind;
	bool changed;  /* one policy only, or its effect depends on more */
	uint32_t acts; /* items with one number act alike on what they match */
	/* texts that it matches begin with this … */
	struct str lead;
	/* … and are this, or go on behind it at `sep` (0: anywhere) */
	bool whole;
	char sep;
	/* its language and what is taken off; made when they are needed */
	const struct set_re *re, *minus;
};

struct diff {
	struct arena *a;
	const struct ir *ir[2];
	const struct diff_where *where;
	struct diff_result *ret;
	VEC(struct diff_item *) items[IR_KIND_COUNT];
	/* rules that act alike may be decided differently: locks, the mode */
	bool context_differs[IR_KIND_COUNT];
	struct map seen; /* findings, by request and change */
	size_t spent;    /* of the budget of all questions */
};

/* --- asking (diff_ask.c) ------------------------------------------------- */

/* The rules and classes that one region may meet, per side; cheap to ask. */
struct diff_small {
	struct ir ir[2];
};

struct diff_small diff_small_of(struct diff *d, struct arena *tmp,
				struct diff_item *const *items, size_t n);
/* What is known of one changed rule. */
struct diff_told {
	/* bits of enum diff_change, each with and without widening: one finding each
	 * is enough */
	uint64_t changes;
	bool widening;
	/* the rules that meet answered differently, and yet the whole policies alike */
	bool unconfirmed;
};

/*
 * Asks both sides of `small` (NULL: the whole policies at once) in each scope
 * of `scopes`.  Where they differ, both whole policies are asked, and a
 * finding is added unless it is there.  Returns whether they differed.
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
 * All was asked about the item that could be.  What was looked at in part only is
 * a doubt, for the reason `open`, unless the findings say all that matters anyway.
 */
void diff_settled(struct diff *d, const struct diff_item *it,
		  const struct diff_told *told, enum diff_looked looked,
		  const char *open);

/* --- identity (diff_key.c) ----------------------------------------------- */

/* What the rule means, without place, name and spelling. */
struct str diff_rule_key(struct arena *a, const struct ir_rule *r);

/* Fills items[], what is changed and what acts alike. */
void diff_identify(struct diff *d);
/* The rule, of either side; NULL for a class. */
const struct ir_rule *diff_rule(const struct diff_item *it);
const struct ir_risk_fact *diff_risk(const struct diff_item *it);
unsigned diff_scopes(const struct diff_item *it);
/* Do the items that hold in each of the two lists act alike?  tags: indexes of
 * `items`. */
bool diff_acts_alike(struct diff_item *const *items, const uint32_t *tags, size_t n,
		     struct arena *tmp);
/* May the item, changed as it is, permit anything that was not? */
bool diff_may_widen(const struct diff_item *it);

/* --- regions (diff_lang.c, diff_net.c, diff_call.c) ---------------------- */

void diff_languages(struct diff *d, enum ir_kind kind);
void diff_nets(struct diff *d);
void diff_calls(struct diff *d);
/* Values that decide or limit (diff_scalar.c). */
void diff_scalars(struct diff *d);
/* Locks, settings, variables, facts, mounts, roles (diff_value.c). */
void diff_values(struct diff *d);

#endif
