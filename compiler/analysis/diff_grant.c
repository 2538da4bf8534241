/*
 * Compares what the gateway does with one connection under two policies.  Of the rules
 * that let it through, the first in order that says something counts.  The ranges of
 * `within` add up.
 */
#include "compiler/analysis/diff_grant.h"

#include "compiler/analysis/diff_key.h"
#include "compiler/analysis/diff_off.h"
#include "compiler/eval/eval.h"
#include "compiler/eval/grant.h"
#include "compiler/eval/levels.h"
#include "runtime/base/address_bits.h"

struct gateway {
	bool lets; /* the policy lets the request through */
	const struct ir_rule *by;
	struct eval_grant g;
};

bool diff_grant_says(const struct ir_rule *r)
{
	const struct ir_net *n = &r->set.u.net;
	const struct ir_grant *g = &n->grant;

	if (r->kind != IR_NET)
		return false;
	return n->nwithin || g->via.n ||
	       g->header.n || g->bytes || g->connections || g->peek;
}

static void look(const struct ir *ir, const struct ir_request *req, struct arena *a,
		 struct gateway *ret)
{
	struct eval_decision e;

	*ret = (struct gateway){ .lets = false };
	eval_decide(ir, req, a, &e);
	ret->lets = e.effect == IR_ALLOW || e.effect == IR_ASK;
	ret->by = e.rule;
	eval_grant(ir, req, &e, a, &ret->g);
	/* by its address the loopback is the run's own, which no gateway sees */
	ret->g.named &= !eval_is_own_loopback(req);
}

static bool is_inside(const struct num_cidr *x, const struct gateway *in)
{
	for (size_t i = 0; i < in->g.nwithin; i++) {
		const struct num_cidr *y = in->g.within[i];

		if (x->bits >= y->bits && address_same_bits(x->addr, y->addr, y->bits))
			return true;
	}
	return false;
}

/* Does each range of `x` lie in one of `y`? */
static bool lies_within(const struct gateway *x, const struct gateway *y)
{
	for (size_t i = 0; i < x->g.nwithin; i++)
		if (!is_inside(x->g.within[i], y))
			return false;
	return true;
}

static bool same_header(const struct ir_grant *x, const struct ir_grant *y)
{
	return str_eq(x->header, y->header) && str_eq(x->prefix, y->prefix) &&
	       str_eq(x->secret, y->secret) && x->dial == y->dial;
}

static bool same_via(const struct ir_grant *x, const struct ir_grant *y)
{
	return str_eq(x->via, y->via) && str_eq(x->via_secret, y->via_secret);
}

static bool is_same(const struct gateway *x, const struct gateway *y)
{
	return (ir_grant_equal(&x->g.more, &y->g.more) || !DIFF_ON("grant-more")) &&
	       (x->g.named == y->g.named || !DIFF_ON("grant-named")) &&
	       ((lies_within(x, y) && lies_within(y, x)) || !DIFF_ON("grant-within"));
}

/* Is the new limit looser?  0 is none. */
static bool is_more(uint64_t o, uint64_t n)
{
	return n == 0 ? o != 0 : o != 0 && n > o;
}

/* May the new policy permit more?  Another way out counts, since nobody can compare two. */
static bool widens(const struct gateway *o, const struct gateway *n)
{
	const struct ir_grant *x = &o->g.more, *y = &n->g.more;

	return !same_via(x, y) || !same_header(x, y) ||
	       (x->peek != y->peek && x->peek != IR_PEEK_NONE) || is_more(x->bytes, y->bytes) ||
	       is_more(x->connections, y->connections) || (n->g.named && !o->g.named) ||
	       !lies_within(n, o);
}

/* --- the finding ------------------------------------------------------------- */

static struct diff_said said(struct arena *a, const struct gateway *x)
{
	struct diff_said v = { .there = true };

	if (x->by)
		v = diff_said_rule(x->by);
	else
		v.id = STR("network-otherwise");
	v.decides = false;
	v.value = eval_grant_words(a, &x->g);
	if (!v.value.n)
		v.value = STR("plain");
	return v;
}

void diff_grant_ask(struct diff *d, const struct diff_small *small,
		    const struct ir_request *req, struct arena *tmp,
		    struct diff_told *told)
{
	struct diff_finding f = { .kind = "net", .change = DIFF_GATEWAY, .asked = true };
	struct ir_request q = *req;
	struct gateway x[2];

	q.scope = IR_SANDBOX; /* in scope `host` there is no gateway */
	for (int pass = 0; pass < 2; pass++) {
		for (int s = 0; s < 2; s++)
			look(pass ? d->ir[s] : &small->ir[s], &q, tmp, &x[s]);
		if (!x[DIFF_OLD].lets || !x[DIFF_NEW].lets ||
		    is_same(&x[DIFF_OLD], &x[DIFF_NEW]))
			return;
	}
	f.widening = widens(&x[DIFF_OLD], &x[DIFF_NEW]);
	if (!diff_is_new(d, &q, f.change, f.widening, told))
		return;
	f.request = diff_keep_request(d->a, &q);
	for (int s = 0; s < 2; s++)
		f.side[s] = said(d->a, &x[s]);
	diff_finding_add(d, &f, told);
}
