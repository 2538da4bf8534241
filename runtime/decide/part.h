/*
 * What the rules say about one command. Internal to decide/: part_match.c finds the
 * matching clauses, guard.c evaluates their guards, part.c decides the part in the steps
 * of semantics 4.4, decide_line.c decides the line.
 */
#ifndef RUNTIME_DECIDE_PART_H
#define RUNTIME_DECIDE_PART_H

#include "runtime/decide/walk.h"

/* For one directory: the states of the automata that hide something, at the point where
 * the names in that directory begin (part_hidden.c). */
#define HIDDEN_STATES_MAX 16 /* if there are more, each word is decided in full */
struct hidden_at {
	const char *dir; /* NULL: none */
	uint32_t n;
	bool usable;
	struct dfa_walk at[HIDDEN_STATES_MAX];
	bool ends_differ[HIDDEN_STATES_MAX]; /* '/' and NUL have classes of their own */
};

/* All that is needed to decide one line. */
struct line_ctx {
	const struct decide_ctx *c;
	struct cmd_world world;
	struct pool pool;
	uint64_t work;     /* remaining steps of automata; 0: the limit is exceeded */
	struct bits may, must; /* clauses that match the current command */
	struct bits seen;  /* rules that may match some part */
	bool is_tail;      /* the words being matched are not a part, but the end of
	                      one */
	struct hidden_at hidden_at; /* for the directory that was asked about last */
};

/* What matches one command. */
struct part_match {
	struct decide_match sure; /* allow and deny rules that must match, ask rules that
	                             may */
	struct decide_match more; /* the same, and deny rules that may match */
	bool may_deny;            /* `more` has a rule that `sure` lacks */
	bool inert;
	uint8_t risk;             /* enum ir_risk, semantics 4.5 */
};

/* If a limit is exceeded, l->work is 0, and the line is denied. */
void part_match(struct line_ctx *l, const struct cmd_part *p, struct part_match *ret);

/* May a broad clause of a deny rule match the words from `from` on, the first of them as
 * the program? All of them are literal. */
bool part_tail_may_deny(struct line_ctx *l, const struct cmd_part *p, uint32_t from);

/* Decides one simple command: sets p->effect, rule, step, risk. */
void part_decide(struct line_ctx *l, struct cmd_part *p, struct decision *ret);
/* The file rule that hides a path named by a literal word of the command, or denies
 * reading it; UINT32_MAX: none. only_read: looks only at words that name files which the
 * command reads. */
uint32_t part_hidden(struct line_ctx *l, const struct cmd_part *p, bool only_read);
/* The same for patterns and trees: may what the command reads be, or hold, such a path? */
uint32_t part_holds(struct line_ctx *l, const struct cmd_part *p);
/* What the file rules say about the files that the command writes, as its table says.
 * false: no rule is about them. */
bool part_writes(struct line_ctx *l, const struct cmd_part *p, struct decision *ret);

/* For a file rule: does it keep something from being read? */
static inline bool part_is_secret(const struct pb_rule *r)
{
	return r->effect == PB_HIDE || (r->effect == PB_DENY && (r->ops & PB_READ));
}

static inline bool part_spend(struct line_ctx *l, uint64_t n)
{
	l->work = l->work > n ? l->work - n : 0;
	return l->work != 0;
}

/* Spends the steps of a decision about a file: all automata may read its path. */
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

/* What all guards of the clause together say about the part. */
struct guard_says guard_all(struct line_ctx *l, const struct cmd_part *p,
			    const struct pb_clause *c);

/* The word as the automata read it; *ret lies in the pool. false: no room. */
bool part_word(struct line_ctx *l, const struct cmd_word *w, bool broad,
	       struct walk_word *ret);
/* Does automaton `number` of matcher.words accept the text? */
bool guard_words(const struct pb_matcher *m, uint32_t number, const char *p, size_t n);

#endif
