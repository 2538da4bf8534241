/*
 * From the facts of the IR to the block by which lines are read
 * (runtime/line/facts.h): what all levels say of a name is put together there.
 */
#ifndef COMPILER_LOWER_LINE_FACTS_H
#define COMPILER_LOWER_LINE_FACTS_H

#include "compiler/diag/diag.h"
#include "compiler/ir/ir.h"

/* The limits of a bundle's reader. */
#define FACTS_MAX_NAMES 65536u /* programs, variables, pins */

/*
 * In the arena, and the same bytes for the same facts.  NULL past a limit, which
 * is an error in the sink where there is one.
 */
const struct line_facts *lower_line_facts(const struct ir *ir, struct arena *a,
					  struct diag_sink *sink);

/* --- for the back end that reads the block back ----------------------------------- */

/* The digest of a pin; its texts are the caller's. */
void facts_pin(const struct ir_pin *p, struct line_pin *ret);
/* Which grammar reads a line; of a shell that we do not know, none. */
uint32_t facts_dialect(const struct ir *ir);
struct str facts_shell_name(const struct ir *ir);

#endif
