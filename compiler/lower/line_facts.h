/*
 * Turns the facts of the IR into the block by which lines are read
 * (runtime/line/facts.h); merges what all levels say about a name.
 */
#ifndef COMPILER_LOWER_LINE_FACTS_H
#define COMPILER_LOWER_LINE_FACTS_H

#include "compiler/diag/diag.h"
#include "compiler/ir/ir.h"

/* The limits of the bundle's reader. */
#define FACTS_MAX_NAMES 65536u /* programs, variables, pins */

/*
 * Makes the block in the arena, or finds it in the program (ready_block.h); the same facts give
 * the same bytes.  NULL past a limit, which is reported in the sink, if there is one.
 */
const struct line_facts *lower_line_facts(const struct ir *ir, struct arena *a,
					  struct diag_sink *sink);
/* The same, but it is always made. */
const struct line_facts *lower_line_facts_anew(const struct ir *ir, struct arena *a,
					       struct diag_sink *sink);

/* --- for the back end that reads the block back ----------------------------------- */

/* Fills in the digest of a pin; the caller sets its texts. */
void facts_pin(const struct ir_pin *p, struct line_pin *ret);
/* Which grammar reads a line; none for a shell that we do not know. */
uint32_t facts_dialect(const struct ir *ir);
struct str facts_shell_name(const struct ir *ir);

#endif
