/*
 * Decides one path, address, system call or tool in the steps of doc/semantics.md 3.1:
 * match.c compares the rules' sets with the request, levels.c chooses among the rules
 * that match.
 */
#include <errno.h>

#include "compiler/eval/grant.h"
#include "compiler/eval/index.h"
#include "compiler/eval/levels.h"
#include "compiler/eval/match.h"
#include "compiler/eval/request.h"
#include "runtime/base/place.h"

/* Rules of this effect match broadly (deny, ask, hide) or narrowly (allow). */
static enum eval_side side_of(enum ir_effect e)
{
	return e == IR_ALLOW ? EVAL_NARROW : EVAL_BROAD;
}

static enum eval_side opposite(enum eval_side s)
{
	return s == EVAL_BROAD ? EVAL_NARROW : EVAL_BROAD;
}

/*
 * Is the request in the set and in no exception?  An exception matches as a rule of the
 * opposite effect would.
 */
static bool in_set(enum ir_kind kind, const struct ir_set *set,
		   const struct ir_set *except, size_t nexcept,
		   const struct ir_request *req, enum eval_side side)
{
	size_t i;

	if (!eval_match_set(kind, set, req, side))
		return false;
	for (i = 0; i < nexcept; i++)
		if (eval_match_set(kind, &except[i], req, opposite(side)))
			return false;
	return true;
}

bool eval_rule_matches(const struct ir_rule *rule, const struct ir_request *req)
{
	if (rule->kind != req->kind || !(rule->scopes & (unsigned)req->scope))
		return false;
	return in_set(rule->kind, &rule->set, rule->except, rule->nexcept, req,
		      side_of(rule->effect));
}

/* --- the risk of a tool (4.5) -------------------------------- */

static void classify(const struct ir *ir, const struct ir_request *req,
		     struct eval_decision *d)
{
	size_t i;

	d->risk = IR_RISK_MEDIUM;
	d->risk_fact = NULL;
	for (i = 0; i < ir->risks.n; i++) {
		const struct ir_risk_fact *f = &ir->risks.v[i];
		enum eval_side side = f->risk == IR_RISK_LOW ? EVAL_NARROW : EVAL_BROAD;

		if (f->kind != req->kind || (d->risk_fact && f->risk <= d->risk))
			continue;
		if (in_set(f->kind, &f->set, f->except, f->nexcept, req, side)) {
			d->risk = f->risk;
			d->risk_fact = f;
		}
	}
}

/* --- requests that rules alone do not decide ---------------------------------- */

/*
 * Semantics 6: in mode `disabled` every request is denied, whatever rules say, except
 * to the run's own loopback.
 */
static void by_mode(const struct ir_request *req, struct eval_decision *d)
{
	d->rule = NULL;
	d->scalar = IR_S_NET_MODE;
	d->step = EVAL_STEP_MODE;
	d->effect = eval_is_own_loopback(req) ? IR_ALLOW : IR_DENY;
}

/* Semantics 6: an address that leads back into the host or its networks, which no rule names. */
static void by_guard(struct eval_decision *d)
{
	d->effect = IR_DENY;
	d->rule = NULL;
	d->scalar = IR_S_NET_OTHERWISE;
	d->step = EVAL_STEP_GUARD;
	d->needs_person = false;
}

static void by_unknown_number(struct eval_decision *d)
{
	d->rule = NULL;
	d->scalar = IR_S_SYSCALL_OTHERWISE;
	d->step = EVAL_STEP_UNKNOWN;
	d->effect = IR_DENY;
	d->err = ENOSYS;
}

/*
 * Is the path in its one normal spelling: absolute, no empty, '.' or '..' component, no
 * '/' at the end?
 */
static bool is_plain_path(struct str p)
{
	size_t i, from;

	if (!p.n || p.p[0] != '/')
		return false;
	for (i = 1; p.n > 1 && i <= p.n; i++) {
		struct str part;

		for (from = i; i < p.n && p.p[i] != '/'; i++)
			;
		part = str_sub(p, from, i - from);
		if (!part.n || str_eqz(part, ".") || str_eqz(part, ".."))
			return false;
	}
	return true;
}

/*
 * Do we understand the request?  A path in another spelling would get around the rules
 * that name it.
 */
static bool is_readable(const struct ir_request *req)
{
	if (req->kind == IR_FILE || (req->kind == IR_UNIX && !req->abstract))
		return is_plain_path(req->path);
	return true;
}

/* Is this a file of the host?  Scratch rules do not apply to those. */
static bool is_of_host(const struct ir *ir, const struct ir_request *req,
		       const struct eval_few *few)
{
	size_t i;

	for (i = 0; i < few->n && req->kind == IR_FILE; i++) {
		const struct ir_rule *r = ir->rules.v[eval_few_at(few, i)];
		struct ir_request any_op = *req;

		if (!ir_rule_shows_host(r))
			continue;
		any_op.op = (enum ir_op)r->set.u.file.ops;
		if (eval_rule_matches(r, &any_op))
			return true;
	}
	return false;
}

static void find_matching(const struct ir *ir, const struct ir_request *req,
			  struct arena *a, struct eval_decision *d)
{
	struct eval_few few = eval_few_rules(ir, req, a);
	bool host = is_of_host(ir, req, &few);
	size_t i;

	d->matched = arena_array(a, few.n + 1, sizeof(*d->matched));
	for (i = 0; i < few.n; i++) {
		const struct ir_rule *r = ir->rules.v[eval_few_at(&few, i)];

		if (!(host && r->scratch) && eval_rule_matches(r, req))
			d->matched[d->nmatched++] = r;
	}
}

bool eval_own_name(const struct ir *ir, struct ir_request *req, struct arena *a)
{
	bool path = req->kind == IR_FILE || (req->kind == IR_UNIX && !req->abstract);
	const struct ir_mount *m = path ? ir_mount_at(ir, req->path) : NULL;
	const struct ir_path *tree;
	struct buf b;

	if (!m)
		return true;
	tree = ir_mount_tree(ir, m);
	if (!req->roots.dir[tree->root].p)
		return false;
	buf_init(&b, a);
	if (tree->root != IR_ROOT_FS)
		buf_str(&b, req->roots.dir[tree->root]);
	for (size_t i = 0; i < tree->glob.n; i++)
		buf_ch(&b, (char)tree->glob.v[i].byte);
	buf_str(&b, str_sub(req->path, m->place.n, req->path.n - m->place.n));
	req->path = buf_view(&b);
	return true;
}

void eval_decide_request(const struct ir *ir, const struct ir_request *asked,
			 struct arena *a, struct eval_decision *ret)
{
	struct eval_decision d = { .effect = IR_DENY, .step = EVAL_STEP_OTHERWISE,
				 .risk = IR_RISK_MEDIUM };
	struct ir_request own = *asked, *req = &own;

	d.scalar = eval_otherwise_of(ir, req);
	if (!is_readable(req) || !eval_own_name(ir, &own, a)) {
		*ret = d;
		return;
	}
	find_matching(ir, req, a, &d);
	if (req->kind == IR_TOOL)
		classify(ir, req, &d);
	if (req->kind == IR_SYSCALL && !req->nr_known)
		by_unknown_number(&d);
	else if (req->kind == IR_NET &&
		 ir->scalars[IR_S_NET_MODE].num == IR_NET_DISABLED)
		by_mode(req, &d);
	else
		eval_by_levels(ir, req, true, &d);
	if (req->kind == IR_NET && eval_is_guarded(ir, req, &d, a))
		by_guard(&d);
	*ret = d;
}

struct by_names {
	const struct ir *ir;
	struct ir_request req;
	struct arena *a;
	struct eval_decision last, strictest; /* of the last name; of all names, by a rule */
};

static int take_name(void *arg, const char *name)
{
	struct by_names *x = arg;

	x->req.path = str_dup(x->a, str_from(name));
	eval_decide_request(x->ir, &x->req, x->a, &x->last);
	if (x->last.rule && x->last.effect > x->strictest.effect)
		x->strictest = x->last;
	return 0;
}

void eval_decide_names(const struct ir *ir, const struct ir_request *asked, bool only_rules,
		       struct arena *a, struct eval_decision *ret)
{
	struct by_names x = { .ir = ir, .req = *asked, .a = a };
	struct eval_decision deny = { .effect = IR_DENY, .step = EVAL_STEP_OTHERWISE,
				      .risk = IR_RISK_MEDIUM,
				      .scalar = eval_otherwise_of(ir, asked) };
	const char *path = str_z(a, asked->path);

	x.last = x.strictest = deny;
	x.strictest.effect = IR_ALLOW;
	if (!asked->places)
		(void)take_name(&x, path);
	else if (place_names_in(asked->places, path, take_name, &x) == -ENAMETOOLONG)
		x.last = deny;
	*ret = only_rules || x.strictest.effect > x.last.effect ? x.strictest : x.last;
}
