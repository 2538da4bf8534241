/* Compares globs with texts and with patterns of paths.  Part of the reference
 * evaluator. */
#ifndef COMPILER_EVAL_MATCH_GLOB_H
#define COMPILER_EVAL_MATCH_GLOB_H

#include "compiler/ir/ir.h"
#include "runtime/line/command.h"

/* What `?` and `*` match. */
enum eval_bytes {
	EVAL_B_PATH,  /* any byte but '/' */
	EVAL_B_ANY,   /* any byte */
	EVAL_B_PLAIN  /* [A-Za-z0-9._:/@+-] */
};

/* Where a match may end. */
enum eval_until {
	EVAL_U_END,   /* at the end of the text */
	EVAL_U_BELOW, /* at the end of the text, or before a '/' */
	EVAL_U_COLON  /* at the end of the text, or before a ':' and any number of
	                 matched bytes */
};

/* Does the glob match the text, up to where `until` says? */
bool eval_match_glob(const struct ir_glob *g, struct str text,
		   enum eval_bytes bytes, enum eval_until until);

/* Is there a text that matches both the glob and the pattern from its place `at` on?
 * With `below`, it is enough that the glob matches the beginning of the text before a
 * '/'. */
bool eval_glob_meets(const struct ir_glob *g, bool below, const struct cmd_pattern *p,
		   uint32_t at);
bool eval_glob_has_slash(const struct ir_glob *g);

#endif
