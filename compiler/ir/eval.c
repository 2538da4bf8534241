/*
 * The reference evaluator.  Decides what a request gets, step by step as
 * doc/semantics.md 3.1 counts them; the sets of the rules are walked in
 * match.c.  Slow and plain on purpose: everything compiled is compared with it.
 */
#include <errno.h>

#include "compiler/ir/eval.h"
#include "compiler/ir/match.h"

static const char *const step_names[] = {
	[IR_STEP_FINAL] = "final rule",
	[IR_STEP_RULES] = "rules",
	[IR_STEP_DEFAULT] = "default rule",
	[IR_STEP_FLOOR] = "floor",
	[IR_STEP_BASE_ALLOW] = "default allow",
	[IR_STEP_OTHERWISE] = "otherwise",
	[IR_STEP_RISK] = "otherwise by risk",
	[IR_STEP_OPAQUE] = "opaque",
	[IR_STEP_MODE] = "network mode",
	[IR_STEP_UNKNOWN] = "unknown system call",
};

const char *ir_step_name(enum ir_step s)
{
	return s < IR_STEP_COUNT ? step_names[s] : "?";
}

/* A rule of this effect matches broadly (deny, ask, hide) or narrowly. */
static enum ir_side side_of(enum ir_effect e)
{
	return e == IR_ALLOW ? IR_NARROW : IR_BROAD;
}

static enum ir_side opposite(enum ir_side s)
{
	return s == IR_BROAD ? IR_NARROW : IR_BROAD;
}

/* The set less its exceptions, each of which matches as the opposite would. */
static bool in_set(enum ir_kind kind, const struct ir_set *set,
		   const struct ir_set *except, size_t nexcept,
		   const struct ir_request *req, enum ir_side side)
{
	size_t i;

	if (!ir_match_set(kind, set, req, side))
		return false;
	for (i = 0; i < nexcept; i++)
		if (ir_match_set(kind, &except[i], req, opposite(side)))
			return false;
	return true;
}

bool ir_rule_matches(const struct ir_rule *rule, const struct ir_request *req)
{
	if (rule->kind != req->kind || !(rule->scopes & (unsigned)req->scope))
		return false;
	return in_set(rule->kind, &rule->set, rule->except, rule->nexcept, req,
		      side_of(rule->effect));
}

/* --- the risk of a command or tool (4.5) -------------------------------- */

static void classify(const struct ir *ir, const struct ir_request *req,
		     struct ir_decision *d)
{
	size_t i;

	d->risk = IR_RISK_MEDIUM;
	d->risk_fact = NULL;
	for (i = 0; i < ir->risks.n; i++) {
		const struct ir_risk_fact *f = &ir->risks.v[i];
		enum ir_side side = f->risk == IR_RISK_LOW ? IR_NARROW : IR_BROAD;

		if (f->kind != req->kind || (d->risk_fact && f->risk <= d->risk))
			continue;
		if (in_set(f->kind, &f->set, f->except, f->nexcept, req, side)) {
			d->risk = f->risk;
			d->risk_fact = f;
		}
	}
}

/* --- 3.1 ------------------------------------------------------------------ */

static bool is_locked_above(const struct ir *ir, const struct ir_rule *r)
{
	enum ir_level lock = ir->locked[r->kind].level;

	return lock != 0 && r->level > lock;
}

/* Step 1: n, the lowest level whose rules count. */
static enum ir_level last_level(const struct ir *ir, const struct ir_decision *d)
{
	enum ir_level n = IR_USER;
	size_t i;

	for (i = 0; i < d->nmatched; i++) {
		const struct ir_rule *r = d->matched[i];

		if (!r->final)
			continue;
		if (r->level == IR_MANAGED)
			return IR_MANAGED;
		if (r->level != IR_MANAGED_FILE)
			continue;
		if (r->effect == IR_ALLOW && is_locked_above(ir, r))
			continue;
		n = IR_MANAGED_FILE;
	}
	return n;
}

/* Step 1: is this matching rule taken? */
static bool is_taken(const struct ir *ir, const struct ir_rule *r, enum ir_level n)
{
	if (r->level > n)
		return false;
	return r->effect != IR_ALLOW || !is_locked_above(ir, r);
}

/* Step 2: does an allow taken in step 1 lift this rule of level 5? */
static bool is_lifted(const struct ir *ir, const struct ir_rule *r,
		      const struct ir_decision *d, enum ir_level n)
{
	size_t i, k;

	for (i = 0; i < r->nlifted_by; i++)
		for (k = 0; k < d->nmatched; k++)
			if (d->matched[k]->index == r->lifted_by[i] &&
			    d->matched[k]->effect == IR_ALLOW &&
			    is_taken(ir, d->matched[k], n))
				return true;
	return false;
}

/* Steps 1 and 2: is the matching rule among those that step 3 looks at? */
static bool is_left(const struct ir *ir, const struct ir_rule *r,
		    const struct ir_decision *d, enum ir_level n)
{
	if (r->level != IR_DEFAULT)
		return is_taken(ir, r, n);
	return r->effect != IR_ALLOW && !is_lifted(ir, r, d, n);
}

/*
 * Step 3: the first of the strictest rules.  ir.rules has the order that
 * "first" means.  Soft asks are looked at only where `soft` says so.
 */
static const struct ir_rule *strictest(const struct ir *ir,
				       const struct ir_decision *d,
				       enum ir_level n, bool soft)
{
	const struct ir_rule *best = NULL;
	size_t i;

	for (i = 0; i < d->nmatched; i++) {
		const struct ir_rule *r = d->matched[i];

		if ((r->soft && !soft) || !is_left(ir, r, d, n))
			continue;
		if (!best || r->effect > best->effect)
			best = r;
	}
	return best;
}

/*
 * A managed ask is for a person, unless its rule says `may yes`; where several
 * rules ask, every one must be answered.
 */
static bool asks_person(const struct ir *ir, const struct ir_decision *d,
			enum ir_level n)
{
	size_t i;

	for (i = 0; i < d->nmatched; i++)
		if (d->matched[i]->effect == IR_ASK && !d->matched[i]->may_yes &&
		    d->matched[i]->level <= IR_MANAGED_FILE &&
		    is_left(ir, d->matched[i], d, n))
			return true;
	return false;
}

static void by_rule(const struct ir *ir, struct ir_decision *d,
		    const struct ir_rule *r, enum ir_level n)
{
	d->effect = r->effect;
	d->rule = r;
	if (r->floor)
		d->step = IR_STEP_FLOOR;
	else if (r->level == IR_DEFAULT)
		d->step = IR_STEP_DEFAULT;
	else
		d->step = n < IR_USER ? IR_STEP_FINAL : IR_STEP_RULES;
	d->needs_person = r->effect == IR_ASK && asks_person(ir, d, n);
	if (r->kind == IR_SYSCALL && r->effect == IR_DENY)
		d->err = r->err ? r->err : EPERM;
}

/* Step 4. */
static const struct ir_rule *base_allow(const struct ir *ir,
					const struct ir_decision *d,
					enum ir_kind kind)
{
	size_t i;

	if (ir->locked[kind].level != 0)
		return NULL;
	for (i = 0; i < d->nmatched; i++)
		if (d->matched[i]->level == IR_DEFAULT &&
		    d->matched[i]->effect == IR_ALLOW)
			return d->matched[i];
	return NULL;
}

static enum ir_scalar_id otherwise_of(const struct ir_request *req)
{
	switch (req->kind) {
	case IR_COMMAND:
		return IR_S_COMMAND_OTHERWISE;
	case IR_FILE:
		return req->op == IR_READ  ? IR_S_FILE_READ :
		       req->op == IR_WRITE ? IR_S_FILE_WRITE :
					     IR_S_FILE_EXEC;
	case IR_NET:
		return IR_S_NET_OTHERWISE;
	case IR_UNIX:
		return IR_S_UNIX_OTHERWISE;
	case IR_SYSCALL:
		return IR_S_SYSCALL_OTHERWISE;
	case IR_TOOL:
	case IR_KIND_COUNT:
		break;
	}
	return IR_S_TOOL_OTHERWISE;
}

/* Step 5: what the section says where no rule does. */
static void by_otherwise(const struct ir *ir, const struct ir_request *req,
			 struct ir_decision *d)
{
	const struct ir_scalar *s;

	d->rule = NULL;
	d->scalar = otherwise_of(req);
	d->step = IR_STEP_OTHERWISE;
	s = &ir->scalars[d->scalar];
	d->effect = s->effect;
	if (s->by_risk) {
		d->effect = s->effects[d->risk];
		d->step = IR_STEP_RISK;
	}
	/* `full` is an `otherwise allow`, unless a policy says another one */
	if (req->kind == IR_NET && ir->scalars[IR_S_NET_MODE].num == IR_NET_FULL &&
	    (!s->set || s->level == IR_DEFAULT)) {
		d->effect = IR_ALLOW;
		d->step = IR_STEP_MODE;
		d->scalar = IR_S_NET_MODE;
	}
	if (req->kind == IR_SYSCALL && d->effect == IR_DENY)
		d->err = EPERM;
}

static void by_levels(const struct ir *ir, const struct ir_request *req,
		      struct ir_decision *d)
{
	enum ir_level n = last_level(ir, d);
	const struct ir_rule *hard = strictest(ir, d, n, false);
	const struct ir_rule *any = strictest(ir, d, n, true);
	const struct ir_rule *base;

	if (hard) {
		by_rule(ir, d, any, n);
		return;
	}
	base = base_allow(ir, d, req->kind);
	if (base) {
		d->effect = IR_ALLOW;
		d->rule = base;
		d->step = IR_STEP_BASE_ALLOW;
	} else {
		by_otherwise(ir, req, d);
	}
	/* a soft ask alone never turns a deny of `otherwise` into ask */
	if (any && d->effect <= IR_ASK)
		by_rule(ir, d, any, n);
}

/* --- requests that rules alone do not decide ---------------------------------- */

/* 4.1: the stricter of `opaque` and `otherwise` (of medium), never allow. */
static void by_opaque(const struct ir *ir, struct ir_decision *d)
{
	const struct ir_scalar *opaque = &ir->scalars[IR_S_COMMAND_OPAQUE];
	const struct ir_scalar *other = &ir->scalars[IR_S_COMMAND_OTHERWISE];
	enum ir_effect e = other->by_risk ? other->effects[IR_RISK_MEDIUM] :
					    other->effect;

	d->rule = NULL;
	d->step = IR_STEP_OPAQUE;
	d->risk = IR_RISK_MEDIUM;
	d->scalar = e > opaque->effect ? IR_S_COMMAND_OTHERWISE :
					 IR_S_COMMAND_OPAQUE;
	d->effect = e > opaque->effect ? e : opaque->effect;
	if (d->effect == IR_ALLOW)
		d->effect = IR_ASK;
	d->needs_person = d->effect == IR_ASK &&
			  d->scalar == IR_S_COMMAND_OPAQUE;
}

static bool is_loopback(const struct ir_request *req)
{
	static const uint8_t v4[13] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
					0xff, 0xff, 127 };
	static const uint8_t v6[16] = { [15] = 1 };

	return req->is_addr && (memcmp(req->addr, v4, sizeof(v4)) == 0 ||
				memcmp(req->addr, v6, sizeof(v6)) == 0);
}

/* 6: `disabled` denies whatever rules say, but for the run's own loopback. */
static void by_mode(const struct ir_request *req, struct ir_decision *d)
{
	d->rule = NULL;
	d->scalar = IR_S_NET_MODE;
	d->step = IR_STEP_MODE;
	d->effect = req->scope == IR_SANDBOX && is_loopback(req) ? IR_ALLOW :
								   IR_DENY;
}

static void by_unknown_number(struct ir_decision *d)
{
	d->rule = NULL;
	d->scalar = IR_S_SYSCALL_OTHERWISE;
	d->step = IR_STEP_UNKNOWN;
	d->effect = IR_DENY;
	d->err = ENOSYS;
}

/* Absolute, no empty, '.' or '..' component, no '/' at the end: one spelling. */
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

/* A path in another spelling would walk around the rules that name it. */
static bool is_readable(const struct ir_request *req)
{
	if (req->kind == IR_COMMAND)
		return !req->unparsed && req->nargv;
	if (req->kind == IR_FILE || (req->kind == IR_UNIX && !req->abstract))
		return is_plain_path(req->path);
	return true;
}

/* Is the file one of the host's, which no scratch rule speaks of? */
static bool is_of_host(const struct ir *ir, const struct ir_request *req)
{
	size_t i;

	for (i = 0; i < ir->rules.n && req->kind == IR_FILE; i++) {
		const struct ir_rule *r = ir->rules.v[i];
		struct ir_request any_op = *req;

		if (!ir_rule_shows_host(r))
			continue;
		any_op.op = (enum ir_op)r->set.u.file.ops;
		if (ir_rule_matches(r, &any_op))
			return true;
	}
	return false;
}

static void find_matching(const struct ir *ir, const struct ir_request *req,
			  struct arena *a, struct ir_decision *d)
{
	bool host = is_of_host(ir, req);
	size_t i;

	d->matched = arena_array(a, ir->rules.n + 1, sizeof(*d->matched));
	for (i = 0; i < ir->rules.n; i++)
		if (!(host && ir->rules.v[i]->scratch) &&
		    ir_rule_matches(ir->rules.v[i], req))
			d->matched[d->nmatched++] = ir->rules.v[i];
}

/*
 * 5: what lies below the place of a mount is what lies below its tree.  False
 * where the tree hangs off a root that this decision has not: no such file.
 */
static bool by_own_name(const struct ir *ir, struct ir_request *req, struct arena *a)
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

void ir_eval(const struct ir *ir, const struct ir_request *asked, struct arena *a,
	     struct ir_decision *ret)
{
	struct ir_decision d = { .effect = IR_DENY, .step = IR_STEP_OTHERWISE,
				 .risk = IR_RISK_MEDIUM };
	struct ir_request own = *asked, *req = &own;

	d.scalar = otherwise_of(req);
	if (!is_readable(req) || !by_own_name(ir, &own, a)) {
		if (req->kind == IR_COMMAND)
			by_opaque(ir, &d);
		*ret = d;
		return;
	}
	find_matching(ir, req, a, &d);
	if (req->kind == IR_COMMAND || req->kind == IR_TOOL)
		classify(ir, req, &d);
	if (req->kind == IR_SYSCALL && !req->nr_known)
		by_unknown_number(&d);
	else if (req->kind == IR_NET &&
		 ir->scalars[IR_S_NET_MODE].num == IR_NET_DISABLED)
		by_mode(req, &d);
	else
		by_levels(ir, req, &d);
	*ret = d;
}
