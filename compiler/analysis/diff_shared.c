/*
 * `connections` and `bytes` are limits of a whole statement, so two statements with 5 connections
 * each let 10 pass where one let 5.  In each region of the rules that have a limit we look whose
 * limit counts in either policy.  One statement's connections can then count against several
 * statements of the other policy: if those permit more together than it does, the other policy
 * permits more.  If that is so for no statement of the old policy, whatever the new one lets
 * through in one run keeps to the old one's limits.
 */
#include "compiler/analysis/diff_shared.h"

#include <inttypes.h>

#include "compiler/analysis/diff_ask.h"
#include "compiler/analysis/diff_key.h"
#include "compiler/analysis/diff_net.h"
#include "compiler/analysis/diff_off.h"
#include "compiler/eval/eval.h"
#include "compiler/eval/grant.h"

enum limit { CONNECTIONS, BYTES, LIMITS };

static const char *const words[LIMITS] = { "connections", "bytes" };

/* A statement that has a limit. */
struct counter {
	enum limit limit;
	int side;
	const struct ir_rule *by; /* a rule of it */
	VEC(struct counter *) meets; /* those of the other policy that count the same connections */
};

struct counters {
	struct diff *d;
	struct arena *tmp, *keep;
	struct map known;
	VEC(struct counter *) v;
};

static uint64_t limit_of(const struct ir_rule *r, enum limit l)
{
	const struct ir_grant *g = &r->set.u.net.grant;

	return l == BYTES ? g->bytes : g->connections;
}

static struct counter *counter_of(struct counters *all, int side, enum limit l,
				  const struct ir_rule *by)
{
	struct str key = str_printf(all->keep, "%d %d %d %.*s:%u:%u", side, (int)l, (int)by->level,
				    STR_ARG(by->at.file), by->at.line, by->at.col);
	struct counter *c = map_get(&all->known, key);

	if (c)
		return c;
	c = ARENA_NEW(all->keep, struct counter);
	*c = (struct counter){ .limit = l, .side = side, .by = by };
	map_put(&all->known, key, c);
	VEC_PUSH(all->keep, &all->v, c);
	return c;
}

static void meet(struct counters *all, struct counter *x, struct counter *y)
{
	for (size_t i = 0; i < x->meets.n; i++)
		if (x->meets.v[i] == y)
			return;
	VEC_PUSH(all->keep, &x->meets, y);
}

/* Whose limits count for the request in either policy? */
static void look(void *data, const struct ir_request *req)
{
	struct counters *all = data;
	struct eval_grant g[2];

	for (int s = 0; s < 2; s++) {
		struct ir_request q = *req;
		struct eval_decision e;

		q.scope = IR_SANDBOX; /* in scope `host` there is no gateway */
		eval_decide(all->d->ir[s], &q, all->tmp, &e);
		eval_grant(all->d->ir[s], &q, &e, all->tmp, &g[s]);
	}
	for (int l = 0; l < LIMITS; l++) {
		const struct ir_rule *o = l == BYTES ? g[0].bytes_by : g[0].connections_by;
		const struct ir_rule *n = l == BYTES ? g[1].bytes_by : g[1].connections_by;
		struct counter *x, *y;

		/* a limit that only one policy has is a finding about the request */
		if (!o || !n)
			continue;
		x = counter_of(all, DIFF_OLD, (enum limit)l, o);
		y = counter_of(all, DIFF_NEW, (enum limit)l, n);
		meet(all, x, y);
		meet(all, y, x);
	}
}

static bool has_limit(const struct diff_item *it)
{
	for (int s = 0; s < 2; s++)
		for (int l = 0; l < LIMITS && it->rule[s]; l++)
			if (limit_of(it->rule[s], (enum limit)l))
				return true;
	return false;
}

static bool has_limits(const struct diff *d)
{
	for (size_t i = 0; i < d->items[IR_NET].n; i++)
		if (has_limit(d->items[IR_NET].v[i]))
			return true;
	return false;
}

/* --- what is the same without asking --------------------------------------- */

static bool same_statement(const struct ir_rule *x, const struct ir_rule *y)
{
	return x->level == y->level && x->at.line == y->at.line && x->at.col == y->at.col &&
	       str_eq(x->at.file, y->at.file);
}

/* The next network rule from `at` on, or NULL. */
static const struct ir_rule *next(const struct ir *ir, size_t *at)
{
	while (*at < ir->rules.n && ir->rules.v[*at]->kind != IR_NET)
		++*at;
	return *at < ir->rules.n ? ir->rules.v[(*at)++] : NULL;
}

/* Do both policies have the same network rules, in the same statements and order? */
static bool is_same(const struct diff *d, struct arena *tmp)
{
	const struct ir_rule *x, *y, *before[2] = { NULL, NULL };
	const struct diff_item **of = arena_array(tmp, d->ir[0]->rules.n + 1, sizeof(*of));
	size_t at[2] = { 0, 0 };

	for (size_t i = 0; i < d->items[IR_NET].n; i++) {
		const struct diff_item *it = d->items[IR_NET].v[i];

		if (!it->rule[DIFF_OLD] || !it->rule[DIFF_NEW])
			return false;
		of[it->rule[DIFF_OLD]->index] = it;
	}
	for (;;) {
		x = next(d->ir[DIFF_OLD], &at[0]);
		y = next(d->ir[DIFF_NEW], &at[1]);
		if (!x || !y)
			return x == y;
		if (!of[x->index] || of[x->index]->rule[DIFF_NEW] != y)
			return false;
		if (before[0] && same_statement(before[0], x) != same_statement(before[1], y))
			return false;
		before[0] = x;
		before[1] = y;
	}
}

/* --- what differs ------------------------------------------------------------ */

static struct diff_said said(struct diff *d, const struct counter *c, size_t more)
{
	struct diff_said v = diff_said_rule(c->by);

	v.decides = false;
	v.value = str_printf(d->a, "%s %" PRIu64, words[c->limit], limit_of(c->by, c->limit));
	if (more)
		v.value = str_printf(d->a, "%.*s, and %zu more such %s count%s apart",
				     STR_ARG(v.value), more, more == 1 ? "limit" : "limits",
				     more == 1 ? "s" : "");
	return v;
}

/* Do the other policy's statements together permit more of what this one limits? */
static void compare(struct diff *d, const struct counter *c)
{
	struct diff_finding f = { .kind = "net", .change = c->side == DIFF_OLD ? DIFF_LOOSER : DIFF_TIGHTER,
				  .widening = c->side == DIFF_OLD };
	uint64_t sum = 0;

	for (size_t i = 0; i < c->meets.n; i++) {
		uint64_t one = limit_of(c->meets.v[i]->by, c->limit);

		sum = sum + one < sum ? UINT64_MAX : sum + one;
	}
	/* one against one: a limit that is another one is a finding about a request */
	if (c->meets.n < 2 || sum <= limit_of(c->by, c->limit))
		return;
	f.side[c->side] = said(d, c, 0);
	f.side[!c->side] = said(d, c->meets.v[0], c->meets.n - 1);
	VEC_PUSH(d->a, &d->ret->findings, f);
}

void diff_shared(struct diff *d)
{
	struct arena keep, tmp;
	struct counters all = { .d = d, .tmp = &tmp, .keep = &keep };
	bool same;

	/* a proof is about decisions */
	if (!DIFF_ON("shared-limits") || d->in_set_only || !has_limits(d))
		return;
	arena_init(&keep, ARENA_DEFAULT_BUDGET);
	map_init(&all.known, &keep);
	same = is_same(d, &keep);
	for (size_t i = 0; i < d->items[IR_NET].n && !same; i++) {
		const struct diff_item *it = d->items[IR_NET].v[i];

		if (!has_limit(it))
			continue;
		arena_init(&tmp, ARENA_DEFAULT_BUDGET);
		if (diff_net_each(d, it, &tmp, look, &all) == DIFF_IN_PART)
			diff_doubt_item(d, it, "its limit may count together with others: not every "
					"request that it matches could be looked at", false);
		arena_release(&tmp);
	}
	for (size_t i = 0; i < all.v.n; i++)
		compare(d, all.v.v[i]);
	arena_release(&keep);
}
