/*
 * What all levels say of one program, put together, and the automata of the
 * regexes in it (`when`): the step between ir.programs and line_facts.
 */
#ifndef COMPILER_LOWER_FACTS_MERGE_H
#define COMPILER_LOWER_FACTS_MERGE_H

#include "compiler/base/map.h"
#include "compiler/diag/diag.h"
#include "compiler/ir/ir.h"
#include "compiler/sets/automaton.h"

/*
 * When code is code: always, or where one of several regexes matches.  Equal
 * lists are one automaton.
 */
struct merged_when {
	bool always;
	VEC(const struct ir_when *) any;
};

struct merged_option {
	struct str name;
	bool said; /* a level says what it takes, and `takes` is that */
	uint8_t takes;
	uint32_t flags;
	uint32_t same;
	struct merged_when when; /* of CODE */
};

struct merged_code {
	uint32_t kind; /* enum line_place_kind */
	uint32_t operand;
	struct merged_when when;
};

struct merged_program {
	struct str name;
	uint32_t kinds, flags, skip;
	bool skip_said;
	VEC(struct merged_option) options; /* by name */
	VEC(struct merged_code) codes;     /* by kind and operand, those of code first */
	VEC(struct str) after, ends, also, defaults; /* sorted */
	/* Of a subcommand ("git rebase"): the number of the program or subcommand
	 * that it is one of, from 1 on; 0 none. */
	uint32_t base;
	uint32_t noptions; /* of it and all its bases: `same` counts on behind those */
};

struct merged_var {
	struct str name;
	bool taint;
};

struct merged {
	VEC(struct merged_program) programs; /* by name */
	VEC(struct merged_var) vars;         /* by name; of two a taint */
	struct str too_large;                /* the program that was refused */
};

/* Records that all statements about one name may add up to. */
#define FACTS_MAX_RECORDS 4096u

/*
 * Statements about one name, over all levels: of what an option takes and of
 * `skip` the highest-ranked level's first word counts, everything else adds
 * up.  An option that is code and of which nobody says what it takes, takes
 * its code as value.  A subcommand inherits how options are written, and has an
 * option of its bases as the same one.  False where a program has too many records.
 */
bool facts_merge(struct arena *a, const struct ir *ir, struct merged *ret);

/* One automaton: the texts in which one of several regexes matches. */
struct merged_automaton {
	struct str key; /* what it is made of */
	uint32_t number;
	struct set_dfa dfa;
};

struct merged_whens {
	struct arena *a;
	VEC(struct merged_automaton *) list;
	struct map by_key; /* struct merged_automaton */
};

/* The automata of all code places (facts_when.c); false after an error in the sink, which
 * may be NULL. */
bool facts_whens(struct arena *a, const struct merged *m, struct diag_sink *sink,
		 struct merged_whens *ret);
/* The number of its automaton, or LINE_NO_WHEN. */
uint32_t facts_when(const struct merged_whens *ws, const struct merged_when *w);

#endif
