/* What the files of decide/ share.  No allocation, no global state. */
#ifndef RUNTIME_DECIDE_INTERNAL_H
#define RUNTIME_DECIDE_INTERNAL_H

#include "runtime/decide/decide.h"

/* --- walking automata ----------------------------------------------------- */

struct dfa_walk {
	const struct pb_matcher *m;
	const struct pb_automaton *a;
	uint32_t state;
};

const struct pb_automaton *dfa_at(const struct pb_matcher *m, uint32_t i);
void dfa_start(struct dfa_walk *w, const struct pb_matcher *m,
	       const struct pb_automaton *a);
void dfa_feed(struct dfa_walk *w, const char *p, size_t n);
/* The tags of the state at hand. */
const uint32_t *dfa_tags(const struct dfa_walk *w, uint32_t *ret_n);

/* --- the rules that match ----------------------------------------------------- */

#define DECIDE_MAX_HOST 64

struct decide_match {
	const struct decide_ctx *c;
	uint8_t kind; /* enum pb_kind */
	uint8_t op;   /* files: one pb_op bit; 0 else */
	/* files: rules that show a tree of the host here, whatever their operation
	   is, and those whose exceptions take it back */
	uint32_t host[DECIDE_MAX_HOST], not_host[DECIDE_MAX_HOST];
	uint32_t nhost, nnot_host; /* past the arrays: counted, and taken as shown */
	uint64_t in[PB_MAX_RULES / 64];  /* rules that match … */
	uint64_t out[PB_MAX_RULES / 64]; /* … but for these (exceptions) */
};

void match_init(struct decide_match *m, const struct decide_ctx *c, uint8_t kind,
		uint8_t op);
/* Takes the tags that the walk has reached. */
void match_take(struct decide_match *m, const struct dfa_walk *w);
/* After the last walk over a path: scratch rules speak of the run's own files. */
void match_drop_scratch(struct decide_match *m);
bool match_has(const struct decide_match *m, uint32_t rule);
/* The first matching rule from `from` on, or UINT32_MAX. */
uint32_t match_next(const struct decide_match *m, uint32_t from);

/* Steps 1 to 5 of the semantics, 3.1; `otherwise` is the section's scalar. */
void decide_combine(const struct decide_match *m, enum pb_scalar otherwise,
		    struct decision *ret);
/* As that, without `otherwise`: allow where no rule is left. */
void decide_rules_only(const struct decide_match *m, enum pb_scalar otherwise,
		       struct decision *ret);
/* What the section says where no rule does; d->risk is known. */
void decide_otherwise(const struct decide_ctx *c, enum pb_scalar s, struct decision *d);
/* Deny by a scalar: what is unknown. */
void decide_deny(const struct decide_ctx *c, enum pb_scalar s, struct decision *ret);
/* The record of a scalar, or NULL in a bundle that lacks it. */
const struct pb_rule *decide_scalar(const struct decide_ctx *c, enum pb_scalar s);

/* Longer names below the place of a mount name nothing. */
#define DECIDE_MAX_PATH 8192

/* --- paths -------------------------------------------------------------------- */

/* What follows the root in the path, "" or beginning with '/'; NULL: not there. */
const char *path_rest(const char *root, const char *path);

#endif
