/*
 * What all levels together say about each program, and the automata of the regexes in
 * it (`when`): the step between ir.programs and line_facts.
 */
#ifndef COMPILER_LOWER_FACTS_MERGE_H
#define COMPILER_LOWER_FACTS_MERGE_H

#include "compiler/base/map.h"
#include "compiler/diag/diag.h"
#include "compiler/ir/ir.h"
#include "compiler/sets/automaton.h"

/*
 * When a place counts as code: always, or if one of several regexes matches.  Places
 * with equal lists share an automaton.
 */
struct merged_when {
	bool always;
	VEC(const struct ir_when *) any;
};

struct merged_option {
	struct str name;
	bool given; /* a level says what the option takes (`takes`) */
	enum ir_level level; /* with `given`: the highest-ranked level that says so */
	uint8_t takes;
	uint32_t flags;
	uint32_t same;
	struct merged_when when; /* for options with the flag CODE */
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
	VEC(struct merged_option) options; /* sorted by name */
	VEC(struct merged_code) codes;     /* sorted by kind and operand, places of
	                                      code first */
	VEC(struct str) after, ends, also, defaults; /* sorted */
	/* For a subcommand ("git rebase"): the number, from 1 on, of the program or
	 * subcommand that it belongs to; 0: none. */
	uint32_t base;
	uint32_t as; /* 1 + index of the program whose table it has; 0: its own */
	uint32_t noptions; /* in this program and all its bases: `same` goes on
	                      counting after those of the bases */
};

struct merged_var {
	struct str name;
	bool taint;
};

struct merged {
	VEC(struct merged_program) programs; /* sorted by name */
	VEC(struct merged_var) vars;         /* sorted by name; if a name has two
	                                        entries, one is a taint */
	struct str too_large;                /* the program that has too many records */
};

/* Most records that the statements about one name may produce. */
#define FACTS_MAX_RECORDS 4096u

/*
 * Merges statements about one name over all levels.  For what an option takes and for
 * `skip`, the highest-ranked statement counts; everything else adds up.  If nobody says
 * what an option that is code takes, its code is its value.  A subcommand inherits how
 * options are written; an option that its bases have is the same option.  False if a
 * program has too many records.
 */
bool facts_merge(struct arena *a, const struct ir *ir, struct merged *ret);

/* One automaton; it accepts the texts in which one of several regexes matches. */
struct merged_automaton {
	struct str key; /* the regexes that it is made of */
	uint32_t number;
	struct set_dfa dfa;
};

struct merged_whens {
	struct arena *a;
	VEC(struct merged_automaton *) list;
	struct map by_key; /* struct merged_automaton */
};

/* Builds the automata of all places of code (facts_when.c).  False after an error; it
 * is reported in the sink, if that is not NULL. */
bool facts_whens(struct arena *a, const struct merged *m, struct diag_sink *sink,
		 struct merged_whens *ret);
/* The number of the automaton for `w`, or LINE_NO_WHEN. */
uint32_t facts_when(const struct merged_whens *ws, const struct merged_when *w);

#endif
