/*
 * Statements that are tried: a rule that is added at a level, or an exception to a rule that
 * stands there.  The policy with them is made from the resolved one, so bundles can be asked
 * like sources.
 */
#ifndef COMPILER_CLI_WHY_EDIT_H
#define COMPILER_CLI_WHY_EDIT_H

#include "compiler/analysis/diff_result.h"
#include "compiler/cli/options.h"
#include "compiler/cli/why_text.h"

struct why_edit {
	struct str section;           /* "command", "network limited" */
	struct str text;              /* the statement, on one line */
	struct str role;              /* the role in whose section it stands, or empty */
	const struct ir_rule *of;     /* whose statement it replaces; NULL: it is added */
	struct ir_place instead;      /* the statement that it stands in place of; line 0: none */
	const struct ir_request *req; /* the one that it is for; NULL: a command */
	bool open;                    /* it names more than one request, as the line does */
	bool limited;                 /* it also chooses the mode of the network */
	struct ir_rule **rules;       /* added: its rules */
	size_t nrules;
	const struct ir_set *except;  /* replaced: what is excepted in addition */
	size_t nexcept;
};

struct why_edits {
	struct arena *a;
	const struct options *o;
	enum ir_level level;
	VEC(struct why_edit) v;
};

/* False: it is no statement of this level. */
bool why_edit_add(struct why_edits *e, const struct ir *ir, const struct why_pattern *p,
		  const struct ir_request *req, bool final, bool limited);
bool why_edit_except(struct why_edits *e, const struct ir_rule *of, const struct why_pattern *p,
		     const struct ir_request *req);
/* The policy with all edits but the one of number `skip` (SIZE_MAX: with all), lifted. */
void why_edit_apply(const struct why_edits *e, const struct ir *ir, size_t skip, struct ir *ret);
/*
 * The policy in which each edit means no more than its one request, which the language may
 * not be able to say.  Edits that name more than one are left out.
 */
void why_edit_apply_narrow(const struct why_edits *e, const struct ir *ir, struct ir *ret);
/* Is it the place of a statement that is only tried? */
bool why_edit_is_place(const struct ir_place *at);
/* Is the finding about a statement that is only tried, and not about a request? */
bool why_edit_is_statement(const struct diff_finding *f);
/* The statement with its section, as it would be pasted. */
struct str why_edit_statement(struct arena *a, const struct why_edit *e);
/* Do both rules belong to one statement? */
bool why_same_statement(const struct ir_rule *x, const struct ir_rule *y);

#endif
