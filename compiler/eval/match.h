/*
 * The sets of the IR, walked: does this set contain this request?  Part of
 * the reference evaluator; shares no code with sets/ or the runtime.
 */
#ifndef COMPILER_EVAL_MATCH_H
#define COMPILER_EVAL_MATCH_H

#include "compiler/ir/ir.h"

/* As deny, ask and hide match, or as allow does (semantics 4.3). */
enum eval_side { EVAL_BROAD, EVAL_NARROW };

/* What `?` and `*` match. */
enum eval_bytes {
	EVAL_B_PATH,  /* any byte but '/' */
	EVAL_B_ANY,   /* any byte */
	EVAL_B_PLAIN  /* [A-Za-z0-9._:/@+-] */
};

/* Where a walk may end. */
enum eval_until {
	EVAL_U_END,   /* at the end of the text */
	EVAL_U_BELOW, /* there, or before a '/' */
	EVAL_U_COLON  /* there, or before ':' and any number of matched bytes */
};

/* Does the glob match the text, up to where `until` says? */
bool eval_match_glob(const struct ir_glob *g, struct str text,
		   enum eval_bytes bytes, enum eval_until until);

/* Is the absolute path in the pattern, under the roots of the request? */
bool eval_match_path(const struct ir_path *p, const struct ir_request *req, struct str path);

/* Exceptions are the caller's business.  Not of commands: match_command.h. */
bool eval_match_set(enum ir_kind kind, const struct ir_set *set,
		  const struct ir_request *req, enum eval_side side);

#endif
