/* What a run of diff says, for the properties about it. */
#ifndef TESTS_PROP_DIFF_SAYS_H
#define TESTS_PROP_DIFF_SAYS_H

#include "compiler/analysis/diff.h"
#include "compiler/eval/eval.h"
#include "compiler/eval/grant.h"
#include "compiler/eval/levels.h"
#include "compiler/eval/reached.h"

/* Where something may be permitted that was not, some finding or doubt says so.
 * --fail-on=widening passes by what could only forbid more. */
static inline bool diff_says_widening(const struct diff_result *r)
{
	size_t i;

	for (i = 0; i < r->findings.n; i++)
		if (r->findings.v[i].widening)
			return true;
	for (i = 0; i < r->doubts.n; i++)
		if (!r->doubts.v[i].narrows_only)
			return true;
	return false;
}

/* Is the range in one of the others? */
static inline bool diff_in_ranges(const struct num_cidr *c, const struct eval_grant *g)
{
	for (size_t i = 0; i < g->nwithin; i++) {
		const struct num_cidr *x = g->within[i];
		unsigned bit = 0;

		while (bit < x->bits && !((c->addr[bit / 8] ^ x->addr[bit / 8]) & 0x80u >> bit % 8))
			bit++;
		if (bit == x->bits && c->bits >= bit)
			return true;
	}
	return false;
}

/*
 * Where both policies let a request of a run through: may the gateway dial or do something
 * under `new` that it may not under `old`?  And in the other order, so that neither means
 * that it does the same.  (Another proxy or header is for both of them.)
 */
static inline bool diff_gateway_widens(const struct ir *old, const struct ir *new,
				       const struct ir_request *q, struct arena *a)
{
	struct eval_decision d, e;
	struct eval_grant g, h;

	if (q->kind != IR_NET || q->scope != IR_SANDBOX)
		return false;
	eval_decide(old, q, a, &d);
	eval_decide(new, q, a, &e);
	if (d.effect > IR_ASK || e.effect > IR_ASK)
		return false;
	eval_grant(old, q, &d, a, &g);
	eval_grant(new, q, &e, a, &h);
	for (size_t i = 0; i < h.nwithin; i++)
		if (!diff_in_ranges(h.within[i], &g))
			return true;
	return (h.named && !g.named && !eval_is_own_loopback(q)) || (g.more.bytes && h.more.bytes > g.more.bytes) ||
	       (g.more.bytes && !h.more.bytes) || !str_eq(g.more.via, h.more.via) ||
	       !str_eq(g.more.header, h.more.header) ||
	       (g.more.connections && h.more.connections > g.more.connections) ||
	       (g.more.connections && !h.more.connections);
}

/* What the rules say about an address that an allowed name has; `otherwise` says nothing, and the
 * guard keeps names from what no rule names. */
static inline enum ir_effect diff_says_reached(const struct ir *ir, const struct ir_request *q,
					       struct arena *a)
{
	struct ir about = *ir;
	struct eval_decision d;

	about.rules.v = NULL;
	about.rules.n = about.rules.cap = 0;
	for (size_t i = 0; i < ir->rules.n; i++) {
		struct ir_rule *r = ir->rules.v[i];

		if (r->kind != IR_NET || (r->set.u.net.host == IR_HOST_ANY && r->effect != IR_ALLOW))
			continue;
		r = arena_dup(a, r, sizeof(*r));
		r->soft = false;
		VEC_PUSH(a, &about.rules, r);
	}
	eval_decide(&about, q, a, &d);
	if (d.rule && d.effect > IR_ASK)
		return d.effect;
	return eval_reached_is_guarded(ir, q) ? IR_DENY : d.rule ? d.effect : IR_ALLOW;
}

/* May an allowed name lead to an address under `new` to which it may not under `old`? */
static inline bool diff_reach_widens(const struct ir *old, const struct ir *new,
				     const struct ir_request *q, struct arena *a)
{
	return q->kind == IR_NET && q->scope == IR_SANDBOX && q->is_addr && q->proto == IR_TCP &&
	       diff_says_reached(new, q, a) < diff_says_reached(old, q, a);
}

/* Does the policy let some of the names pass on the request's port? */
static inline bool diff_names_pass(const struct ir *ir, const struct ir_request *q,
				   const char *const *names, size_t n, struct arena *a)
{
	for (size_t i = 0; i < n; i++) {
		struct ir_request name = *q;
		struct eval_decision d;

		name.is_addr = false;
		name.host = str_from(names[i]);
		eval_decide(ir, &name, a, &d);
		if (d.effect <= IR_ASK)
			return true;
	}
	return false;
}

static inline bool diff_gateway_alike(const struct ir *x, const struct ir *y,
				      const struct ir_request *q, struct arena *a)
{
	return !diff_gateway_widens(x, y, q, a) && !diff_gateway_widens(y, x, q, a) &&
	       !diff_reach_widens(x, y, q, a) && !diff_reach_widens(y, x, q, a);
}

/* Does the gateway of a run do the same with a request that both let through?  It does not see
 * the run's own loopback. */
static inline bool diff_grants_alike(const struct ir *x, const struct ir *y, const struct ir_request *q,
				     struct arena *a)
{
	struct eval_decision d, e;
	struct eval_grant g, h;

	eval_decide(x, q, a, &d);
	eval_decide(y, q, a, &e);
	if (q->kind != IR_NET || q->scope != IR_SANDBOX || d.effect > IR_ASK || e.effect > IR_ASK)
		return true;
	eval_grant(x, q, &d, a, &g);
	eval_grant(y, q, &e, a, &h);
	for (size_t i = 0; i < g.nwithin; i++)
		if (!diff_in_ranges(g.within[i], &h))
			return false;
	for (size_t i = 0; i < h.nwithin; i++)
		if (!diff_in_ranges(h.within[i], &g))
			return false;
	return (g.named == h.named || eval_is_own_loopback(q)) && ir_grant_equal(&g.more, &h.more);
}

/* NULL, or what is wrong with a finding's request: it is asked again. */
static inline const char *diff_request_fails(const struct ir *x, const struct ir *y,
					     const struct diff_finding *f,
					     const struct ir_request *q, struct arena *a)
{
	struct eval_decision d, e;
	bool reached, alike;

	eval_decide(x, q, a, &d);
	eval_decide(y, q, a, &e);
	reached = diff_reach_widens(x, y, q, a) || diff_reach_widens(y, x, q, a);
	switch ((int)f->change) {
	case DIFF_GATEWAY:
		alike = diff_grants_alike(x, y, q, a);
		break;
	case DIFF_REACH:
		alike = !reached;
		break;
	default:
		alike = d.effect == e.effect && d.needs_person == e.needs_person && d.err == e.err &&
			d.risk == e.risk;
	}
	if (alike)
		return "a finding whose request is answered alike";
	/* those two are about what is behind the decision */
	if (d.effect != e.effect && f->change != DIFF_REACH && f->change != DIFF_GATEWAY &&
	    f->widening != (e.effect < d.effect))
		return "widening is not what it is";
	return NULL;
}

/* NULL, or what is wrong with a finding: its requests are asked again. */
static inline const char *diff_finding_fails(const struct ir *x, const struct ir *y,
					     const struct diff_finding *f, struct arena *a)
{
	const char *why = f->asked ? diff_request_fails(x, y, f, &f->request, a) : NULL;

	return why || !f->readable ? why : diff_request_fails(x, y, f, f->readable, a);
}

#endif
