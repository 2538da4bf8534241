/*
 * The rules that match one request, and which of them decides. Internal to decide/. No
 * allocation, no global state.
 */
#ifndef RUNTIME_DECIDE_COMBINE_H
#define RUNTIME_DECIDE_COMBINE_H

#include <stddef.h>
#include <string.h>

#include "runtime/base/automaton.h"
#include "runtime/decide/bits.h"
#include "runtime/decide/decide.h"

#define DECIDE_MAX_HOST 64

struct decide_match {
	const struct decide_ctx *c;
	uint8_t kind; /* enum pb_kind */
	uint8_t op;   /* files: one pb_op bit; otherwise 0 */
	/* files: rules that show a tree of the host here, whatever their operation is;
	 * and rules whose exceptions take it back */
	uint32_t host[DECIDE_MAX_HOST], not_host[DECIDE_MAX_HOST];
	uint32_t nhost, nnot_host; /* may exceed the arrays; rules beyond them count as
	                              shown */
	struct bits in;  /* matching rules … */
	struct bits out; /* … except for these (exceptions) */
	uint64_t room[2][BITS_WORDS(PB_MAX_RULES)];
};

void match_init(struct decide_match *m, const struct decide_ctx *c, uint8_t kind,
		uint8_t op);
/* Adds the rules (tags) that the walk has reached. */
void match_take(struct decide_match *m, const struct dfa_walk *w);
/* Call it after the last walk over a path: scratch rules only apply to the run's own
 * files. */
void match_drop_scratch(struct decide_match *m);
bool match_has(const struct decide_match *m, uint32_t rule);
/* The first matching rule from `from` on, or UINT32_MAX. */
uint32_t match_next(const struct decide_match *m, uint32_t from);

/* Starts a decision without matching rules. The list of matches is not cleared. */
static inline void decision_start(struct decision *d, uint8_t effect, uint8_t risk)
{
	memset(d, 0, offsetof(struct decision, matched));
	d->effect = effect;
	d->risk = risk;
}

/* Steps 1 to 5 of the semantics, 3.1; `otherwise` is the section's scalar. */
void decide_combine(const struct decide_match *m, enum pb_scalar otherwise,
		    struct decision *ret);
/* The same, but does not list the matching rules. With `rules_only`: allow if no rule is
 * left, instead of `otherwise`. */
void decide_rules(const struct decide_match *m, enum pb_scalar otherwise, bool rules_only,
		  struct decision *ret);
/* What the section says if no rule matches. d->risk must be set. */
void decide_otherwise(const struct decide_ctx *c, enum pb_scalar s, struct decision *d);
/* Denies by a scalar, for what is unknown. */
void decide_deny(const struct decide_ctx *c, enum pb_scalar s, struct decision *ret);
/* The record of a scalar, or NULL if the bundle lacks it. */
const struct pb_rule *decide_scalar(const struct decide_ctx *c, enum pb_scalar s);

#endif
