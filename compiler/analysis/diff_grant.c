/*
 * Compares what the gateway does with one connection under two policies.  Of the rules
 * that let it through, the first in order that says something counts.  The ranges of
 * `within` add up.
 */
#include "compiler/analysis/diff_grant.h"

#include <inttypes.h>

#include "compiler/analysis/diff_key.h"
#include "compiler/eval/eval.h"
#include "compiler/ir/words.h"

struct gateway {
	bool lets; /* the policy lets the request through */
	const struct ir_rule *by;
	struct ir_grant g;
	struct {
		VEC(struct num_cidr) v;
	} within;
};

bool diff_grant_says(const struct ir_rule *r)
{
	const struct ir_grant *g = &r->set.u.net.grant;

	return r->kind == IR_NET && (r->set.u.net.nwithin || g->via.n || g->header.n ||
				     g->bytes || g->connections || g->peek);
}

/* Fills in what is still unsaid. */
static void take(struct ir_grant *to, const struct ir_grant *from)
{
	if (!to->via.n) {
		to->via = from->via;
		to->via_secret = from->via_secret;
	}
	if (!to->header.n) {
		to->header = from->header;
		to->prefix = from->prefix;
		to->secret = from->secret;
		to->dial = from->dial;
	}
	if (!to->peek)
		to->peek = from->peek;
	if (!to->bytes)
		to->bytes = from->bytes;
	if (!to->connections)
		to->connections = from->connections;
}

static void look(const struct ir *ir, const struct ir_request *req, struct arena *a,
		 struct gateway *ret)
{
	struct eval_decision e;

	*ret = (struct gateway){ 0 };
	eval_decide(ir, req, a, &e);
	ret->lets = e.effect == IR_ALLOW || e.effect == IR_ASK;
	ret->by = e.rule;
	if (!ret->lets)
		return;
	for (size_t i = 0; i < e.nmatched; i++) {
		const struct ir_rule *r = e.matched[i];

		if (r->effect > IR_ASK || (r->level == IR_DEFAULT && e.rule &&
					   e.rule->level != IR_DEFAULT))
			continue;
		take(&ret->g, &r->set.u.net.grant);
		for (size_t k = 0; k < r->set.u.net.nwithin; k++)
			VEC_PUSH(a, &ret->within.v, r->set.u.net.within[k]);
	}
	if (str_eqz(ret->g.via, "none"))
		ret->g.via = STR_NULL;
}

static bool is_inside(const struct num_cidr *x, const struct gateway *in)
{
	for (size_t i = 0; i < in->within.v.n; i++) {
		const struct num_cidr *y = &in->within.v.v[i];
		unsigned k = 0;

		while (k < y->bits && !((x->addr[k / 8] ^ y->addr[k / 8]) >> (7 - k % 8) & 1))
			k++;
		if (k == y->bits && x->bits >= y->bits)
			return true;
	}
	return false;
}

/* Does each range of `x` lie in one of `y`? */
static bool lies_within(const struct gateway *x, const struct gateway *y)
{
	for (size_t i = 0; i < x->within.v.n; i++)
		if (!is_inside(&x->within.v.v[i], y))
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
	return ir_grant_equal(&x->g, &y->g) && lies_within(x, y) && lies_within(y, x);
}

/* Is the new limit looser?  0 is none. */
static bool is_more(uint64_t o, uint64_t n)
{
	return n == 0 ? o != 0 : o != 0 && n > o;
}

/* May the new policy permit more?  Another way out counts, since nobody can compare two. */
static bool widens(const struct gateway *o, const struct gateway *n)
{
	return !same_via(&o->g, &n->g) || (n->g.header.n && !same_header(&o->g, &n->g)) ||
	       (o->g.peek != n->g.peek && o->g.peek != IR_PEEK_NONE) ||
	       is_more(o->g.bytes, n->g.bytes) ||
	       is_more(o->g.connections, n->g.connections) || !lies_within(n, o);
}

/* --- the finding ------------------------------------------------------------- */

static void put(struct buf *b, const char *word, struct str s)
{
	if (s.n)
		buf_printf(b, "%s%s %.*s", b->n ? " " : "", word, STR_ARG(s));
}

static void put_number(struct buf *b, const char *word, uint64_t n)
{
	if (n)
		buf_printf(b, "%s%s %" PRIu64, b->n ? " " : "", word, n);
}

/* In the words of the language; "plain" where nothing is said. */
static struct str in_words(struct arena *a, const struct gateway *x)
{
	struct buf b;

	buf_init(&b, a);
	if (x->g.peek)
		put(&b, "peek", str_from(ir_word(&ir_words_peek, x->g.peek)));
	put(&b, "via", x->g.via);
	put(&b, "user from secret", x->g.via_secret);
	put(&b, "inject header", x->g.header);
	if (x->g.prefix.n)
		buf_printf(&b, " \"%.*s\"", STR_ARG(x->g.prefix));
	put(&b, "from secret", x->g.secret);
	put_number(&b, "port", x->g.dial);
	put_number(&b, "connections", x->g.connections);
	put_number(&b, "bytes", x->g.bytes);
	put_number(&b, "ranges of within:", x->within.v.n);
	return b.n ? str_dup(a, buf_view(&b)) : STR("plain");
}

static struct diff_said said(struct arena *a, const struct gateway *x)
{
	struct diff_said v = { .there = true };

	if (x->by)
		v = diff_said_rule(x->by);
	else
		v.id = STR("network-otherwise");
	v.decides = false;
	v.value = in_words(a, x);
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
	VEC_PUSH(d->a, &d->ret->findings, f);
}
