/* What the files of this back end share: programs after merging. */
#ifndef COMPILER_BACKEND_COMMANDS_MERGE_H
#define COMPILER_BACKEND_COMMANDS_MERGE_H

#include "compiler/ir/ir.h"
#include "runtime/bundle/format.h"

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
	uint32_t kind; /* enum ir_place_kind */
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
#define COMMANDS_MAX_RECORDS 4096u

/*
 * Statements about one name, over all levels: of what an option takes and of
 * `skip` the highest-ranked level's first word counts, everything else adds
 * up.  An option that is code and of which nobody says what it takes, takes
 * its code as value.  A subcommand inherits how options are written, and has an
 * option of its bases as the same one.  False where a program has too many records.
 */
bool commands_merge(struct arena *a, const struct ir *ir, struct merged *ret);

#endif
