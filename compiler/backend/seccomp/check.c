/*
 * Reports what the filter does for each rule, and which rules would stop the launch
 * itself.  A filter forbids exactly what a rule says, but it cannot ask.
 */
#include "compiler/backend/seccomp/members.h"
#include "compiler/backend/seccomp/select.h"
#include "compiler/sets/box.h"
#include "compiler/target/target.h"

/*
 * polrun loads the filter last (runtime/sandbox/step_command.c).  After that it only
 * sends a message on the status socket, reads the answer, and starts the command.
 */
static const char *const launch_needs[] = {
	"execve", "read", "write", "close", "exit_group",
};

/* Calls that do the same with arguments in memory, where a filter cannot look. */
static const struct {
	const char *call, *twin;
} twins[] = {
	{ "clone", "clone3" },
	{ "open", "openat2" },
	{ "openat", "openat2" },
};

/*
 * Calls where another argument gives the type of the arguments from `first` on.  The
 * kernel may read only their low half, so that setting upper bits evades a compare
 * of all 64 bits.
 */
static const struct {
	const char *call;
	uint8_t first;
} varying[] = {
	{ "fcntl", 2 },  { "ioctl", 2 },  { "keyctl", 1 },
	{ "prctl", 1 },  { "semctl", 3 }, { "ptrace", 3 },
};

/* Does the condition compare upper bits of an argument from `first` on? */
static bool looks_at_upper(const struct ir_cond *c, uint8_t first)
{
	switch (c->op) {
	case IR_C_AND:
	case IR_C_OR:
		return looks_at_upper(c->a, first) || looks_at_upper(c->b, first);
	case IR_C_NOT:
		return looks_at_upper(c->a, first);
	case IR_C_CMP:
		return c->arg >= first && c->width == 64 && c->mask > UINT32_MAX;
	case IR_C_TRUE:
	case IR_C_FALSE:
		break;
	}
	return false;
}

static bool is_walked_around(const struct ir_rule *r)
{
	const struct ir_syscall *s = &r->set.u.syscall;

	for (size_t i = 0; s->cond && i < POL_LEN(varying); i++)
		if (str_eqz(s->name, varying[i].call))
			return looks_at_upper(s->cond, varying[i].first);
	return false;
}

static const struct dag_leaf *leaf_of(const struct selection *s, uint32_t nr)
{
	const struct dag_node *n = &s->dag.nodes.v[sel_root(s, nr)];

	return n->atom == DAG_TERMINAL ? &n->leaf : NULL;
}

/* Is the call allowed with some arguments?  A node stands behind those that it leads to. */
static bool is_open(const struct selection *s, uint32_t nr, struct arena *a)
{
	const uint32_t root = sel_root(s, nr);
	bool *open = arena_alloc(a, root + 1);

	for (uint32_t i = 0; i <= root; i++) {
		const struct dag_node *n = &s->dag.nodes.v[i];

		open[i] = n->atom == DAG_TERMINAL ? i > DAG_TRUE && n->leaf.verdict == DAG_ALLOW :
						    open[n->hi] || open[n->lo];
	}
	return open[root];
}

/* The rule that denies the call, or the first of those that do so together; NULL: `otherwise`. */
static const struct ir_rule *denier(const struct ir *ir, const struct selection *s,
				    const struct target_call *c)
{
	const struct dag_leaf *leaf = leaf_of(s, c->nr);

	if (leaf)
		return sel_rule(ir, leaf->rule);
	for (size_t i = 0; i < ir->rules.n; i++) {
		const struct ir_rule *r = ir->rules.v[i];

		if (r->kind == IR_SYSCALL && r->effect != IR_ALLOW &&
		    (r->scopes & IR_SANDBOX) && str_eqz(r->set.u.syscall.name, c->name))
			return r;
	}
	return NULL;
}

static void check_launch(const struct ir *ir, const struct selection *s, struct arena *a,
			 struct diag_sink *sink)
{
	for (size_t i = 0; i < POL_LEN(launch_needs); i++) {
		const struct target_call *c =
			target_call_by_name(str_from(launch_needs[i]));
		const struct ir_rule *r;
		struct diag *d;

		if (!c || is_open(s, c->nr, a))
			continue;
		r = denier(ir, s, c);
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

/* A call that does the same as the one whose arguments `r` tests and that is not
 * denied altogether, by one rule or by several, or NULL. */
static const char *open_twin(const struct selection *s, const struct ir_rule *r,
			     struct arena *a)
{
	if (!r->set.u.syscall.cond)
		return NULL;
	for (size_t i = 0; i < POL_LEN(twins); i++) {
		const struct target_call *twin;

		if (!str_eqz(r->set.u.syscall.name, twins[i].call))
			continue;
		twin = target_call_by_name(str_from(twins[i].twin));
		if (twin && is_open(s, twin->nr, a))
			return twin->name;
	}
	return NULL;
}

/* A condition that no arguments can meet has no effect, which nobody intends. */
static void check_condition(const struct ir_rule *r, struct bk_report *report,
			    struct diag_sink *sink)
{
	static const struct ir_cond never = { .op = IR_C_FALSE };
	const struct ir_cond *cond = r->set.u.syscall.cond;

	if (cond && box_cond_included(report->a, cond, &never, NULL) == SET_HOLDS)
		diag_add(sink, DIAG_CONDITION, r->at.span,
			 "no arguments of '%.*s' can fulfil this condition",
			 STR_ARG(r->set.u.syscall.name));
}

/* The rule holds as written, but its author may have wanted more. */
static void note_twin(const struct ir_rule *r, const char *twin,
		      struct bk_report *report, struct diag_sink *sink)
{
	struct diag *d;

	bk_note(report, r, "seccomp", BK_EXACT,
		"'%s' does the same with its arguments in memory, where no filter sees "
		"them; deny it with ENOSYS", twin);
	if (r->level == IR_DEFAULT)
		return;
	d = diag_add(sink, DIAG_ENFORCEMENT, r->at.span,
		     "'%s' does what '%.*s' does, with its arguments in memory, where "
		     "no filter sees them", twin, STR_ARG(r->set.u.syscall.name));
	diag_help(sink, d, "to forbid it by this road too: deny %s with ENOSYS", twin);
}

static void check_rule(const struct selection *s, const struct ir_rule *r,
		       struct bk_report *report, struct diag_sink *sink)
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
	if (is_walked_around(r)) {
		bk_note(report, r, "seccomp", BK_UNDER,
			"the kernel may read only the low half of this argument of "
			"'%.*s': compare it under '& 0xffffffff'",
			STR_ARG(r->set.u.syscall.name));
		return;
	}
	twin = open_twin(s, r, report->a);
	if (twin)
		note_twin(r, twin, report, sink);
	else
		bk_note(report, r, "seccomp", BK_EXACT, "%s", "");
}

/* A ring makes sockets of every family without a call that a filter sees.  A vsock belongs
 * to no network namespace, so not even a disabled network keeps it from the hypervisor. */
static void check_rings(const struct selection *s, struct bk_report *report)
{
	const struct target_call *ring = target_call_by_name(STR("io_uring_setup"));

	if (is_open(s, ring->nr, report->a))
		bk_note_scalar(report, IR_S_NET_MODE, "seccomp", BK_UNDER,
			       "io_uring_setup is allowed: a ring makes sockets that no filter "
			       "sees, also of families that reach a hypervisor (AF_VSOCK)");
}

void bk_seccomp_check(const struct ir *ir, struct bk_report *report,
		      struct diag_sink *sink)
{
	struct selection s;

	if (!sel_build(ir, report->a, sink, &s))
		return;
	check_launch(ir, &s, report->a, sink);
	for (size_t i = 0; i < ir->rules.n; i++) {
		const struct ir_rule *r = ir->rules.v[i];

		if (r->kind == IR_SYSCALL)
			check_condition(r, report, sink);
		if (r->kind == IR_SYSCALL && (r->scopes & IR_SANDBOX))
			check_rule(&s, r, report, sink);
	}
	check_rings(&s, report);
	if (ir->scalars[IR_S_SYSCALL_OTHERWISE].effect == IR_ASK)
		bk_note_scalar(report, IR_S_SYSCALL_OTHERWISE, "seccomp", BK_OVER,
			       "the kernel cannot ask: denied");
}
