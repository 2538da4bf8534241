/*
 * A comparison of two policies while it runs: their rules as items.  Internal to
 * analysis/diff*.c.
 */
#ifndef COMPILER_ANALYSIS_DIFF_ITEM_H
#define COMPILER_ANALYSIS_DIFF_ITEM_H

#include "compiler/analysis/diff_result.h"
#include "compiler/base/map.h"
#include "compiler/sets/automaton.h"

enum { DIFF_OLD, DIFF_NEW };

/*
 * A rule, or the risk class of a command or tool, identified by what it means: one item
 * if both policies have it.
 */
struct diff_item {
	const struct ir_rule *rule[2];      /* one for each side, or NULL */
	const struct ir_risk_fact *risk[2]; /* the same */
	enum ir_kind kind;
	bool changed;  /* only in one policy, or its effect has changed */
	/* changed, and yet what it matches is matched by rules of both policies that do the
	   same, until the same days */
	bool same;
	uint32_t acts; /* items with the same number act alike if they match */
	/* the texts that it matches begin with `lead`, whose first bytes are the root's */
	struct str lead;
	size_t root;
	/*
	 * whole: they are equal to `lead`, or go on after it with `sep` (0: with
	 * anything)
	 */
	bool whole;
	char sep;
	/* commands: if it is not whole but has only {alternatives}, the base names of its programs */
	struct str *names;
	size_t nnames;
	/*
	 * Commands: the word lists in which its regular expression is found, and those of
	 * its exceptions (search[1 + i]).  NULL: there is none, or it is not regular.  Made
	 * on demand.
	 */
	struct set_re **search;
	struct set_re **kept; /* `search`, while it counts as unknown */
};

struct diff {
	struct arena *a;
	const struct ir *ir[2];
	const struct diff_where *where;
	struct diff_result *ret;
	struct str *sets[2]; /* the key of each rule's sets, by index */
	VEC(struct diff_item *) items[IR_KIND_COUNT];
	/*
	 * rules that act alike may still be decided differently, because of locks or
	 * the mode
	 */
	bool context_differs[IR_KIND_COUNT];
	/*
	 * For a proof: only requests that a changed rule matches count, not other lines
	 * whose answer depends on the rule.
	 */
	bool in_set_only;
	const struct diff_symbols *symbols; /* NULL: the roots lie at given places */
	struct map seen; /* findings, by request and change */
	size_t spent;    /* what all questions have used of the budget */
	size_t failed;   /* the work on automata that became too large */
};

#endif
