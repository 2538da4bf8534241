/* What the files of this back end share. */
#ifndef COMPILER_BACKEND_COMMANDS_INTERNAL_H
#define COMPILER_BACKEND_COMMANDS_INTERNAL_H

#include "compiler/backend/backend.h"
#include "compiler/backend/commands/merge.h"
#include "compiler/base/map.h"
#include "compiler/sets/automaton.h"

/* --- when.c ---------------------------------------------------------------------- */

/* One automaton: the texts in which one of several regexes matches. */
struct commands_automaton {
	struct str key; /* what it is made of */
	uint32_t number;
	struct set_dfa dfa;
};

struct commands_whens {
	struct arena *a;
	VEC(struct commands_automaton *) list;
	struct map by_key; /* struct commands_automaton */
};

/* The automata of all code places; false after an error in the sink. */
bool commands_whens(struct arena *a, const struct merged *m, struct diag_sink *sink,
		    struct commands_whens *ret);
/* The number of its automaton, or PB_NO_WHEN. */
uint32_t commands_when(const struct commands_whens *ws, const struct merged_when *w);

/* --- emit.c, read.c ---------------------------------------------------------------- */

bool commands_emit(const struct ir *ir, struct bk_output *out, struct diag_sink *sink);
void commands_print(FILE *out, const struct bk_output *in);
const char *commands_verify(const struct ir *ir, const struct bk_output *in,
			    struct arena *a);

/* --- commands.c ---------------------------------------------------------------------- */

/* The digest of a pin; its strings are the caller's. */
void commands_pin(const struct ir_pin *p, struct pb_pin *ret);
uint32_t commands_dialect(const struct ir *ir);
struct str commands_shell_name(const struct ir *ir);

#endif
