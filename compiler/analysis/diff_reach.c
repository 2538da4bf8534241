/*
 * Compares what is said about the addresses of names.  The decision on an address
 * itself may be a deny under both policies (of `otherwise`, or of a rule that names no
 * host), while only one has a rule that keeps an allowed name from leading there.
 */
#include "compiler/analysis/diff_reach.h"

#include "compiler/analysis/diff_off.h"
#include "compiler/eval/eval.h"
#include "compiler/eval/reached.h"

struct reach {
	enum ir_effect itself; /* the decision on the address */
	enum ir_effect reached;
	const struct ir_rule *by; /* of `reached`; NULL: no rule objects */
};

/* `ir` may be a part of the policy `whole`. */
static void look(const struct ir *ir, const struct ir *whole, const struct ir_request *req,
		 struct arena *a, struct reach *ret)
{
	struct eval_decision d;

	eval_decide(ir, req, a, &d);
	ret->itself = d.effect;
	eval_reached(ir, req, a, &d);
	ret->reached = d.rule ? d.effect : IR_ALLOW;
	ret->by = d.rule;
	if (ret->reached <= IR_ASK && eval_reached_is_guarded(whole, req)) {
		ret->reached = IR_DENY;
		ret->by = NULL;
	}
}

/* May some name pass on this port, as far as the rules alone can say? */
static bool names_pass(const struct ir *ir, uint16_t port)
{
	const struct ir_scalar *otherwise = &ir->scalars[IR_S_NET_OTHERWISE];

	if (ir->scalars[IR_S_NET_MODE].num == IR_NET_DISABLED)
		return false;
	if (ir->scalars[IR_S_NET_MODE].num == IR_NET_FULL ||
	    otherwise->effect <= IR_ASK)
		return true;
	for (size_t i = 0; i < ir->rules.n; i++) {
		const struct ir_rule *r = ir->rules.v[i];
		const struct ir_net *n = &r->set.u.net;

		if (r->kind == IR_NET && r->effect <= IR_ASK &&
		    n->host != IR_HOST_CIDR && (n->protos & IR_TCP) &&
		    port >= n->port_lo && port <= n->port_hi)
			return true;
	}
	return false;
}

bool diff_reach_counts(const struct diff *d, uint16_t port)
{
	return DIFF_ON("reach") && names_pass(d->ir[DIFF_OLD], port) &&
	       names_pass(d->ir[DIFF_NEW], port);
}

/* Has the decision on the address itself changed the same way?  Then it is told
 * already. */
static bool is_shown(const struct reach x[2])
{
	const struct reach *o = &x[DIFF_OLD], *n = &x[DIFF_NEW];

	return o->reached == n->reached ||
	       (o->itself != n->itself &&
		(o->itself < n->itself) == (o->reached < n->reached));
}

static struct diff_said said(const struct reach *x)
{
	struct diff_said v = { .there = true, .id = STR("network-otherwise") };

	if (x->by)
		v = diff_said_rule(x->by);
	v.decides = false;
	v.value = x->reached == IR_ALLOW ? STR("a name may lead there")
		  : x->reached == IR_ASK ? STR("a name that leads there is asked about")
					 : STR("no name may lead there");
	return v;
}

void diff_reach_ask(struct diff *d, const struct diff_small *small,
		    const struct ir_request *req, struct arena *tmp,
		    struct diff_told *told)
{
	struct diff_finding f = { .kind = "net", .change = DIFF_REACH, .asked = true };
	struct ir_request q = *req;
	struct reach x[2];

	q.scope = IR_SANDBOX; /* in scope `host` there is no gateway */
	if (!q.is_addr || q.proto != IR_TCP)
		return;
	for (int pass = 0; pass < 2; pass++) {
		for (int s = 0; s < 2; s++)
			look(pass ? d->ir[s] : &small->ir[s], d->ir[s], &q, tmp, &x[s]);
		if (is_shown(x))
			return;
	}
	f.widening = x[DIFF_NEW].reached < x[DIFF_OLD].reached;
	if (!diff_is_new(d, &q, f.change, f.widening, told))
		return;
	f.request = diff_keep_request(d->a, &q);
	for (int s = 0; s < 2; s++)
		f.side[s] = said(&x[s]);
	diff_finding_add(d, &f, told);
}
