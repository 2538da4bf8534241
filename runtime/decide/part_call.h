/*
 * One command while its matching clauses are searched. Shared by part_ask.c, which asks
 * the automata, and part_match.c, which turns their answers into rules.
 */
#ifndef RUNTIME_DECIDE_PART_CALL_H
#define RUNTIME_DECIDE_PART_CALL_H

#include "runtime/decide/part.h"

struct call {
	struct line_ctx *l;
	const struct cmd_part *p;
	const struct pb_matcher *m;
	struct walk_word *words; /* p->nwords words as broad clauses read them; narrow
	                          * clauses leave out none */
	struct bits *must;   /* l->must, or what is sure in one directory */
	const char *program; /* the program's word; NULL: not literal */
	size_t program_n;
	const char *base;
	uint32_t base_n;
	bool literal;  /* all words are literal: there is one word list */
	bool trusted;  /* an allow rule may trust the program's name */
	bool no_allow; /* the name is pinned to another file: no allow rule matches */
	struct rare_found {
		bool known, done; /* done: the search was made; known: the fields below
		                     are valid */
		bool piece, word; /* after the program, part of a word is unknown, or a
		                   * whole one is */
		struct bits wanted;
	} rare;
};

/* Reads the words, from the pool; false: no room. */
bool call_prepare(struct call *c);
/* Finds the program. c->program stays NULL if it is not known. */
void call_program(struct call *c);
/* Adds to the sets of clauses what the automata say about a known program, … */
void call_ask_known(struct call *c);
/* … about an unknown program, … */
void call_ask_all(struct call *c);
/* … and about the text of literal words. */
void call_ask_regexes(struct call *c);
/* Can a broad clause begin with this literal program? Costs only the bytes of its
 * name. */
bool call_may_begin(const struct line_ctx *l, const char *p, size_t n);
/*
 * For a known program: which rare automata (format_matcher.h) have their needle in a word
 * and must be asked. No clause of the others is sure, and if all words are known, none of
 * them may match. NULL: all must be asked. The set lies in c->l->pool.
 */
const struct rare_found *call_rare(struct call *c);
/* Of the n rare automata from `from` on, asks those that have something to say. */
void rare_ask(const struct walk *w, const struct rare_found *r, uint32_t from, uint32_t n);
/* The literal words joined by blanks, without the first `skip` bytes of the program; in
 * the pool. NULL: no room. */
char *call_join(struct call *c, bool broad, size_t skip, size_t *ret_n);
/* What an expression that is not an automaton says about literal words. */
struct guard_says call_search(struct call *c, const struct pb_regex *re, bool broad);

static inline const struct pb_name *call_name(const struct pb_matcher *m, uint32_t i)
{
	return pb_at(m, m->names, sizeof(struct pb_name), i);
}

#endif
