/* What the files of decide/ share.  No allocation, no global state. */
#ifndef RUNTIME_DECIDE_INTERNAL_H
#define RUNTIME_DECIDE_INTERNAL_H

#include <stddef.h>
#include <string.h>

#include "runtime/base/automaton.h"
#include "runtime/decide/decide.h"

/* --- sets of numbers --------------------------------------------------------- */

/*
 * A sparse set. `top` has a bit for each element of `word` that is not 0, and only those
 * elements are cleared. So clearing costs a bit for each 64 numbers, and visiting costs
 * one step for each member.
 */
struct bits {
	uint64_t *top, *word;
	uint32_t ntop; /* elements of top; `word` has 64 times as many */
};

#define BITS_NONE UINT32_MAX
#define BITS_TOP(count) ((uint32_t)((count) / 4096u + 1u))
/* Elements of memory for numbers below `count`: first those of top, then those of
 * word. */
#define BITS_WORDS(count) (BITS_TOP(count) * 65u)

static inline void bits_clear(struct bits *b)
{
	memset(b->top, 0, b->ntop * sizeof(*b->top));
}

static inline void bits_make(struct bits *b, uint64_t *mem, uint32_t count)
{
	*b = (struct bits){ mem, mem + BITS_TOP(count), BITS_TOP(count) };
	bits_clear(b);
}

static inline bool bits_has(const struct bits *b, uint32_t i)
{
	return (b->top[i / 4096] >> (i / 64 % 64) & 1) &&
	       (b->word[i / 64] >> (i % 64) & 1);
}

static inline void bits_add(struct bits *b, uint32_t i)
{
	uint64_t here = (uint64_t)1 << (i / 64 % 64);

	if (!(b->top[i / 4096] & here)) {
		b->top[i / 4096] |= here;
		b->word[i / 64] = 0;
	}
	b->word[i / 64] |= (uint64_t)1 << (i % 64);
}

/* The first member from `from` on, or BITS_NONE. */
static inline uint32_t bits_next(const struct bits *b, uint32_t from)
{
	uint32_t w = from / 64, t = w / 64;
	uint64_t left;

	if (t >= b->ntop)
		return BITS_NONE;
	if ((b->top[t] >> (w % 64) & 1) && (left = b->word[w] >> (from % 64)))
		return from + (uint32_t)__builtin_ctzll(left);
	for (w++, t = w / 64; t < b->ntop; w = ++t * 64) {
		left = b->top[t] >> (w % 64);
		if (!left)
			continue;
		w += (uint32_t)__builtin_ctzll(left);
		return w * 64 + (uint32_t)__builtin_ctzll(b->word[w]);
	}
	return BITS_NONE;
}

#define BITS_EACH(b, i)                                                                \
	for ((i) = bits_next((b), 0); (i) != BITS_NONE; (i) = bits_next((b), (i) + 1))

/* --- walking automata ----------------------------------------------------- */

/* The i-th automaton over paths and names. */
static inline const struct pb_automaton *dfa_at(const struct pb_matcher *m, uint32_t i)
{
	return pb_at(m, m->automata, sizeof(struct pb_automaton), i);
}

/* --- the rules that match ----------------------------------------------------- */

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

/* Below the place of a mount, longer names mean nothing. */
#define DECIDE_MAX_PATH 8192

/* --- paths -------------------------------------------------------------------- */

/* What follows the root in the path: "" or text that begins with '/'. NULL: the path is
 * not below the root. */
const char *path_rest(const char *root, const char *path);

#endif
