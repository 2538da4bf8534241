/* Decides whether what a filter returns for one call is the policy's answer. */
#include "compiler/backend/seccomp/judge.h"

#include <errno.h>
#include <inttypes.h>

#include "compiler/backend/seccomp/boundary.h"
#include "compiler/backend/seccomp/interp.h"
#include "compiler/backend/seccomp/reported.h"
#include "compiler/eval/eval.h"
#include "compiler/target/target.h"
#include "runtime/bundle/members.h"

const char *judge_text(struct arena *a, enum pb_filter_kind kind, uint32_t nr,
		       const uint64_t args[6], const char *what)
{
	const struct target_call *c = target_call_by_nr(nr);

	return arena_printf(a,
			    "%s filter at %s (%#" PRIx32 ") (%#" PRIx64 ", %#" PRIx64
			    ", %#" PRIx64 ", %#" PRIx64 ", %#" PRIx64 ", %#" PRIx64
			    "): %s",
			    member_filters[kind].name, c ? c->name : "-", nr, args[0],
			    args[1], args[2], args[3], args[4], args[5], what);
}

/* Does the rule in the map belong to the statement that decided? */
static bool names_rule(const struct ir *ir, const struct emitted *e, uint32_t number,
		       const struct eval_decision *d)
{
	const struct ir_rule *r = NULL;

	if (!d->rule)
		return number == e->ir_rules + (size_t)d->scalar;
	if (number == d->rule->index)
		return true;
	for (size_t i = 0; i < ir->rules.n && !r; i++)
		if (ir->rules.v[i]->index == number)
			r = ir->rules.v[i];
	return r &&
	       (str_eq(r->id, d->rule->id) && r->level == d->rule->level &&
		r->at.line == d->rule->at.line && r->at.col == d->rule->at.col &&
		str_eq(r->at.file, d->rule->at.file));
}

/* NULL, or how the return differs from what the evaluator says. */
static const char *compare(const struct ir *ir, const struct emitted *e,
			   enum pb_filter_kind kind, uint32_t nr,
			   const uint64_t args[6], uint32_t value, uint32_t pc,
			   const struct eval_decision *d)
{
	const struct pb_map_entry *m = emitted_entry(e, pc);
	struct reported report;

	if (d->step == EVAL_STEP_UNKNOWN)
		return value == (SECCOMP_RET_ERRNO | ENOSYS) && !m ? NULL :
		       "a number without a name is not ENOSYS";
	if (d->effect == IR_ALLOW && reported_find(ir, kind, nr, &report) &&
	    reported_with(&report, args))
		return value == SECCOMP_RET_USER_NOTIF && m && m->err == 0 &&
				       m->verdict == report.verdict &&
				       m->rule == UINT32_MAX
			       ? NULL
			       : "an allowed call is not reported";
	if (d->effect == IR_ALLOW)
		return value == SECCOMP_RET_ALLOW && !m ? NULL :
		       "an allowed call is not allowed";
	if (value != SECCOMP_RET_USER_NOTIF || !m || m->verdict != PB_V_DENY)
		return "a denied call is not denied";
	if (m->err != (d->err ? d->err : EPERM))
		return "a denied call gives another errno";
	return names_rule(ir, e, m->rule, d) ? NULL :
	       "a denied call names another rule";
}

const char *judge_return(const struct ir *ir, const struct emitted *e,
			 enum pb_filter_kind kind, uint32_t nr, const uint64_t args[6],
			 uint32_t value, uint32_t pc, struct arena *a)
{
	struct ir_request req = { .kind = IR_SYSCALL, .scope = IR_SANDBOX, .nr = nr,
				  .nr_known = target_call_by_nr(nr) != NULL };
	struct eval_decision d;
	struct arena scratch;
	const char *bad;

	memcpy(req.args, args, sizeof(req.args));
	arena_init(&scratch, ARENA_DEFAULT_BUDGET);
	eval_decide(ir, &req, &scratch, &d);
	bad = compare(ir, e, kind, nr, args, value, pc, &d);
	arena_release(&scratch);
	return bad ? judge_text(a, kind, nr, args, bad) : NULL;
}

static const char *run_one(const struct ir *ir, const struct emitted *e,
			   enum pb_filter_kind kind, uint32_t nr,
			   const uint64_t args[6], struct arena *a)
{
	struct seccomp_data data = { .nr = (int)nr,
				     .arch = TARGET_AUDIT_ARCH_X86_64 };
	uint32_t value, pc;

	for (unsigned i = 0; i < 6; i++)
		data.args[i] = args[i];
	if (!interp_run(e->insns, e->n, &data, &value, &pc))
		return judge_text(a, kind, nr, args, "the program is broken");
	return judge_return(ir, e, kind, nr, args, value, pc, a);
}

const char *judge_number(const struct ir *ir, const struct emitted *e,
			 enum pb_filter_kind kind, uint32_t nr, size_t max_runs,
			 struct arena *a)
{
	struct boundary b;
	uint64_t args[6];
	const char *bad = NULL;
	size_t n, step = 1;

	boundary_find(ir, kind, nr, a, &b);
	n = boundary_count(&b);
	if (n > max_runs)
		step = n / max_runs | 1; /* odd: no value is skipped every time */
	for (size_t i = 0; i < n && !bad && i / step <= max_runs; i += step) {
		boundary_args(&b, i, args);
		bad = run_one(ir, e, kind, nr, args, a);
		if (n - i <= step)
			break;
	}
	return bad;
}
