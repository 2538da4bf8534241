/*
 * Semantics 3.1 for the few network rules that match in one cell of subjects and ports,
 * and what the rules grant there.  verify.c compares the result with the evaluator.
 */
#include "compiler/backend/nft/cell.h"

#include <stdlib.h>

#include "compiler/backend/common/util.h"

static bool is_locked_out(const struct ir *ir, const struct ir_rule *r)
{
	enum ir_level lock = ir->locked[IR_NET].level;

	return r->effect == IR_ALLOW && lock != 0 && r->level > lock;
}

/* Step 1: the last level that counts; rules of lower levels do not. */
static enum ir_level last_level(const struct ir *ir, const struct cell_matched *m)
{
	enum ir_level n = IR_USER;

	for (size_t i = 0; i < m->n; i++) {
		if (!m->v[i]->final)
			continue;
		if (m->v[i]->level == IR_MANAGED)
			return IR_MANAGED;
		if (m->v[i]->level == IR_MANAGED_FILE && !is_locked_out(ir, m->v[i]))
			n = IR_MANAGED_FILE;
	}
	return n;
}

static bool counts(const struct ir *ir, const struct ir_rule *r, enum ir_level n)
{
	return r->level <= n && !is_locked_out(ir, r);
}

/* Step 2: is this a default that an allow left by step 1 lifts? */
static bool is_lifted(const struct ir *ir, const struct ir_rule *r,
		      const struct cell_matched *m, enum ir_level n)
{
	for (size_t i = 0; i < m->n; i++) {
		if (m->v[i]->effect != IR_ALLOW || !counts(ir, m->v[i], n))
			continue;
		for (size_t k = 0; k < r->nlifted_by; k++)
			if (r->lifted_by[k] == m->v[i]->index)
				return true;
	}
	return false;
}

/* Step 3: the first of the strictest rules; soft asks count only if `soft` is set. */
static const struct ir_rule *strictest(const struct ir *ir, const struct cell_matched *m,
				       enum ir_level n, bool soft)
{
	const struct ir_rule *best = NULL;

	for (size_t i = 0; i < m->n; i++) {
		const struct ir_rule *r = m->v[i];
		bool in = r->level == IR_DEFAULT ?
				  r->effect != IR_ALLOW && !is_lifted(ir, r, m, n) :
				  counts(ir, r, n);

		if (in && (soft || !r->soft) && (!best || r->effect > best->effect))
			best = r;
	}
	return best;
}

static struct cell by_scalar(const struct ir *ir, enum ir_effect e,
				   enum ir_scalar_id s)
{
	return (struct cell){ .effect = e, .rule = bk_rule_of_scalar(ir, s) };
}

/* Steps 4 and 5.  The run's own loopback is free where step 5 would not allow it. */
static struct cell without_rules(const struct ir *ir,
				       const struct cell_subject *at,
				       const struct cell_matched *m)
{
	struct cell c;
	enum ir_scalar_id s;
	enum ir_effect e;

	for (size_t i = 0; i < m->n && ir->locked[IR_NET].level == 0; i++)
		if (m->v[i]->level == IR_DEFAULT && m->v[i]->effect == IR_ALLOW)
			return (struct cell){ .effect = IR_ALLOW, .rule = m->v[i]->index };
	e = region_otherwise(ir, &s);
	c = by_scalar(ir, e, s);
	if (e != IR_ALLOW && at->loopback) {
		c = by_scalar(ir, IR_ALLOW, IR_S_NET_MODE);
		c.free = true;
	}
	return c;
}

static bool is_below(struct str name, struct str top)
{
	return name.n > top.n + 1 && str_ends(name, top) &&
	       name.p[name.n - top.n - 1] == '.';
}

bool cell_covers(const struct ir_net *n, const struct cell_subject *at)
{
	switch (n->host) {
	case IR_HOST_ANY:
		return true;
	case IR_HOST_CIDR:
		return at->kind == CELL_ADDR && at->addr >= region_first(&n->cidr) &&
		       at->addr <= region_last(&n->cidr);
	case IR_HOST_NAME:
		return at->kind == CELL_NAME && str_eq(n->name, at->name);
	case IR_HOST_BELOW:
		return (at->kind == CELL_BELOW && str_eq(n->name, at->name)) ||
		       ((at->kind == CELL_BELOW || at->kind == CELL_NAME) &&
			is_below(at->name, n->name));
	}
	return false;
}

/* --- grants ------------------------------------------------------------------------ */

/* Does the rule count for what is granted, where `by` decides?  One that can only ask (of a
 * narrow-only level, or below a lock) grants nothing, and so lifts no guard. */
static bool grants_here(const struct ir *ir, const struct ir_rule *r,
			const struct ir_rule *by, enum ir_level n)
{
	if (r->effect > IR_ASK || r->soft)
		return false;
	if (r->level == IR_DEFAULT)
		return by->level == IR_DEFAULT && ir->locked[IR_NET].level == 0;
	return counts(ir, r, n);
}

static void add_within(struct cell_maker *s, struct region_grant *g, const struct ir_net *n)
{
	for (size_t i = 0; i < n->nwithin; i++) {
		region_addr from = region_first(&n->within[i]);
		struct region_range r;

		while (region_next_named(&n->within[i], &from, &r))
			VEC_PUSH(s->a, &g->within, r);
	}
}

/* Of most blocks a rule names all addresses.  They share one grant. */
static void add_named(struct cell_maker *s, struct region_grant *g, const struct num_cidr *c)
{
	region_addr from = region_first(c);
	struct region_range r;

	while (region_next_named(c, &from, &r)) {
		if (r.lo == region_first(c) && r.hi == region_last(c))
			r = (struct region_range){ 0, ~(region_addr)0 };
		VEC_PUSH(s->a, &g->within, r);
	}
}

static int by_lo(const void *x, const void *y)
{
	const struct region_range *a = x, *b = y;

	if (a->lo != b->lo)
		return a->lo < b->lo ? -1 : 1;
	return (a->hi > b->hi) - (a->hi < b->hi);
}

/* Sorts the ranges and joins those that touch, so that equal unions have equal bytes. */
static void join_ranges(struct region_grant *g)
{
	size_t kept = 0;

	if (g->within.n)
		qsort(g->within.v, g->within.n, sizeof(*g->within.v), by_lo);
	for (size_t i = 0; i < g->within.n; i++) {
		struct region_range *last = kept ? &g->within.v[kept - 1] : NULL;

		if (last && (last->hi == ~(region_addr)0 ||
			     g->within.v[i].lo <= last->hi + 1)) {
			if (g->within.v[i].hi > last->hi)
				last->hi = g->within.v[i].hi;
		} else {
			g->within.v[kept++] = g->within.v[i];
		}
	}
	g->within.n = kept;
}

static uint32_t grant_number(struct cell_maker *s, struct region_grant *g)
{
	const struct str texts[] = { g->more.via, g->more.via_secret, g->more.header,
				     g->more.prefix, g->more.secret };
	struct buf key;
	uint32_t *at;

	join_ranges(g);
	buf_init(&key, s->a);
	for (size_t i = 0; i < POL_LEN(texts); i++) {
		buf_u32(&key, (uint32_t)texts[i].n);
		buf_str(&key, texts[i]);
	}
	buf_u64(&key, g->more.bytes);
	buf_u32(&key, g->bytes_rule);
	buf_u32(&key, g->more.connections);
	buf_u32(&key, g->connections_rule);
	buf_u32(&key, (uint32_t)g->more.peek);
	buf_u32(&key, g->more.dial);
	for (size_t i = 0; i < g->within.n; i++)
		buf_add(&key, &g->within.v[i], sizeof(g->within.v[i]));
	at = map_get(&s->grants, buf_view(&key));
	if (!at) {
		at = ARENA_NEW(s->a, uint32_t);
		*at = (uint32_t)s->out->grants.n;
		VEC_PUSH(s->a, &s->out->grants, *g);
		(void)map_put(&s->grants, buf_view(&key), at);
	}
	return *at;
}

static bool gives(const struct ir_rule *r, const struct cell_subject *at)
{
	const struct ir_net *n = &r->set.u.net;
	const struct ir_grant *g = &n->grant;

	return (at->kind == CELL_ADDR && n->host == IR_HOST_CIDR) || n->nwithin ||
	       g->via.n || g->header.n || g->bytes || g->connections ||
	       g->peek != IR_PEEK_PORT;
}

/* A statement is one rule for each pair of its hosts and ports, one behind the other; its limit
 * is one for all of them. */
static uint32_t statement_of(const struct ir *ir, const struct ir_rule *r)
{
	uint32_t i = r->index;

	while (i > 0) {
		const struct ir_rule *p = ir->rules.v[i - 1];

		if (p->kind != IR_NET || p->level != r->level || p->at.line != r->at.line ||
		    p->at.col != r->at.col || !str_eq(p->at.file, r->at.file))
			break;
		i--;
	}
	return i;
}

/* Takes from a rule what the rules before it do not say (struct ir_grant). */
static void add_more(const struct ir *ir, struct region_grant *g, const struct ir_rule *r)
{
	const struct ir_grant *from = &r->set.u.net.grant;
	struct ir_grant *to = &g->more;

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
	if (to->peek == IR_PEEK_PORT)
		to->peek = from->peek;
	if (!to->bytes && from->bytes) {
		to->bytes = from->bytes;
		g->bytes_rule = statement_of(ir, r);
	}
	if (!to->connections && from->connections) {
		to->connections = from->connections;
		g->connections_rule = statement_of(ir, r);
	}
}

/*
 * What the rules that match there grant, in their order: `by`, which decides the cell, comes
 * at its place, so that an ask of a lower level overrides nothing.  A block of addresses names its addresses itself.
 */
static uint32_t grant_of(struct cell_maker *s, const struct cell_subject *at,
			 const struct cell_matched *m, const struct ir_rule *by,
			 enum ir_level n)
{
	struct region_grant g = { .within = { NULL, 0, 0 } };
	bool plain = true;

	for (size_t i = 0; i < m->n; i++) {
		const struct ir_net *net = &m->v[i]->set.u.net;

		if (!gives(m->v[i], at) || !grants_here(s->ir, m->v[i], by, n))
			continue;
		if (at->kind == CELL_ADDR && net->host == IR_HOST_CIDR)
			add_named(s, &g, &net->cidr);
		else
			add_within(s, &g, net);
		add_more(s->ir, &g, m->v[i]);
		plain = false;
	}
	return plain ? 0 : grant_number(s, &g);
}

struct cell cell_decide(struct cell_maker *s, const struct cell_subject *at,
			       const struct cell_matched *m)
{
	enum ir_level n = last_level(s->ir, m);
	const struct ir_rule *hard = strictest(s->ir, m, n, false);
	const struct ir_rule *any = strictest(s->ir, m, n, true), *by = any;
	struct cell c = { .effect = IR_DENY };

	if (!hard) {
		c = without_rules(s->ir, at, m);
		/* a soft ask alone does not turn a deny of `otherwise` into ask */
		if (!any || (c.effect > IR_ASK && !at->reached))
			by = c.rule < s->ir->rules.n ? s->ir->rules.v[c.rule] : NULL;
	}
	if (by && by == any) {
		c.effect = any->effect;
		c.rule = any->index;
	}
	if (by && c.effect <= IR_ASK && !at->reached)
		c.grant = grant_of(s, at, m, by, n);
	return c;
}
