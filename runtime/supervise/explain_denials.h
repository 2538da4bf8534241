/* Names denials for people: one line each, on stderr, with every byte from the command
 * escaped. */
#ifndef RUNTIME_SUPERVISE_EXPLAIN_DENIALS_H
#define RUNTIME_SUPERVISE_EXPLAIN_DENIALS_H

#include <stdio.h>

#include "runtime/decide/rule_text.h"
#include "runtime/sandbox/sandbox_view.h"
#include "runtime/supervise/denials.h"

struct explain_how {
	bool asked;   /* --explain-denials: files and connections are in the list, too */
	bool verbose; /* all of them, with the rule that would allow each */
	bool failed;  /* the command ended non-zero: with that rule, too */
	const struct sandbox_view *view; /* names the link by which a rule denies a path; or NULL */
};

/*
 * What was blocked, by which rule, at which file:line.  If nobody asked: after a failure
 * the last few that may be its reason, and what was blocked by the floor in any case,
 * since git and editors go on without what they could not write.  If somebody asked: all
 * but what programs meet in passing.  What is left out is counted, if somebody asked or
 * something was named.
 */
void explain_denials(FILE *out, const struct bundle *b, const struct denials *d,
		     const struct explain_how *how);

#endif
