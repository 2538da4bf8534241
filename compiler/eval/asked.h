/*
 * One simple command as the patterns of rules are compared with it, and what such a
 * comparison finds.  Part of the reference evaluator.
 */
#ifndef COMPILER_EVAL_ASKED_H
#define COMPILER_EVAL_ASKED_H

#include "compiler/ir/ir.h"
#include "runtime/line/command.h"

/*
 * may: some value of the command matches, in some reading; must: every value surely
 * matches.
 */
struct eval_match {
	bool may, must;
};

/* A command and everything needed to judge it. */
struct eval_asked {
	const struct ir *ir;
	const struct ir_request *req; /* for its roots */
	const struct cmd_world *world;
	const struct cmd_part *part;  /* of kind CMD_COMMAND, with at least one word */
};

/* The absolute path that literal text names in the directory. Where links are followed, a ".."
 * stays in it. `named`: see cmd_resolve_named(). */
static inline bool eval_path(const struct ir_request *req, const struct cmd_world *w,
			     const char *dir, const char *text, size_t n, bool home, bool named,
			     char path[CMD_GIVEN_MAX])
{
	if (req->places)
		return cmd_resolve_given(w, dir, text, n, home, named, path);
	return named ? cmd_resolve_named(w, dir, text, n, home, path, PATH_MAX) :
		       cmd_resolve_loosely(w, dir, text, n, home, path, PATH_MAX);
}

#endif
