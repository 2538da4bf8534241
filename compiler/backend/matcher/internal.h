/* What the files of the matcher share: the languages of the rules, in groups. */
#ifndef COMPILER_BACKEND_MATCHER_INTERNAL_H
#define COMPILER_BACKEND_MATCHER_INTERNAL_H

#include "compiler/record/automaton.h"
#include "compiler/backend/common/backend.h"
#include "compiler/sets/automaton.h"
#include "compiler/sets/lang.h"
#include "runtime/bundle/format.h"

/* Identifies the automata for one input, with the fields of pb_automaton. */
struct matcher_key {
	uint8_t kind, root, abstract, except;
};

struct matcher_group {
	struct matcher_key key;
	VEC(struct set_tagged) langs; /* each tag once; anchored ones come first */
	size_t nanchored;
	VEC(struct set_tagged) floating; /* empty after grouping */
	/* commands: the needle of each language after the anchored ones */
	VEC(struct str) needles;
	bool together; /* commands: only states limit an automaton */
};

struct matcher_groups {
	struct arena *a;
	VEC(struct matcher_group) v; /* in the order of the keys */
};

/* Collects the languages of all rules of files, sockets and tools, and of risk facts
 * about tools. */
void matcher_group(struct arena *a, const struct ir *ir, struct matcher_groups *ret);

/* The automata of the groups, in the order of the groups. */
struct matcher_built {
	struct matcher_key key;
	struct set_dfa dfa;
};

struct matcher_builts {
	struct arena *a;
	VEC(struct matcher_built) v;
};

/* The most states for one rule alone. */
#define MATCHER_SINGLE_STATES 262144

/* Adds the automata of a group; false: the language of tag *ret_tag is too large. */
bool matcher_build(struct matcher_builts *to, const struct matcher_group *g,
		   uint32_t *ret_tag);
/* An upper bound of the bytes of the automata, so that no offset can wrap. */
size_t matcher_size(const struct matcher_builts *b);

/* --- commands: clauses, grouped by the program's name ------------------------- */

struct matcher_clause {
	uint32_t rule; /* as in pb_clause */
	bool except, broad, sure;
	const struct ir_command *c;
	const struct ir_place *at;
};

/* The patterns for one name of a program: side[0] narrow, side[1] broad. */
struct matcher_name {
	struct str name;
	struct matcher_group side[2];
	uint32_t first[2], n[2]; /* of the automata, after matcher_calls_build() */
};

struct matcher_calls {
	struct arena *a;
	VEC(struct matcher_clause) clauses;
	VEC(struct matcher_name *) names; /* PB_NAME_ANY, PB_NAME_REGEX, then names */
	VEC(uint32_t) opaque; /* clauses without an automaton */
	struct matcher_builts built;
};

/*
 * Adds the language of a pattern to a name; if the pattern floats and has a needle,
 * to the floating languages.
 */
void matcher_add_call(struct arena *a, struct matcher_group *g,
		      const struct ir_command *c, struct set_tagged t);
/*
 * Call it after all languages were added.  A floating language keeps an automaton of
 * its own if there are many, if `can` says that the matcher can find them by their
 * needles, and if it is proved that the language needs its needle.
 */
void matcher_set_apart(struct arena *a, struct matcher_group *g, bool can);
/* Is it proved that the language has members, and that each contains the needle? */
bool matcher_needs(struct arena *a, const struct set_re *re, struct str needle);
/* enum pb_needle_flag, as far as proved.  any_program: it belongs to PB_NAME_ANY. */
uint16_t matcher_needle_flags(struct arena *a, const struct set_re *re, bool any_program,
			      struct str needle);

struct matcher_needles {
	VEC(struct pb_needle) v; /* text offsets not filled in */
	VEC(struct str) text;
	uint32_t *order;         /* of the same length as `v` */
	struct pb_gram *slots;
	uint32_t nslots, sizes;  /* sizes: like gram_sizes */
};

/* Makes the tables of all needles, once the calls are built. */
void matcher_needles(struct arena *a, const struct matcher_calls *c,
		     struct matcher_needles *ret);
/* Collects the clauses of all rules and facts about commands. */
void matcher_calls(struct arena *a, const struct ir *ir, struct matcher_calls *ret);
/* Builds the automata; false: the clause *ret_tag needs too many states. */
bool matcher_calls_build(struct matcher_calls *c, uint32_t *ret_tag);
size_t matcher_calls_size(const struct matcher_calls *c);
/* Appends the tables to the member and enters them in its head; false: a glob of a
 * guard needs too many states. */
bool matcher_calls_put(const struct matcher_calls *c, struct pb_matcher *head,
		       struct rec_tables *tables);
/* The language of the values of a guard's option; each value ends with NUL. */
struct set_re *matcher_value(struct arena *a, const struct ir_option *o,
			     enum set_side side);
/* The side on which a guard is read.  A guard that says "not there" is read on the
 * opposite side. */
enum set_side matcher_guard_side(bool broad, const struct ir_guard *g);
const char *matcher_calls_verify(const struct ir *ir, const struct pb_matcher *m,
				 struct arena *a);
void matcher_calls_print(FILE *out, const struct pb_matcher *m, uint32_t ir_rules);
/* The tags that the automaton carries, each once, ascending. */
size_t matcher_carried(struct arena *a, const struct set_dfa *d, uint32_t **ret);
/*
 * Compares an automaton of the group with the languages whose tags it carries,
 * and marks these in `done`.  NULL, or what differs.
 */
const char *matcher_differs(const struct matcher_group *g, const struct set_dfa *d,
			    uint32_t index, bool *done, struct arena *a);

/* An automaton of the member, in the form of the set engine. */
struct matcher_read {
	struct matcher_key key;
	struct set_dfa dfa;
};

/* The member matcher.bin, or NULL if it is missing or too short. */
const struct pb_matcher *matcher_member(const struct bk_output *in);
void matcher_read(struct arena *a, const struct pb_matcher *m, uint32_t i,
		  struct matcher_read *ret);

bool matcher_emit(const struct ir *ir, struct bk_output *out, struct diag_sink *sink);
void matcher_print(FILE *out, const struct bk_output *in);
const char *matcher_verify(const struct ir *ir, const struct bk_output *in,
			   struct arena *a);

#endif
