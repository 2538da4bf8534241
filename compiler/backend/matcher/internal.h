/* What the files of the matcher share: its languages, grouped. */
#ifndef COMPILER_BACKEND_MATCHER_INTERNAL_H
#define COMPILER_BACKEND_MATCHER_INTERNAL_H

#include "compiler/backend/backend.h"
#include "compiler/sets/automaton.h"
#include "runtime/bundle/format.h"

/* Automata of one input: what pb_automaton says of it. */
struct matcher_key {
	uint8_t kind, root, abstract, except;
};

struct matcher_group {
	struct matcher_key key;
	VEC(struct set_tagged) langs; /* each tag once; anchored ones first */
	size_t nanchored;
	VEC(struct set_tagged) floating; /* empty once all are grouped */
};

struct matcher_groups {
	struct arena *a;
	VEC(struct matcher_group) v; /* in the order of their keys */
};

/* The languages of all rules and risk facts. */
void matcher_group(struct arena *a, const struct ir *ir, struct matcher_groups *ret);

/* An automaton of the member, as the set engine reads it. */
struct matcher_read {
	struct matcher_key key;
	struct set_dfa dfa;
};

/* The member matcher.bin, or NULL when there is none or it is too short. */
const struct pb_matcher *matcher_member(const struct bk_output *in);
void matcher_read(struct arena *a, const struct pb_matcher *m, uint32_t i,
		  struct matcher_read *ret);

bool matcher_emit(const struct ir *ir, struct bk_output *out, struct diag_sink *sink);
void matcher_print(FILE *out, const struct bk_output *in);
const char *matcher_verify(const struct ir *ir, const struct bk_output *in,
			   struct arena *a);

#endif
