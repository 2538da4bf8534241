/*
 * Policies in the languages of other engines.  Each target is a row of emit_targets.  What
 * a target cannot express is denied in its output, never allowed, and reported.
 */
#ifndef COMPILER_EMIT_EMIT_H
#define COMPILER_EMIT_EMIT_H

#include "compiler/base/buf.h"
#include "compiler/emit/report.h"

struct emit_target {
	const char *name;
	/*
	 * Writes the policy.  NULL, or why there is no output: the options or the policy's
	 * name do not fit the target, or the policy exceeds a limit.
	 */
	const char *(*emit)(const struct ir *ir, const struct emit_options *o,
			    struct buf *out, struct emit_report *r);
};

/* Ends with a row without a name. */
extern const struct emit_target emit_targets[];

const struct emit_target *emit_find(struct str name);

#endif
