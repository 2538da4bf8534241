/*
 * The verdict of each number.  Semantics 3.1 is written here as a list of
 * (who matches, what then), built from its last line up.  verify.c and
 * tests/prop/prop_seccomp.c check that it agrees with the evaluator.
 */
#include "compiler/backend/seccomp/select.h"

#include <errno.h>

#include "compiler/backend/common/util.h"
#include "compiler/backend/seccomp/reported.h"
#include "compiler/target/target.h"

/* --- numbers of rules ------------------------------------------------------- */

static bool same_statement(const struct ir_rule *x, const struct ir_rule *y)
{
	return x->level == y->level && x->kind == y->kind &&
	       x->effect == y->effect && x->err == y->err &&
	       x->at.line == y->at.line && x->at.col == y->at.col &&
	       x->scopes == y->scopes && str_eq(x->id, y->id) &&
	       str_eq(x->at.file, y->at.file);
}

/* Rules of one statement are neighbours. */
uint32_t sel_rule_number(const struct ir *ir, const struct ir_rule *r)
{
	uint32_t i = r->index;

	while (i > 0 && same_statement(ir->rules.v[i - 1], r))
		i--;
	return i;
}

const struct ir_rule *sel_rule(const struct ir *ir, uint32_t number)
{
	return number < ir->rules.n ? ir->rules.v[number] : NULL;
}

/* --- one number ----------------------------------------------------------------- */

/* A rule that can match the number, and the arguments for which it counts. */
struct part {
	const struct ir_rule *rule;
	uint32_t match; /* the rule's condition without its exceptions */
	uint32_t taken; /* the part of `match` that steps 1 and 2 leave */
};

struct builder {
	const struct ir *ir;
	VEC(const struct ir_rule *) calls; /* the rules of system calls in the sandbox */
	struct dag *dag;
	struct part *parts; /* in the IR's order */
	size_t n;
	uint32_t final1, final2; /* where a final rule of level 1 (of level 2) matches */
};

static bool is_locked_out(const struct ir *ir, const struct ir_rule *r)
{
	enum ir_level lock = ir->locked[IR_SYSCALL].level;

	return r->effect == IR_ALLOW && lock != 0 && r->level > lock;
}

static uint32_t match_of(struct dag *d, const struct ir_rule *r)
{
	uint32_t m = dag_cond(d, r->set.u.syscall.cond);

	for (size_t i = 0; i < r->nexcept; i++) {
		const struct ir_syscall *x = &r->except[i].u.syscall;

		if (x->nr == r->set.u.syscall.nr)
			m = dag_and(d, m, dag_not(d, dag_cond(d, x->cond)));
	}
	return m;
}

static void find_parts(struct builder *b, uint32_t nr)
{
	b->n = 0;
	for (size_t i = 0; i < b->calls.n; i++) {
		const struct ir_rule *r = b->calls.v[i];

		if (r->set.u.syscall.nr != nr)
			continue;
		b->parts[b->n].rule = r;
		b->parts[b->n].taken = DAG_FALSE;
		b->parts[b->n++].match = match_of(b->dag, r);
	}
}

/* Step 1: a final rule of a level shuts out the levels below it. */
static void find_final(struct builder *b)
{
	b->final1 = b->final2 = DAG_FALSE;
	for (size_t i = 0; i < b->n; i++) {
		const struct part *p = &b->parts[i];

		if (!p->rule->final)
			continue;
		if (p->rule->level == IR_MANAGED)
			b->final1 = dag_or(b->dag, b->final1, p->match);
		else if (p->rule->level == IR_MANAGED_FILE &&
			 !is_locked_out(b->ir, p->rule))
			b->final2 = dag_or(b->dag, b->final2, p->match);
	}
}

static uint32_t lifted(struct builder *b, const struct ir_rule *r)
{
	uint32_t m = DAG_FALSE;

	for (size_t i = 0; i < r->nlifted_by; i++)
		for (size_t k = 0; k < b->n; k++)
			if (b->parts[k].rule->index == r->lifted_by[i] &&
			    b->parts[k].rule->level != IR_DEFAULT &&
			    b->parts[k].rule->effect == IR_ALLOW)
				m = dag_or(b->dag, m, b->parts[k].taken);
	return m;
}

/* Steps 1 and 2.  Parts are in order of level: an allow comes before what it lifts. */
static void find_taken(struct builder *b)
{
	struct dag *d = b->dag;

	for (size_t i = 0; i < b->n; i++) {
		struct part *p = &b->parts[i];
		uint32_t out = DAG_FALSE;

		if (is_locked_out(b->ir, p->rule))
			continue;
		switch (p->rule->level) {
		case IR_MANAGED:
			break;
		case IR_MANAGED_FILE:
			out = b->final1;
			break;
		case IR_PROJECT:
		case IR_USER:
			out = dag_or(d, b->final1, b->final2);
			break;
		case IR_DEFAULT:
		case IR_LEVEL_COUNT:
			/* an allow of the default level waits for step 4 */
			out = p->rule->effect == IR_ALLOW ? DAG_TRUE :
			      lifted(b, p->rule);
			break;
		}
		p->taken = dag_and(d, p->match, dag_not(d, out));
	}
}

static uint32_t any_of(struct builder *b, enum ir_effect effect)
{
	uint32_t m = DAG_FALSE;

	for (size_t i = b->n; i-- > 0;)
		if (b->parts[i].rule->effect == effect && !b->parts[i].rule->soft)
			m = dag_or(b->dag, b->parts[i].taken, m);
	return m;
}

static uint32_t deny_leaf(struct builder *b, const struct ir_rule *r)
{
	uint16_t err = r->effect == IR_DENY && r->err ? r->err : EPERM;

	return dag_leaf(b->dag, (struct dag_leaf){ DAG_DENY,
			sel_rule_number(b->ir, r), err });
}

static uint32_t allow_leaf(struct builder *b)
{
	return dag_leaf(b->dag, (struct dag_leaf){ DAG_ALLOW, UINT32_MAX, 0 });
}

/* Puts the rules of one effect before `rest`: the first that matches decides. */
static uint32_t first_of(struct builder *b, enum ir_effect effect, bool soft_only,
			 uint32_t where, uint32_t rest)
{
	for (size_t i = b->n; i-- > 0;) {
		const struct part *p = &b->parts[i];

		if (p->rule->effect != effect || (soft_only && !p->rule->soft))
			continue;
		rest = dag_ite(b->dag, dag_and(b->dag, where, p->taken),
			       deny_leaf(b, p->rule), rest);
	}
	return rest;
}

/* Steps 4 and 5, with the soft asks, which only turn an allow into an ask. */
static uint32_t without_hard_rules(struct builder *b)
{
	const struct ir_scalar *other = &b->ir->scalars[IR_S_SYSCALL_OTHERWISE];
	uint32_t base = DAG_FALSE, rest, open;

	if (b->ir->locked[IR_SYSCALL].level == 0)
		for (size_t i = b->n; i-- > 0;)
			if (b->parts[i].rule->level == IR_DEFAULT &&
			    b->parts[i].rule->effect == IR_ALLOW)
				base = dag_or(b->dag, b->parts[i].match, base);
	/* unknown means deny: only an explicit allow allows */
	if (other->effect == IR_ALLOW)
		rest = allow_leaf(b);
	else
		rest = dag_leaf(b->dag, (struct dag_leaf){ DAG_DENY,
				bk_rule_of_scalar(b->ir, IR_S_SYSCALL_OTHERWISE), EPERM });
	rest = dag_ite(b->dag, base, allow_leaf(b), rest);
	open = other->effect <= IR_ASK ? DAG_TRUE : base;
	return first_of(b, IR_ASK, true, open, rest);
}

static uint32_t decide(struct builder *b)
{
	uint32_t asked, hard, r;

	find_final(b);
	find_taken(b);
	hard = dag_or(b->dag, any_of(b, IR_ALLOW), any_of(b, IR_ASK));
	asked = first_of(b, IR_ASK, false, DAG_TRUE, allow_leaf(b));
	r = dag_ite(b->dag, hard, asked, without_hard_rules(b));
	r = first_of(b, IR_DENY, false, DAG_TRUE, r);
	return first_of(b, IR_HIDE, false, DAG_TRUE, r);
}

/* --- all numbers --------------------------------------------------------------------- */

static void add_range(struct sel_ranges *r, struct arena *a, uint32_t lo, uint32_t hi,
		      uint32_t root)
{
	if (r->n && VEC_LAST(r)->root == root) {
		VEC_LAST(r)->hi = hi;
		return;
	}
	VEC_PUSH(a, r, ((struct sel_range){ lo, hi, root }));
}

/* Beyond the last name: no call, or one of x32. */
static void add_outside(struct sel_ranges *r, struct arena *a, uint32_t noname,
			uint32_t killed)
{
	add_range(r, a, target_call_end(), TARGET_X32_BIT - 1, noname);
	/*
	 * x32 numbers have this bit set and are positive.  No kernel table holds a
	 * negative number (a tracer skips a call by -1), so there is no reason to kill.
	 */
	add_range(r, a, TARGET_X32_BIT, INT32_MAX, killed);
	add_range(r, a, (uint32_t)INT32_MAX + 1, UINT32_MAX, noname);
}

/* The decision with a report where the filter makes one of an allowed call. */
static uint32_t with_report(struct dag *d, const struct ir *ir, enum pb_filter_kind kind, uint32_t nr,
			    uint32_t root)
{
	struct reported r;
	uint32_t leaf;

	if (!reported_find(ir, kind, nr, &r))
		return root;
	leaf = dag_leaf(
		d, (struct dag_leaf){ r.verdict == PB_V_BROKER ? DAG_BROKER : DAG_TRACE,
				      UINT32_MAX, 0 });
	if (!r.always)
		leaf = dag_ite(
			d, dag_cond(d, &r.when), leaf,
			dag_leaf(d, (struct dag_leaf){ DAG_ALLOW, UINT32_MAX, 0 }));
	return dag_prune(d, dag_where_allowed(d, root, leaf));
}

static struct span first_span(const struct ir *ir, uint32_t nr)
{
	for (size_t i = 0; i < ir->rules.n; i++)
		if (ir->rules.v[i]->kind == IR_SYSCALL &&
		    ir->rules.v[i]->set.u.syscall.nr == nr)
			return ir->rules.v[i]->at.span;
	return SPAN_NONE;
}

bool sel_build(const struct ir *ir, struct arena *a, struct diag_sink *sink,
	       struct selection *ret)
{
	struct selection s = { 0 };
	struct builder b = { .ir = ir, .dag = &s.dag };
	uint32_t noname, killed, end = target_call_end();

	dag_init(&s.dag, a);
	for (size_t i = 0; i < ir->rules.n; i++)
		if (ir->rules.v[i]->kind == IR_SYSCALL &&
		    (ir->rules.v[i]->scopes & IR_SANDBOX))
			VEC_PUSH(a, &b.calls, ir->rules.v[i]);
	b.parts = arena_array(a, b.calls.n + 1, sizeof(*b.parts));
	noname = dag_leaf(&s.dag, (struct dag_leaf){ DAG_NONAME, UINT32_MAX, ENOSYS });
	killed = dag_leaf(&s.dag, (struct dag_leaf){ DAG_KILL, UINT32_MAX, 0 });
	for (uint32_t nr = 0; nr < end; nr++) {
		const struct target_call *call = target_call_by_nr(nr);
		uint32_t root = noname;

		if (call) {
			find_parts(&b, nr);
			root = dag_prune(&s.dag, decide(&b));
		}
		for (unsigned k = 0; k < PB_FILTER_COUNT && !s.dag.full; k++)
			add_range(
				&s.ranges[k], a, nr, nr,
				with_report(&s.dag, ir, (enum pb_filter_kind)k, nr, root));
		if (s.dag.full) {
			struct diag *d = diag_add(sink, DIAG_SECCOMP_COMPLEX,
				first_span(ir, nr),
				"the conditions on '%s' are too complex for a filter",
				call ? call->name : "?");
			diag_help(sink, d, "use fewer conditions on this call, or deny it whole");
			return false;
		}
	}
	for (unsigned k = 0; k < PB_FILTER_COUNT; k++)
		add_outside(&s.ranges[k], a, noname, killed);
	*ret = s;
	return true;
}

uint32_t sel_root(const struct selection *s, uint32_t nr)
{
	const struct sel_ranges *r = &s->ranges[PB_FILTER_ENFORCE];
	size_t lo = 0, hi = r->n;

	while (hi - lo > 1) {
		size_t mid = lo + (hi - lo) / 2;

		if (r->v[mid].lo <= nr)
			lo = mid;
		else
			hi = mid;
	}
	return r->v[lo].root;
}
