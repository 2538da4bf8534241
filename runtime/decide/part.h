/*
 * What the rules say of one command.  Internal to decide/: part_match.c finds
 * the clauses that match, guard.c what their guards say, part.c decides the
 * part as semantics 4.4 counts the steps, decide_line.c the line.
 */
#ifndef RUNTIME_DECIDE_PART_H
#define RUNTIME_DECIDE_PART_H

#include "runtime/decide/walk.h"

/* The states of the automata that hide something behind one directory, where the
 * names in it begin (part_hidden.c). */
#define BEHIND_MAX 16 /* more: each word is decided in full */
struct behind {
	const char *dir; /* NULL: none */
	uint32_t n;
	bool usable;
	struct dfa_walk at[BEHIND_MAX];
	bool ends_apart[BEHIND_MAX]; /* '/' and NUL have classes of their own */
};

/* All that the decision of one line needs. */
struct line_ctx {
	const struct decide_ctx *c;
	struct cmd_world world;
	struct pool pool;
	uint64_t work;     /* steps of automata that are left; 0: past the limit */
	struct bits may, must; /* clauses that match the command at hand */
	struct bits seen;  /* rules that may match some part */
	bool apart;        /* what is matched is no part: words at the end of one */
	struct behind behind; /* of the directory that was asked about last */
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
/* Hides a file rule something that a literal word of the command names, or denies it
 * reading that?  Of all words, or only of those that name files which it reads. */
uint32_t part_hidden(struct line_ctx *l, const struct cmd_part *p, bool only_read);
/* May a word that names what is read become such a path: a pattern, or a tree? */
uint32_t part_holds(struct line_ctx *l, const struct cmd_part *p);
/* What the file rules say of what a table says that it writes; false: no rule does. */
bool part_writes(struct line_ctx *l, const struct cmd_part *p, struct decision *ret);

/* Of a file rule: does it keep something from being read? */
static inline bool part_is_secret(const struct pb_rule *r)
{
	return r->effect == PB_HIDE || (r->effect == PB_DENY && (r->ops & PB_READ));
}

static inline bool part_spend(struct line_ctx *l, uint64_t n)
{
	l->work = l->work > n ? l->work - n : 0;
	return l->work != 0;
}

/* Steps of a decision about a file: all automata may read its path. */
static inline bool part_spend_file(struct line_ctx *l, const char *path)
{
	return part_spend(l, 64 + strlen(path) * l->c->b->matcher->automata.count / 2);
}

static inline void part_see(struct line_ctx *l, uint32_t rule)
{
	bits_add(&l->seen, rule);
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
