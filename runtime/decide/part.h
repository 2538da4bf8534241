/*
 * What the rules say of one command.  Internal to decide/: part_match.c finds
 * the clauses that match, guard.c what their guards say, part.c decides the
 * part as semantics 4.4 counts the steps, decide_line.c the line.
 */
#ifndef RUNTIME_DECIDE_PART_H
#define RUNTIME_DECIDE_PART_H

#include "runtime/decide/walk.h"

/* All that the decision of one line needs. */
struct line_ctx {
	const struct decide_ctx *c;
	struct cmd_world world;
	struct pool pool;
	uint64_t work;     /* steps of automata that are left; 0: past the limit */
	uint32_t words;    /* 64-bit words of a set of clauses */
	uint64_t *may, *must; /* sets of clauses */
	uint64_t *seen;    /* rules that may match some part */
};

/* What matches one command. */
struct part_match {
	struct decide_match sure; /* allow and deny that must, ask that may match */
	struct decide_match more; /* these, and deny that may match */
	bool may_deny;            /* `more` has a rule that `sure` has not */
	bool inert;
	uint8_t risk;             /* enum ir_risk, semantics 4.5 */
};

/* Past a limit l->work is 0, and the line is denied. */
void part_match(struct line_ctx *l, const struct cmd_part *p, struct part_match *ret);

/* Is the name, in front of which no other word stands, one that a broad clause
 * of a rule that denies may begin with?  Words from `from` on, all literal. */
bool part_tail_may_deny(struct line_ctx *l, const struct cmd_part *p, uint32_t from);

/* What one simple command gets, in p->effect, rule, step, risk. */
void part_decide(struct line_ctx *l, struct cmd_part *p, struct decision *ret);
/* Hides a file rule something that a literal word of the command names? */
uint32_t part_hidden(struct line_ctx *l, const struct cmd_part *p);

static inline bool part_spend(struct line_ctx *l, uint64_t n)
{
	l->work = l->work > n ? l->work - n : 0;
	return l->work != 0;
}

static inline void part_see(struct line_ctx *l, uint32_t rule)
{
	l->seen[rule / 64] |= (uint64_t)1 << (rule % 64);
}

/* --- guards -------------------------------------------------------------------- */

struct guard_says { bool may, must; };

/* What all guards of the clause say of the part. */
struct guard_says guard_all(struct line_ctx *l, const struct cmd_part *p,
			    const struct pb_clause *c);

/* The word as the automata read it; *ret lies in the pool.  false: no room. */
bool part_word(struct line_ctx *l, const struct cmd_word *w, bool broad,
	       struct walk_word *ret);
/* Does the text lie in the language of automaton `number` of matcher.words? */
bool guard_words(const struct pb_matcher *m, uint32_t number, const char *p, size_t n);

#endif
