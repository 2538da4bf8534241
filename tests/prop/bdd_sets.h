/*
 * Requests of the network and system calls as binary decision diagrams over their bits,
 * by BuDDy: the sets of rules, and what a whole policy says.  Written from
 * doc/semantics.md and the IR alone: it shares no code with sets/, analysis/ or the
 * evaluator.
 */
#ifndef TESTS_PROP_BDD_SETS_H
#define TESTS_PROP_BDD_SETS_H

#include <bdd.h>

#include "runtime/base/address_guard.h"
#include "tests/prop/laws.h"

/* Where the bits of a request lie; the highest bit of a number comes first. */
enum {
	BITS_SCOPE,
	BITS_PROTO,
	BITS_IS_ADDR,
	BITS_NAME,
	BITS_ADDR = BITS_NAME + 3,
	BITS_PORT = BITS_ADDR + 128,
	BITS_NET = BITS_PORT + 16,
	/* a call */
	BITS_CALL = BITS_PROTO,
	BITS_ARG = BITS_CALL + 2,
	BITS_SYSCALL = BITS_ARG + 2 * 64,
	BITS_ALL = BITS_NET
};

/* One name for each set of patterns that names of these tests can match. */
static const char *const bits_names[8] = { "a.x", "b.x", "b.a.x",     "c.a.x",
					   "zz",  "y",   "localhost", "q.localhost" };
static const char *const bits_calls[4] = { "kill", "dup2", "getpid", "getuid" };

/* All diagrams of a run are kept until it ends. */
static struct {
	BDD *v;
	size_t n, cap;
} bits_kept;

static inline BDD bits_keep(BDD b)
{
	if (bits_kept.n == bits_kept.cap) {
		bits_kept.cap = bits_kept.cap ? bits_kept.cap * 2 : 4096;
		bits_kept.v = realloc(bits_kept.v, bits_kept.cap * sizeof(BDD));
		assert_non_null(bits_kept.v);
	}
	return bits_kept.v[bits_kept.n++] = bdd_addref(b);
}

static inline void bits_forget(void)
{
	while (bits_kept.n)
		bdd_delref(bits_kept.v[--bits_kept.n]);
}

static inline void bits_begin(void)
{
	assert_int_equal(bdd_init(400000, 40000), 0);
	assert_int_equal(bdd_setvarnum(BITS_ALL), 0);
	bdd_gbc_hook(NULL);
}

static inline void bits_end(void)
{
	bits_forget();
	free(bits_kept.v);
	bits_kept.v = NULL;
	bits_kept.cap = 0;
	bdd_done();
}

static inline BDD bits_and(BDD x, BDD y)
{
	return bits_keep(bdd_and(x, y));
}
static inline BDD bits_or(BDD x, BDD y)
{
	return bits_keep(bdd_or(x, y));
}
static inline BDD bits_not(BDD x)
{
	return bits_keep(bdd_not(x));
}
static inline BDD bits_without(BDD x, BDD y)
{
	return bits_keep(bdd_apply(x, y, bddop_diff));
}

static inline BDD bits_bit(int var, bool one)
{
	return one ? bdd_ithvar(var) : bdd_nithvar(var);
}

/* --- numbers ------------------------------------------------------------------ */

/* Is the number in `width` bits at `off`, with only the bits of `mask`, less than or
 * equal to k? */
static inline void bits_compare(int off, int width, uint64_t mask, uint64_t k,
				BDD *ret_less, BDD *ret_equal)
{
	BDD less = bddfalse, equal = bddtrue;

	for (int i = 0; i < 64; i++) {
		bool known_zero = i >= width || !(mask >> i & 1), one = k >> i & 1;
		BDD x = known_zero ? bddfalse : bdd_ithvar(off + width - 1 - i);
		BDD not_x = bits_not(x);

		less = one ? bits_or(not_x, less) : bits_and(not_x, less);
		equal = bits_and(one ? x : not_x, equal);
	}
	*ret_less = less;
	*ret_equal = equal;
}

static inline BDD bits_is(int off, int width, uint64_t k)
{
	BDD less, equal;

	bits_compare(off, width, UINT64_MAX, k, &less, &equal);
	return equal;
}

static inline BDD bits_between(int off, int width, uint64_t lo, uint64_t hi)
{
	BDD below, low, less, high;

	bits_compare(off, width, UINT64_MAX, lo, &below, &low);
	bits_compare(off, width, UINT64_MAX, hi, &less, &high);
	return bits_without(bits_or(less, high), below);
}

/* --- sets ----------------------------------------------------------------------- */

static inline BDD bits_block(const struct num_cidr *c)
{
	BDD b = bdd_ithvar(BITS_IS_ADDR);

	for (int i = c->bits - 1; i >= 0; i--)
		b = bits_and(bits_bit(BITS_ADDR + i, c->addr[i / 8] >> (7 - i % 8) & 1),
			     b);
	return b;
}

static inline BDD bits_hosts(const struct ir_net *n)
{
	BDD b = bddfalse;

	if (n->host == IR_HOST_ANY)
		return bddtrue;
	if (n->host == IR_HOST_CIDR)
		return bits_block(&n->cidr);
	for (unsigned i = 0; i < POL_LEN(bits_names); i++) {
		struct str s = str_from(bits_names[i]);
		bool below = s.n > n->name.n + 1 && str_ends(s, n->name) &&
			     s.p[s.n - n->name.n - 1] == '.';

		if (n->host == IR_HOST_NAME ? str_eq(s, n->name) : below)
			b = bits_or(b, bits_is(BITS_NAME, 3, i));
	}
	return bits_without(b, bdd_ithvar(BITS_IS_ADDR));
}

static inline BDD bits_net(const struct ir_net *n)
{
	BDD protos = bddfalse;

	if (n->protos & IR_TCP)
		protos = bits_or(protos, bits_bit(BITS_PROTO, false));
	if (n->protos & IR_UDP)
		protos = bits_or(protos, bits_bit(BITS_PROTO, true));
	return bits_and(bits_and(protos, bits_hosts(n)),
			bits_between(BITS_PORT, 16, n->port_lo, n->port_hi));
}

static inline BDD bits_cmp(const struct ir_cond *c)
{
	BDD less, equal, above;
	uint64_t width = c->width == 32 ? UINT32_MAX : UINT64_MAX;

	bits_compare(BITS_ARG + c->arg * 64, 64, c->mask & width, c->value, &less,
		     &equal);
	above = bits_not(bits_or(less, equal));
	switch (c->cmp) {
	case IR_EQ:
		return equal;
	case IR_NE:
		return bits_not(equal);
	case IR_LT:
		return less;
	case IR_LE:
		return bits_not(above);
	case IR_GT:
		return above;
	case IR_GE:
		return bits_not(less);
	}
	return bddfalse;
}

static inline BDD bits_cond(const struct ir_cond *c)
{
	if (!c)
		return bddtrue;
	switch (c->op) {
	case IR_C_TRUE:
		return bddtrue;
	case IR_C_FALSE:
		return bddfalse;
	case IR_C_AND:
		return bits_and(bits_cond(c->a), bits_cond(c->b));
	case IR_C_OR:
		return bits_or(bits_cond(c->a), bits_cond(c->b));
	case IR_C_NOT:
		return bits_not(bits_cond(c->a));
	case IR_C_CMP:
		return bits_cmp(c);
	}
	return bddfalse;
}

static inline BDD bits_set(enum ir_kind kind, const struct ir_set *s)
{
	BDD nr = bddfalse;

	if (kind == IR_NET)
		return bits_net(&s->u.net);
	for (unsigned i = 0; i < POL_LEN(bits_calls); i++)
		if (str_eqz(s->u.syscall.name, bits_calls[i]))
			nr = bits_is(BITS_CALL, 2, i);
	/* no request is about another call, which may have more arguments */
	return nr == bddfalse ? nr : bits_and(nr, bits_cond(s->u.syscall.cond));
}

static inline BDD bits_rule(const struct ir_rule *r)
{
	BDD b = bits_set(r->kind, &r->set);

	for (size_t i = 0; i < r->nexcept; i++)
		b = bits_without(b, bits_set(r->kind, &r->except[i]));
	if (!(r->scopes & IR_SANDBOX))
		b = bits_and(b, bits_bit(BITS_SCOPE, true));
	if (!(r->scopes & IR_HOST))
		b = bits_and(b, bits_bit(BITS_SCOPE, false));
	return b;
}

/* What is a request at all: nothing can be reached at port 0. */
static inline BDD bits_requests(enum ir_kind kind)
{
	return kind == IR_NET ? bits_not(bits_is(BITS_PORT, 16, 0)) : bddtrue;
}

/* The loopback of a run in a sandbox. */
static inline BDD bits_own_loopback(void)
{
	struct num_cidr v4 = { { [10] = 0xff, [11] = 0xff, [12] = 127 }, 104 };
	struct num_cidr v6 = { { [15] = 1 }, 128 };
	BDD names = bits_without(bits_between(BITS_NAME, 3, 6, 7),
				 bdd_ithvar(BITS_IS_ADDR));
	BDD b = bits_or(names, bits_or(bits_block(&v4), bits_block(&v6)));

	return bits_and(b, bits_bit(BITS_SCOPE, false));
}

/* --- a whole policy: semantics 3.1 ------------------------------------------------ */

struct bits_policy {
	const struct ir *ir;
	enum ir_kind kind;
	size_t n;
	const struct ir_rule **rule;
	BDD *taken, *left; /* after step 1, and after step 2 */
};

static inline bool bits_is_locked(const struct ir *ir, const struct ir_rule *r)
{
	enum ir_level lock = ir->locked[r->kind].level;

	return r->effect == IR_ALLOW && lock && r->level > lock;
}

static inline void bits_steps(struct bits_policy *p)
{
	BDD managed = bddfalse, file = bddfalse, lifting;
	size_t i, k, l;

	for (i = 0; i < p->n; i++) {
		const struct ir_rule *r = p->rule[i];

		p->taken[i] = bits_rule(r);
		if (r->final && r->level == IR_MANAGED)
			managed = bits_or(managed, p->taken[i]);
		if (r->final && r->level == IR_MANAGED_FILE &&
		    !bits_is_locked(p->ir, r))
			file = bits_or(file, p->taken[i]);
	}
	for (i = 0; i < p->n; i++) {
		const struct ir_rule *r = p->rule[i];

		p->left[i] = p->taken[i]; /* of a default, before a lift */
		if (bits_is_locked(p->ir, r))
			p->taken[i] = bddfalse;
		if (r->level > IR_MANAGED)
			p->taken[i] = bits_without(p->taken[i], managed);
		if (r->level > IR_MANAGED_FILE)
			p->taken[i] = bits_without(p->taken[i], file);
	}
	for (i = 0; i < p->n; i++) {
		const struct ir_rule *r = p->rule[i];

		if (r->level != IR_DEFAULT) {
			p->left[i] = p->taken[i];
			continue;
		}
		lifting = r->effect == IR_ALLOW ? bddtrue : bddfalse;
		for (l = 0; l < r->nlifted_by; l++)
			for (k = 0; k < p->n; k++)
				if (p->rule[k]->index == r->lifted_by[l] &&
				    p->rule[k]->effect == IR_ALLOW)
					lifting = bits_or(lifting, p->taken[k]);
		p->left[i] = bits_without(p->left[i], lifting);
	}
}

/* What `otherwise` says, with the mode and the run's own loopback. */
static inline void bits_otherwise(const struct bits_policy *p, BDD rest,
				  BDD said[IR_EFFECT_COUNT])
{
	const struct ir_scalar *s =
		&p->ir->scalars[p->kind == IR_NET ? IR_S_NET_OTHERWISE
						  : IR_S_SYSCALL_OTHERWISE];
	enum ir_effect e = s->effect;
	BDD own;

	if (p->kind == IR_NET) {
		if (p->ir->scalars[IR_S_NET_MODE].num == IR_NET_FULL &&
		    (!s->set || s->level == IR_DEFAULT))
			e = IR_ALLOW;
		own = bits_and(rest, bits_own_loopback());
		said[IR_ALLOW] = bits_or(said[IR_ALLOW], own);
		rest = bits_without(rest, own);
	}
	said[e] = bits_or(said[e], rest);
}

/* Semantics 6: guarded addresses are denied where no rule that lets them pass names them. */
static inline void bits_guard(const struct bits_policy *p, BDD said[IR_EFFECT_COUNT])
{
	BDD guarded = bddfalse;
	struct num_cidr c;
	unsigned bits;

	for (size_t at = 0; guard_next_range(&at, c.addr, &bits);) {
		struct ir_net range = { .protos = IR_ANY_PROTO, .host = IR_HOST_CIDR,
					.port_hi = UINT16_MAX };
		BDD all, by = bddfalse;

		range.cidr = c;
		range.cidr.bits = (uint8_t)bits;
		all = bits_net(&range);
		for (size_t i = 0; i < p->n; i++) {
			const struct ir_rule *r = p->rule[i];

			if (r->effect > IR_ASK || r->soft || r->set.u.net.host != IR_HOST_CIDR)
				continue;
			/* narrower than the range, or as wide */
			if (r->set.u.net.cidr.bits >= bits)
				by = bits_or(by, bits_and(all, r->level == IR_DEFAULT ? bits_rule(r) :
									  p->taken[i]));
		}
		/* of ranges in each other each must be named */
		guarded = bits_or(guarded, bits_without(all, by));
	}
	/* where nobody looks names up: those that lead to a guarded address (no rule here says `within`) */
	for (unsigned i = 0; i < POL_LEN(bits_names); i++)
		if (guard_name_address(bits_names[i], strlen(bits_names[i])))
			guarded = bits_or(guarded, bits_and(bits_bit(BITS_SCOPE, true),
							    bits_without(bits_is(BITS_NAME, 3, i),
									 bdd_ithvar(BITS_IS_ADDR))));
	guarded = bits_without(guarded, bits_own_loopback());
	for (int e = IR_ALLOW; e <= IR_ASK; e++) {
		said[IR_DENY] = bits_or(said[IR_DENY], bits_and(said[e], guarded));
		said[e] = bits_without(said[e], guarded);
	}
}

/* The requests that get each effect. */
static inline void bits_policy(const struct ir *ir, enum ir_kind kind, struct arena *a,
			       BDD said[IR_EFFECT_COUNT])
{
	struct bits_policy p = { .ir = ir, .kind = kind };
	BDD rest = bits_requests(kind), soft = bddfalse, hard = bddfalse,
	    base = bddfalse, now;

	for (int e = 0; e < IR_EFFECT_COUNT; e++)
		said[e] = bddfalse;
	if (kind == IR_NET && ir->scalars[IR_S_NET_MODE].num == IR_NET_DISABLED) {
		said[IR_ALLOW] = bits_and(rest, bits_own_loopback());
		said[IR_DENY] = bits_without(rest, said[IR_ALLOW]);
		return;
	}
	p.rule = arena_array(a, ir->rules.n + 1, sizeof(*p.rule));
	p.taken = arena_array(a, ir->rules.n + 1, sizeof(*p.taken));
	p.left = arena_array(a, ir->rules.n + 1, sizeof(*p.left));
	for (size_t i = 0; i < ir->rules.n; i++)
		if (ir->rules.v[i]->kind == kind)
			p.rule[p.n++] = ir->rules.v[i];
	bits_steps(&p);
	for (size_t i = 0; i < p.n; i++) {
		if (p.rule[i]->soft)
			soft = bits_or(soft, p.left[i]);
		else
			hard = bits_or(hard, p.left[i]);
		if (p.rule[i]->level == IR_DEFAULT && p.rule[i]->effect == IR_ALLOW &&
		    !ir->locked[kind].level)
			base = bits_or(base, bits_rule(p.rule[i]));
	}
	for (int e = IR_EFFECT_COUNT - 1; e >= 0; e--) {
		now = bddfalse;
		for (size_t i = 0; i < p.n; i++)
			if (p.rule[i]->effect == (enum ir_effect)e)
				now = bits_or(now, p.left[i]);
		said[e] = bits_and(rest, bits_and(now, hard));
		rest = bits_without(rest, said[e]);
	}
	now = bits_and(rest, base);
	said[IR_ALLOW] = bits_or(said[IR_ALLOW], now);
	bits_otherwise(&p, bits_without(rest, base), said);
	/* a soft ask turns an allow into ask, and nothing else */
	now = bits_and(said[IR_ALLOW], soft);
	said[IR_ALLOW] = bits_without(said[IR_ALLOW], now);
	said[IR_ASK] = bits_or(said[IR_ASK], now);
	if (kind == IR_NET && ir->scalars[IR_S_NET_MODE].num == IR_NET_LIMITED)
		bits_guard(&p, said);
}

#endif
