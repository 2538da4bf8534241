/*
 * The unknowns on which a region's rules depend, beside its words, and all combinations of
 * answers about them.  Internal to diff_cond.c.
 */
#ifndef COMPILER_ANALYSIS_DIFF_UNKNOWN_H
#define COMPILER_ANALYSIS_DIFF_UNKNOWN_H

#include "compiler/base/buf.h"
#include "compiler/base/vec.h"
#include "compiler/ir/ir.h"

/*
 * What guards ask about an option (eval/match_guard.c): some value of the words has it in
 * some reading, some value in every reading, every value in some reading, every value in
 * every reading.
 */
enum { DIFF_CAN = 1, DIFF_HELD = 2, DIFF_GIVEN = 4, DIFF_SURE = 8 };
/* What is asked about another condition: does it hold in some reading, in every one? */
enum { DIFF_MAY = 1, DIFF_MUST = 2 };

#define DIFF_MOST_ANSWERS 6

struct diff_unknown {
	struct str key;
	bool option;
	VEC(struct ir_option) names;  /* of an option: all its spellings in guards */
	bool broad;                   /* what `*` in the names matches */
	struct buf use;               /* the conditions that name it, if only itself counts there */
	bool part;                    /* some condition looks at it and others together */
	const struct ir_guard *guard; /* `with only` or `within`, else NULL */
	bool narrow;                  /* how the guard matches */
	uint8_t asked;                /* the bits that somebody asks about */
	bool merged;                  /* another option stands for it */
	uint8_t answers[DIFF_MOST_ANSWERS];
	uint32_t nanswers, at; /* the answer of this combination */
};

/* Whatever is true of the first unknown is true of the second one. */
struct diff_implied { uint32_t by, what; };

/* A command that has only the options of the guard has not this one. */
struct diff_apart { uint32_t only, option; };

struct diff_unknowns {
	struct arena *a;
	bool letters; /* `with only -rf` permits -r and -f, too */
	VEC(struct diff_unknown) v;
	VEC(struct diff_implied) implied;
	VEC(struct diff_apart) apart;
};

/* The unknown of this key, added if it is new; `asked` is added to what is asked. */
uint32_t diff_unknown_add(struct diff_unknowns *u, struct str key, bool option, uint8_t asked);
/* A spelling of the option. */
void diff_unknown_name(struct diff_unknowns *u, uint32_t i, const struct ir_option *o, bool broad);
/*
 * The condition of this number asks about the option: `alone`, whether it or one of others is
 * there; else it and others together.
 */
void diff_unknown_use(struct diff_unknowns *u, uint32_t i, uint32_t condition, bool alone);
/* The unknown is whether this guard holds. */
void diff_unknown_guard(struct diff_unknowns *u, uint32_t i, const struct ir_guard *g,
			bool narrow);
void diff_unknown_implies(struct diff_unknowns *u, uint32_t by, uint32_t what);
void diff_unknown_apart(struct diff_unknowns *u, uint32_t only, uint32_t option);
/* Call it when all are added: the first combination. */
void diff_unknown_ready(struct diff_unknowns *u);
bool diff_unknown_are_few(const struct diff_unknowns *u);
/* False after the last combination. */
bool diff_unknown_next(struct diff_unknowns *u);
/* False if there is surely no line with these answers. */
bool diff_unknown_is_possible(const struct diff_unknowns *u);
/* Is one of the bits in the answer of this combination? */
bool diff_unknown_says(const struct diff_unknowns *u, uint32_t i, uint8_t bit);

#endif
