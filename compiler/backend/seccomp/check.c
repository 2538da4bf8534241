/*
 * What the filter does for each rule, and which rules would stop the launch
 * itself.  A filter forbids exactly what a rule says, but it cannot ask.
 */
#include "compiler/backend/seccomp/members.h"
#include "compiler/backend/seccomp/select.h"
#include "compiler/target/target.h"

/*
 * The filter is loaded last (runtime/sandbox/step_command.c); what follows is
 * a message on the status socket, its answer, and the command's start.
 */
static const char *const launch_needs[] = {
	"execve", "read", "write", "close", "exit_group",
};

/* Calls that do the same with the arguments in memory, where no filter looks. */
static const struct {
	const char *call, *twin;
} twins[] = {
	{ "clone", "clone3" },
	{ "open", "openat2" },
	{ "openat", "openat2" },
};

static const struct dag_leaf *leaf_of(const struct selection *s, uint32_t nr)
{
	const struct dag_node *n = &s->dag.nodes.v[sel_root(s, nr)];

	return n->atom == DAG_TERMINAL ? &n->leaf : NULL;
}

static void check_launch(const struct ir *ir, const struct selection *s,
			 struct diag_sink *sink)
{
	for (size_t i = 0; i < POL_LEN(launch_needs); i++) {
		const struct target_call *c =
			target_call_by_name(str_from(launch_needs[i]));
		const struct dag_leaf *leaf = c ? leaf_of(s, c->nr) : NULL;
		const struct ir_rule *r;
		struct diag *d;

		if (!leaf || leaf->verdict == DAG_ALLOW)
			continue;
		r = sel_rule(ir, leaf->rule);
		d = diag_add(sink, DIAG_SECCOMP_LAUNCH,
			     r ? r->at.span :
			     ir->scalars[IR_S_SYSCALL_OTHERWISE].at.span,
			     "'%s' is denied, and no command can start without it",
			     c->name);
		diag_help(sink, d, r ? "deny it with a condition on its arguments, "
			  "or not at all" :
			  "allow '%s' in the syscall section", c->name);
	}
}

/* The twin of a call whose arguments `r` looks at, if it is not denied whole. */
static const char *open_twin(const struct selection *s, const struct ir_rule *r)
{
	if (!r->set.u.syscall.cond)
		return NULL;
	for (size_t i = 0; i < POL_LEN(twins); i++) {
		const struct target_call *twin;
		const struct dag_leaf *leaf;

		if (!str_eqz(r->set.u.syscall.name, twins[i].call))
			continue;
		twin = target_call_by_name(str_from(twins[i].twin));
		leaf = twin ? leaf_of(s, twin->nr) : NULL;
		if (twin && (!leaf || leaf->verdict == DAG_ALLOW))
			return twin->name;
	}
	return NULL;
}

static void check_rule(const struct selection *s, const struct ir_rule *r,
		       struct bk_report *report)
{
	const char *twin;

	switch (r->effect) {
	case IR_ALLOW:
		bk_note(report, r, "seccomp", BK_EXACT, "%s", "");
		return;
	case IR_ASK:
		bk_note(report, r, "seccomp", BK_OVER,
			"the kernel cannot ask: denied");
		return;
	case IR_DENY:
	case IR_HIDE:
	case IR_EFFECT_COUNT:
		break;
	}
	twin = open_twin(s, r);
	if (twin)
		bk_note(report, r, "seccomp", BK_EXACT,
			"'%s' does the same with its arguments in memory, where no "
			"filter sees them; deny it with ENOSYS", twin);
	else
		bk_note(report, r, "seccomp", BK_EXACT, "%s", "");
}

void bk_seccomp_check(const struct ir *ir, struct bk_report *report,
		      struct diag_sink *sink)
{
	struct selection s;

	if (!sel_build(ir, report->a, sink, &s))
		return;
	check_launch(ir, &s, sink);
	for (size_t i = 0; i < ir->rules.n; i++) {
		const struct ir_rule *r = ir->rules.v[i];

		if (r->kind == IR_SYSCALL && (r->scopes & IR_SANDBOX))
			check_rule(&s, r, report);
	}
	if (ir->scalars[IR_S_SYSCALL_OTHERWISE].effect == IR_ASK)
		bk_note_scalar(report, IR_S_SYSCALL_OTHERWISE, "seccomp", BK_OVER,
			       "the kernel cannot ask: denied");
}
