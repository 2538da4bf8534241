/*
 * Decides which of the matching rules counts, in the steps of doc/semantics.md 3.1:
 * levels, locks, finals, lifted defaults, `otherwise`.
 */
#include <errno.h>

#include "compiler/eval/levels.h"
#include "runtime/base/address_guard.h"

static bool is_locked_above(const struct ir *ir, const struct ir_rule *r)
{
	enum ir_level lock = ir->locked[r->kind].level;

	return lock != 0 && r->level > lock;
}

/* Step 1: n, the lowest level whose rules count. */
static enum ir_level last_level(const struct ir *ir, const struct eval_decision *d)
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

bool eval_is_taken(const struct ir *ir, const struct eval_decision *d,
		   const struct ir_rule *r)
{
	return is_taken(ir, r, last_level(ir, d));
}

/* Step 2: the allow taken in step 1 that lifts this rule of level 5; NULL: none does. */
static const struct ir_rule *lifted_by(const struct ir *ir, const struct ir_rule *r,
				       const struct eval_decision *d, enum ir_level n)
{
	size_t i, k;

	for (i = 0; i < r->nlifted_by; i++)
		for (k = 0; k < d->nmatched; k++)
			if (d->matched[k]->index == r->lifted_by[i] &&
			    d->matched[k]->effect == IR_ALLOW &&
			    is_taken(ir, d->matched[k], n))
				return d->matched[k];
	return NULL;
}

/* Steps 1 and 2: does the matching rule reach step 3? */
static bool is_left(const struct ir *ir, const struct ir_rule *r,
		    const struct eval_decision *d, enum ir_level n)
{
	if (r->level != IR_DEFAULT)
		return is_taken(ir, r, n);
	return r->effect != IR_ALLOW && !lifted_by(ir, r, d, n);
}

/* The final rule because of which levels below n do not count. */
static const struct ir_rule *final_rule(const struct ir *ir, const struct eval_decision *d,
					enum ir_level n)
{
	size_t i;

	for (i = 0; i < d->nmatched; i++)
		if (d->matched[i]->final && d->matched[i]->level == n &&
		    is_taken(ir, d->matched[i], n))
			return d->matched[i];
	return NULL;
}

enum eval_standing eval_standing(const struct ir *ir, const struct eval_decision *d,
				 const struct ir_rule *r, const struct ir_rule **ret_by)
{
	enum ir_level n = last_level(ir, d);

	*ret_by = NULL;
	if (is_left(ir, r, d, n))
		return EVAL_COUNTS;
	if (r->level == IR_DEFAULT && r->effect == IR_ALLOW)
		return EVAL_BASE_ALLOW;
	if (r->level == IR_DEFAULT) {
		*ret_by = lifted_by(ir, r, d, n);
		return EVAL_LIFTED;
	}
	if (r->level <= n)
		return EVAL_BELOW_LOCK;
	*ret_by = final_rule(ir, d, n);
	return EVAL_BELOW_FINAL;
}

/*
 * Does `r` decide rather than `best`, which stands before it in ir.rules?  If several rules allow a
 * command, a final one decides: a command that a final rule allows may name hidden paths
 * (semantics 4.4).
 */
static bool comes_before(const struct ir_rule *r, const struct ir_rule *best)
{
	if (r->effect != best->effect)
		return r->effect > best->effect;
	return r->kind == IR_COMMAND && r->effect == IR_ALLOW && r->final && !best->final;
}

/*
 * Step 3: the first of the strictest rules.  Soft asks are considered only if `soft` is set.
 */
static const struct ir_rule *strictest(const struct ir *ir,
				       const struct eval_decision *d,
				       enum ir_level n, bool soft)
{
	const struct ir_rule *best = NULL;
	size_t i;

	for (i = 0; i < d->nmatched; i++) {
		const struct ir_rule *r = d->matched[i];

		if ((r->soft && !soft) || !is_left(ir, r, d, n))
			continue;
		if (!best || comes_before(r, best))
			best = r;
	}
	return best;
}

/*
 * A managed ask must be answered by a person, unless its rule says `may yes`.  Where
 * several rules ask, every one must be answered.
 */
static bool asks_person(const struct ir *ir, const struct eval_decision *d,
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

static void by_rule(const struct ir *ir, struct eval_decision *d,
		    const struct ir_rule *r, enum ir_level n)
{
	d->effect = r->effect;
	d->rule = r;
	if (r->floor)
		d->step = EVAL_STEP_FLOOR;
	else if (r->level == IR_DEFAULT)
		d->step = EVAL_STEP_DEFAULT;
	else
		d->step = n < IR_USER ? EVAL_STEP_FINAL : EVAL_STEP_RULES;
	d->needs_person = r->effect == IR_ASK && asks_person(ir, d, n);
	if (r->kind == IR_SYSCALL && r->effect == IR_DENY)
		d->err = r->err ? r->err : EPERM;
}

/* Step 4. */
static const struct ir_rule *base_allow(const struct ir *ir,
					const struct eval_decision *d,
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

enum ir_scalar_id eval_otherwise_of(const struct ir *ir, const struct ir_request *req)
{
	switch (req->kind) {
	case IR_COMMAND:
		return ir_scalar_in(ir, IR_S_COMMAND_OTHERWISE, req->scope);
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

bool eval_is_own_loopback(const struct ir_request *req)
{
	static const uint8_t v4[13] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
					0xff, 0xff, 127 };
	static const uint8_t v6[16] = { [15] = 1 };

	if (req->kind != IR_NET || req->scope != IR_SANDBOX)
		return false;
	if (!req->is_addr)
		return guard_is_localhost(req->host.p, req->host.n);
	return memcmp(req->addr, v4, sizeof(v4)) == 0 ||
	       memcmp(req->addr, v6, sizeof(v6)) == 0;
}

/* Step 5: what the section says where no rule decides. */
void eval_by_otherwise(const struct ir *ir, const struct ir_request *req,
			 struct eval_decision *d)
{
	const struct ir_scalar *s;

	d->rule = NULL;
	d->scalar = eval_otherwise_of(ir, req);
	d->step = EVAL_STEP_OTHERWISE;
	s = &ir->scalars[d->scalar];
	d->effect = s->effect;
	if (s->by_risk) {
		d->effect = s->effects[d->risk];
		d->step = EVAL_STEP_RISK;
	}
	/* mode `full` means `otherwise allow`, unless a policy says something else */
	if (req->kind == IR_NET && ir->scalars[IR_S_NET_MODE].num == IR_NET_FULL &&
	    (!s->set || s->level == IR_DEFAULT)) {
		d->effect = IR_ALLOW;
		d->step = EVAL_STEP_MODE;
		d->scalar = IR_S_NET_MODE;
	}
	/* semantics 6: where nothing else is said, the run's own loopback is free */
	if (d->effect != IR_ALLOW && eval_is_own_loopback(req)) {
		d->effect = IR_ALLOW;
		d->step = EVAL_STEP_MODE;
		d->scalar = IR_S_NET_MODE;
	}
	if (req->kind == IR_SYSCALL && d->effect == IR_DENY)
		d->err = EPERM;
}

void eval_by_levels(const struct ir *ir, const struct ir_request *req, bool otherwise,
		  struct eval_decision *d)
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
		d->step = EVAL_STEP_BASE_ALLOW;
	} else if (otherwise) {
		eval_by_otherwise(ir, req, d);
	} else {
		d->effect = IR_ALLOW;
		d->rule = NULL;
		d->scalar = eval_otherwise_of(ir, req);
		d->step = EVAL_STEP_OTHERWISE;
	}
	/* a soft ask alone never turns a deny of `otherwise` into ask */
	if (any && d->effect <= IR_ASK)
		by_rule(ir, d, any, n);
}

/*
 * Semantics 4.1: the stricter of `opaque` and `otherwise` (of medium risk), never
 * allow.
 */
void eval_by_opaque(const struct ir *ir, enum ir_scope scope, struct eval_decision *d)
{
	const enum ir_scalar_id opaque_id = ir_scalar_in(ir, IR_S_COMMAND_OPAQUE, scope);
	const enum ir_scalar_id other_id = ir_scalar_in(ir, IR_S_COMMAND_OTHERWISE, scope);
	const struct ir_scalar *opaque = &ir->scalars[opaque_id];
	const struct ir_scalar *other = &ir->scalars[other_id];
	enum ir_effect e = other->by_risk ? other->effects[IR_RISK_MEDIUM] :
					    other->effect;

	d->rule = NULL;
	d->step = EVAL_STEP_OPAQUE;
	d->risk = IR_RISK_MEDIUM;
	d->scalar = e > opaque->effect ? other_id : opaque_id;
	d->effect = e > opaque->effect ? e : opaque->effect;
	if (d->effect == IR_ALLOW)
		d->effect = IR_ASK;
	d->needs_person = d->effect == IR_ASK && d->scalar == opaque_id;
}
