/*
 * Decides which allow rules lift which defaults.  An allow lifts a default only if the
 * default's whole set contains the allow's whole set; so `allow read "/"` lifts
 * nothing.  Few rules lift the floor.
 */
#include "compiler/analysis/lift.h"
#include "compiler/sets/lang.h"

static bool is_default(const struct ir_rule *r)
{
	return r->level == IR_DEFAULT && r->effect != IR_ALLOW;
}

/* Is it exactly ${PROJECT_DIR}/.git/config and nothing else? */
static bool is_git_config(const struct ir_rule *r)
{
	static const char name[] = "/.git/config";
	const struct ir_path *p = &r->set.u.file.path;
	size_t i;

	if (r->kind != IR_FILE || p->root != IR_ROOT_PROJECT ||
	    p->glob.n != sizeof(name) - 1)
		return false;
	for (i = 0; i < p->glob.n; i++)
		if (p->glob.v[i].op != IR_G_BYTE ||
		    p->glob.v[i].byte != (uint8_t)name[i])
			return false;
	return true;
}

static bool may_lift(const struct ir_rule *allow, const struct ir_rule *rule)
{
	if (allow->effect != IR_ALLOW || allow->level == IR_DEFAULT ||
	    allow->kind != rule->kind)
		return false;
	if (!rule->floor)
		return true;
	if (allow->final && allow->level <= IR_MANAGED_FILE)
		return true;
	return allow->full && is_git_config(allow) && is_git_config(rule);
}

static void report_undecided(struct diag_sink *sink, const struct ir_rule *allow,
			     const struct ir_rule *rule)
{
	struct diag *d =
		diag_add(sink, DIAG_LIFT_UNDECIDED, allow->at.span,
			 "whether rule '%.*s' lifts the default '%.*s' could not "
			 "be decided: it does not",
			 STR_ARG(allow->id), STR_ARG(rule->id));

	diag_note(sink, d, rule->at.span, "the default");
	diag_help(sink, d, rule->kind == IR_SYSCALL ?
			  "a condition with fewer alternatives can be compared" :
			  "a pattern with fewer wildcards can be compared");
}

static void lift_rule(struct ir *ir, struct ir_rule *rule, struct diag_sink *sink)
{
	VEC(uint32_t) by = { NULL, 0, 0 };
	struct arena tmp;
	size_t i;

	for (i = 0; i < ir->rules.n; i++) {
		const struct ir_rule *allow = ir->rules.v[i];
		enum set_answer answer;

		if (!may_lift(allow, rule))
			continue;
		arena_init(&tmp, ARENA_DEFAULT_BUDGET);
		answer = set_rule_contains(&tmp, rule, allow);
		arena_release(&tmp);
		if (answer == SET_HOLDS)
			VEC_PUSH(ir->a, &by, allow->index);
		else if (answer == SET_UNDECIDED)
			report_undecided(sink, allow, rule);
	}
	rule->lifted_by = by.v;
	rule->nlifted_by = by.n;
}

bool pass_lift(struct ir *ir, struct diag_sink *sink)
{
	size_t i;

	for (i = 0; i < ir->rules.n; i++)
		if (is_default(ir->rules.v[i]))
			lift_rule(ir, ir->rules.v[i], sink);
	ir->lifted = true;
	return true;
}
