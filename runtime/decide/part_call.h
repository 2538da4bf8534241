/*
 * One command while its clauses are looked for: between part_ask.c, which asks
 * the automata, and part_match.c, which makes rules of what they say.
 */
#ifndef RUNTIME_DECIDE_PART_CALL_H
#define RUNTIME_DECIDE_PART_CALL_H

#include "runtime/decide/part.h"

struct call {
	struct line_ctx *l;
	const struct cmd_part *p;
	const struct pb_matcher *m;
	struct walk_word *words; /* p->nwords of them, as broad clauses read them; others
	                          * leave out none */
	struct bits *must;   /* l->must, or what is sure in one directory */
	const char *program; /* its word, or NULL: not literal */
	size_t program_n;
	const char *base;
	uint32_t base_n;
	bool literal;  /* all of it: there is one word list */
	bool trusted;  /* an allow rule may take the program by its name */
	bool no_allow; /* pinned, and not the pin: no allow rule matches */
	struct rare_found {
		bool known, done; /* known: what follows is; done: it was looked for */
		bool piece, word; /* something of a word behind the program, or all of
				   * one, is not known */
		struct bits wanted;
	} rare;
};

/* Reads the words, from the pool; false: no room. */
bool call_prepare(struct call *c);
/* Finds the program; c->program stays NULL where it is not known. */
void call_program(struct call *c);
/* Adds to the sets of clauses what the automata say of a known program, … */
void call_ask_known(struct call *c);
/* … of one that is not known, … */
void call_ask_all(struct call *c);
/* … and of the text of literal words. */
void call_ask_regexes(struct call *c);
/* Can a broad clause begin with this literal program?  Costs its name only. */
bool call_may_begin(const struct line_ctx *l, const char *p, size_t n);
/*
 * Which of the rare automata (format_matcher.h) have their needle in a word, of a known program:
 * these must be asked.  Of the others no clause is sure, and where all words are known
 * none may match.  NULL: all must be asked.  c->l->pool keeps the set.
 */
const struct rare_found *call_rare(struct call *c);
/* Asks those n rare automata from `from` on that have something to say. */
void rare_ask(const struct walk *w, const struct rare_found *r, uint32_t from, uint32_t n);
/* The literal words joined by blanks, the first `skip` bytes of the program left
 * out; in the pool.  NULL: no room. */
char *call_join(struct call *c, bool broad, size_t skip, size_t *ret_n);
/* What an expression that is no automaton says of literal words. */
struct guard_says call_search(struct call *c, const struct pb_regex *re, bool broad);

static inline const struct pb_name *call_name(const struct pb_matcher *m, uint32_t i)
{
	return pb_at(m, m->names, sizeof(struct pb_name), i);
}

#endif
