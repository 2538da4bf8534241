/*
 * Does a set of the IR contain a request?  Part of the reference evaluator; shares no
 * code with sets/ or the runtime.
 */
#ifndef COMPILER_EVAL_MATCH_H
#define COMPILER_EVAL_MATCH_H

#include "compiler/ir/ir.h"

/*
 * Matching broadly (as deny, ask and hide do) or narrowly (as allow does); semantics
 * 4.3.
 */
enum eval_side { EVAL_BROAD, EVAL_NARROW };

/* Is the absolute path in the pattern, under the roots of the request? */
bool eval_match_path(const struct ir_path *p, const struct ir_request *req, struct str path);

/*
 * Does the set contain the request?  The caller handles exceptions.  Not for commands:
 * see match_command.h.
 */
bool eval_match_set(enum ir_kind kind, const struct ir_set *set,
		  const struct ir_request *req, enum eval_side side);

#endif
