/* Shows what a staged run would change, to people and as JSON. */
#ifndef RUNTIME_STAGE_STAGE_SHOW_H
#define RUNTIME_STAGE_STAGE_SHOW_H

#include <stdio.h>

#include "runtime/stage/stage_entry.h"
#include "runtime/stage/stage_store.h"

struct stage_show {
	const struct stage *stage;
	const struct stage_delta *d; /* judged */
	bool diffs;                  /* of text files */
};

/*
 * Every entry that is not SAME has lines of its own: deletions, modes, links and kinds are
 * never added up.  All names, targets and lines are escaped.  0 or -ENOMEM.
 */
int stage_show_text(FILE *out, const struct stage_show *s);
int stage_show_json(FILE *out, const struct stage_show *s);
/* One entry, without its difference. */
int stage_show_entry(FILE *out, const struct stage *s, const struct stage_delta *d,
		     const struct stage_entry *e);
/* "create", "ready", …: the words of both. */
const char *stage_op_word(enum stage_op op);
const char *stage_state_word(enum stage_state state);

#endif
