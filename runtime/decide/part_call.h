/*
 * One command while its matching clauses are searched: its words, and its program.
 * Internal to decide/.
 */
#ifndef RUNTIME_DECIDE_PART_CALL_H
#define RUNTIME_DECIDE_PART_CALL_H

#include "runtime/decide/line_ctx.h"
#include "runtime/decide/walk.h"

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
/* The words up to the first that is not literal, joined by blanks, without the first `skip` bytes of the program; in
 * the pool. NULL: no room. */
char *call_join(struct call *c, bool broad, size_t skip, size_t *ret_n);

static inline const struct pb_name *call_name(const struct pb_matcher *m, uint32_t i)
{
	return pb_at(m, m->names, sizeof(struct pb_name), i);
}

#endif
