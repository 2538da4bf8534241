/* Which rules two policies share.  Internal to analysis/diff*.c. */
#ifndef COMPILER_ANALYSIS_DIFF_KEY_H
#define COMPILER_ANALYSIS_DIFF_KEY_H

#include "compiler/analysis/diff_item.h"

/* What the rule means: a key without place, name and spelling. */
struct str diff_rule_key(struct arena *a, const struct ir_rule *r);

/* The same of a rule of one side, acting as `acts` does: after diff_identify(), and cheap. */
struct str diff_rule_key_if(struct diff *d, int side, const struct ir_rule *r,
			    const struct ir_rule *acts);

/* What a set with exceptions means: the same, for what is no rule. */
struct str diff_sets_key(struct arena *a, enum ir_kind kind, const struct ir_set *set,
			 const struct ir_set *except, size_t n);

/* Fills in items[], which items are changed, and which act alike. */
void diff_identify(struct diff *d);
/* The rule on either side; NULL for a risk class. */
const struct ir_rule *diff_rule(const struct diff_item *it);
const struct ir_risk_fact *diff_risk(const struct diff_item *it);
/* The id of the statement on that side; empty if only the other side has it. */
struct str diff_item_id(const struct diff_item *it, int side);
/* What the item matches, and what is excepted from it. */
const struct ir_set *diff_set(const struct diff_item *it);
const struct ir_set *diff_excepts(const struct diff_item *it, size_t *ret_n);
/* Does it let a block of addresses through?  It names them then: no guard refuses them. */
bool diff_names_block(const struct ir_rule *r);
/* Does it match narrowly, as an allow does?  The low class of risk does, too. */
bool diff_is_narrow(const struct diff_item *it);
unsigned diff_scopes(const struct diff_item *it);
/*
 * Of the items that match one request (tags: indexes of `items`), do those of the old
 * policy act like those of the new one?
 */
bool diff_acts_alike(struct diff_item *const *items, const uint32_t *tags, size_t n,
		     struct arena *tmp);
/* May the item's change permit something that was not permitted? */
bool diff_may_widen(const struct diff_item *it);

#endif
