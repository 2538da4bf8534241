/*
 * What statements that are only tried (why_edit.h) change for requests of other roles than the
 * one that was asked about.
 */
#ifndef COMPILER_CLI_WHY_ROLES_H
#define COMPILER_CLI_WHY_ROLES_H

#include "compiler/analysis/diff.h"
#include "compiler/cli/why_edit.h"

/*
 * Compares the policy under each other role, and without a role if one was chosen, before and
 * after the edits.  *more has what they change under the role of `ir`; what shows only
 * elsewhere is added to it, with the role.  What cannot be compared is a doubt.
 */
void why_roles(const struct why_edits *e, const struct ir *ir, const struct diff_where *where,
	       struct diff_result *more);

#endif
