/*
 * Two policies of a command line, compared in full: `polc diff`, and `polc check` against
 * a ceiling.  Sources are compared without a role, under each role that both declare, and
 * under each that only the new one does, beside the old policy without a role.  A bundle
 * holds the policy of one role only.
 */
#ifndef COMPILER_CLI_COMPARE_H
#define COMPILER_CLI_COMPARE_H

#include "compiler/analysis/diff.h"
#include "compiler/analysis/impact.h"
#include "compiler/analysis/prove.h"
#include "compiler/cli/cli.h"

struct compare {
	struct options *side[2]; /* OLD and NEW, which have passed cli_sources() */
	bool quiet[2];           /* the caller prints the messages about its sources */
	const char *role;        /* --role, or NULL */
	struct diff_where where;
	/* roots that exist only for this comparison, so that there are requests at all */
	bool made[IR_ROOT_COUNT];
};

/* Sets `where` and `made`; false after a message. */
bool compare_where(struct compare *c, const struct options *o, struct arena *a);
/*
 * CLI_CLEAN if *ret is valid, else an exit status after messages.  `traffic`, or NULL:
 * recorded requests, which are decided by the policies of their role; *ret_impact says what
 * of *ret explains their changes.
 */
enum cli_exit compare_traffic(const struct compare *c, const struct impact_requests *traffic,
			      struct arena *a, struct diff_result *ret,
			      struct impact *ret_impact);
/* The same without recorded requests. */
enum cli_exit compare_run(const struct compare *c, struct arena *a, struct diff_result *ret);
/*
 * For a result that must not depend on this machine: every root is made, and requests are
 * asked in a sandbox first.
 */
void compare_anywhere(struct compare *c);
/*
 * The comparison of two resolved policies, each of one role, as two bundles have them.
 * side[] is not read.  `doubt`: of the old one, as in struct loaded.
 */
void compare_resolved(const struct compare *c, const struct ir *old, const struct ir *new,
		      const char *doubt, struct arena *a, struct diff_result *ret);
/*
 * The assertion over side[1], without a role and, unless `role` is given, under each role
 * that may be chosen.
 */
enum cli_exit compare_prove(const struct compare *c, const struct ir_assertion *assertion,
			    struct arena *a, struct diff_result *ret);
/* Is the role declared, and may it be chosen? */
bool compare_has_role(const struct ir *ir, struct str name);
/* Do the same statements of both policies say the same change?  Requests may differ. */
bool compare_same_change(const struct diff_finding *x, const struct diff_finding *y);
/* Exit status: does anything differ, or could it? */
enum cli_exit compare_any(const struct diff_result *r);
/*
 * Only what permits more, and doubts about it.  Whether one policy widens another is
 * compare_any() of this, for `diff --fail-on=widening` and for ceilings.
 */
void compare_only_widening(const struct diff_result *r, struct arena *a,
			   struct diff_result *ret);

#endif
