/*
 * May a connection or a system call of a set be had?  The set is cut by each rule that
 * allows, and what the denies leave of the piece can be had.
 *
 * A deny counts for a piece only if nothing takes it back anywhere in the piece: an
 * exception, a final allow above it, an allow that lifts it.  So an answer may be milder
 * than the policy, never stricter.
 */
#include "compiler/analysis/exposure_box.h"

#include "compiler/eval/levels.h"
#include "compiler/sets/box.h"
#include "runtime/base/address_guard.h"

/* Guarded ranges of addresses: more than there are. */
#define MAX_RANGES 256u
#define MAX_NAMES 16u /* of them */

/* What is asked about; of `u`, only `net` and `syscall` are used. */
struct box {
	const struct exposure_asker *q;
	enum ir_kind kind;
	struct ir_set set;
};

static bool is_none(struct arena *a, const struct ir_cond *c)
{
	static const struct ir_cond none = { .op = IR_C_FALSE };
	uint64_t args[6];

	return c && box_cond_included(a, c, &none, args) == SET_HOLDS;
}

static struct ir_net cut_net(const struct ir_net *x, const struct ir_net *y)
{
	struct ir_net both = *x, any = *x;

	/* two sets of hosts are nested if they meet */
	any.protos = y->protos;
	any.port_lo = y->port_lo;
	any.port_hi = y->port_hi;
	if (!box_net_included(&any, y)) {
		both.host = y->host;
		both.name = y->name;
		both.cidr = y->cidr;
	}
	both.protos = x->protos & y->protos;
	both.port_lo = x->port_lo > y->port_lo ? x->port_lo : y->port_lo;
	both.port_hi = x->port_hi < y->port_hi ? x->port_hi : y->port_hi;
	return both;
}

/* The part of `x` that lies in `set`; false if there is none. */
static bool cut(const struct box *x, const struct ir_set *set, struct box *ret)
{
	struct arena *a = x->q->a;

	*ret = *x;
	if (x->kind == IR_NET) {
		if (!box_net_meets(&x->set.u.net, &set->u.net))
			return false;
		ret->set.u.net = cut_net(&x->set.u.net, &set->u.net);
		return true;
	}
	if (x->set.u.syscall.nr != set->u.syscall.nr)
		return false;
	ret->set.u.syscall.cond = box_and(a, x->set.u.syscall.cond, set->u.syscall.cond);
	return !is_none(a, ret->set.u.syscall.cond);
}

static bool meets(const struct box *x, const struct ir_set *set)
{
	struct box both;

	return cut(x, set, &both);
}

struct sets {
	const struct ir_set **v;
	size_t n;
};

static struct sets sets_new(const struct box *x, size_t more)
{
	size_t n = x->q->ir->rules.n + more + 1;

	return (struct sets){ .v = arena_array(x->q->a, n, sizeof(const struct ir_set *)) };
}

/* Is all of `x` in the union? */
static bool is_covered(const struct box *x, const struct sets *s)
{
	struct arena *a = x->q->a;
	struct ir_cond *all = NULL;
	uint64_t args[6];

	if (!s->n)
		return false;
	if (x->kind == IR_NET) {
		const struct ir_net **v = arena_array(a, s->n, sizeof(*v));

		for (size_t i = 0; i < s->n; i++)
			v[i] = &s->v[i]->u.net;
		return box_net_covered(&x->set.u.net, v, s->n);
	}
	for (size_t i = 0; i < s->n; i++) {
		/* one that covers alone is found whatever the others are */
		if (box_cond_included(a, x->set.u.syscall.cond, s->v[i]->u.syscall.cond,
				      args) == SET_HOLDS)
			return true;
		all = i ? box_or(a, all, s->v[i]->u.syscall.cond) : s->v[i]->u.syscall.cond;
	}
	return box_cond_included(a, x->set.u.syscall.cond, all, args) == SET_HOLDS;
}

/* --- rules ----------------------------------------------------------------------------- */

static bool is_of(const struct box *x, const struct ir_rule *r)
{
	return r->kind == x->kind && (r->scopes & (unsigned)x->q->where->scope);
}

/* Does something in the piece take the strict rule back? */
static bool is_taken_back(const struct box *x, const struct ir_rule *r)
{
	const struct ir *ir = x->q->ir;

	for (size_t i = 0; i < r->nexcept; i++)
		if (meets(x, &r->except[i]))
			return true;
	for (size_t i = 0; i < ir->rules.n; i++) {
		const struct ir_rule *f = ir->rules.v[i];

		if (f->final && f->effect == IR_ALLOW && f->level <= IR_MANAGED_FILE &&
		    f->level < r->level && is_of(x, f) && !exposure_is_locked(ir, f) &&
		    r->level != IR_DEFAULT && meets(x, &f->set))
			return true;
	}
	for (size_t i = 0; i < r->nlifted_by; i++) {
		const struct ir_rule *l = ir->rules.v[r->lifted_by[i]];

		if (is_of(x, l) && !exposure_is_locked(ir, l) && meets(x, &l->set))
			return true;
	}
	return false;
}

/* Adds the sets of the rules with these effects that hold everywhere in the piece. */
static void add_strict(const struct box *x, bool asks, struct sets *to)
{
	const struct ir *ir = x->q->ir;

	for (size_t i = 0; i < ir->rules.n; i++) {
		const struct ir_rule *r = ir->rules.v[i];

		if (is_of(x, r) && (asks ? r->effect == IR_ASK : r->effect > IR_ASK) &&
		    meets(x, &r->set) && !is_taken_back(x, r))
			to->v[to->n++] = &r->set;
	}
}

static bool covers(const struct ir_net *block, const struct ir_net *range)
{
	return box_net_included(block, range) ||
	       guard_is_named(block->cidr.addr, block->cidr.bits, range->cidr.addr);
}

/* Does a rule name addresses of the guarded range?  A wider block names none of them. */
static bool is_named(const struct box *x, const struct ir_net *range)
{
	const struct ir *ir = x->q->ir;

	for (size_t i = 0; i < ir->rules.n; i++) {
		const struct ir_rule *r = ir->rules.v[i];
		struct ir_net c = { .protos = IR_ANY_PROTO, .port_hi = UINT16_MAX,
				    .host = IR_HOST_CIDR };

		if (!is_of(x, r) || r->effect > IR_ASK || r->soft ||
		    exposure_is_locked(ir, r))
			continue;
		c.cidr = r->set.u.net.cidr;
		if (r->set.u.net.host == IR_HOST_CIDR && covers(&c, range))
			return true;
		for (size_t k = 0; k < r->set.u.net.nwithin; k++) {
			c.cidr = r->set.u.net.within[k];
			if (covers(&c, range))
				return true;
		}
	}
	return false;
}

/* Adds the names that lead to an address which no rule names. */
static void add_guarded_names(const struct box *x, struct sets *to)
{
	size_t n;
	const struct guard_name *v = guard_names(&n);

	for (size_t i = 0; i < n; i++) {
		struct ir_net at = { .protos = IR_ANY_PROTO, .port_hi = UINT16_MAX,
				     .host = IR_HOST_CIDR, .cidr.bits = 128 };

		memcpy(at.cidr.addr, v[i].addr, sizeof(at.cidr.addr));
		if (is_named(x, &at))
			continue;
		for (int below = 0; below <= v[i].below; below++) {
			struct ir_set *set = ARENA_NEW(x->q->a, struct ir_set);

			set->u.net = (struct ir_net){ .protos = IR_ANY_PROTO, .port_hi = UINT16_MAX,
						      .host = below ? IR_HOST_BELOW : IR_HOST_NAME,
						      .name = str_from(v[i].name) };
			if (meets(x, set))
				to->v[to->n++] = set;
		}
	}
}

/* Adds the guarded ranges that no rule names (semantics 6). */
static void add_guarded(const struct box *x, struct sets *to)
{
	unsigned bits;

	if (x->kind != IR_NET || x->q->ir->scalars[IR_S_NET_MODE].num != IR_NET_LIMITED)
		return;
	for (size_t at = 0, n = 0; n < MAX_RANGES - MAX_NAMES; n++) {
		struct ir_set *set = ARENA_NEW(x->q->a, struct ir_set);
		struct ir_net *range = &set->u.net;

		*range = (struct ir_net){ .protos = IR_ANY_PROTO, .port_hi = UINT16_MAX,
					  .host = IR_HOST_CIDR };
		if (!guard_next_range(&at, range->cidr.addr, &bits))
			break;
		range->cidr.bits = (uint8_t)bits;
		if (x->q->where->scope == IR_SANDBOX && guard_kind(range->cidr.addr) == GUARD_LOOPBACK)
			continue;
		if (meets(x, set) && !is_named(x, range))
			to->v[to->n++] = set;
	}
	if (x->q->where->scope != IR_SANDBOX)
		add_guarded_names(x, to);
}

/* The piece is allowed but for what strict rules, and `except`, say of it. */
static enum exposure_grade left(const struct box *x, const struct ir_set *except, size_t n,
				bool asked)
{
	struct sets s = sets_new(x, n + MAX_RANGES);

	for (size_t i = 0; i < n; i++)
		s.v[s.n++] = &except[i];
	add_guarded(x, &s);
	add_strict(x, false, &s);
	if (is_covered(x, &s))
		return EXPOSURE_CLOSED;
	add_strict(x, true, &s);
	return asked || is_covered(x, &s) ? EXPOSURE_ASKED : EXPOSURE_OPEN;
}

static void add_piece(const struct box *x, const struct ir_rule *r, const struct ir_set *set,
		      struct exposure_reach *ret)
{
	struct exposure_reach one = { .grade = EXPOSURE_CLOSED };
	struct box piece;

	if (!cut(x, set, &piece))
		return;
	one.grade = left(&piece, r->except, r->nexcept, r->effect == IR_ASK);
	if (one.grade != EXPOSURE_CLOSED)
		one.by = exposure_by_rule(r);
	exposure_add(ret, one);
}

/* A DNS answer for the rule's name may hold every address of its `within`: each of them counts. */
static struct exposure_reach by_rule(const struct box *x, const struct ir_rule *r)
{
	struct exposure_reach ret = { .grade = EXPOSURE_CLOSED };
	bool opens = r->effect == IR_ALLOW ? !exposure_is_locked(x->q->ir, r) :
					     r->effect == IR_ASK && !r->soft;

	if (!is_of(x, r) || !opens)
		return ret;
	add_piece(x, r, &r->set, &ret);
	for (size_t i = 0; x->kind == IR_NET && i < r->set.u.net.nwithin; i++) {
		struct ir_set *at = ARENA_NEW(x->q->a, struct ir_set);

		*at = r->set;
		at->u.net.host = IR_HOST_CIDR;
		at->u.net.cidr = r->set.u.net.within[i];
		at->u.net.nwithin = 0;
		add_piece(x, r, at, &ret);
	}
	return ret;
}

static struct exposure_reach by_otherwise(const struct box *x)
{
	struct ir_request req = { .kind = x->kind, .scope = x->q->where->scope,
				  .host = STR("x"), .nr_known = true };
	struct eval_decision d = { .effect = IR_DENY, .risk = IR_RISK_MEDIUM };
	struct exposure_reach ret = { .grade = EXPOSURE_CLOSED };

	eval_by_otherwise(x->q->ir, &req, &d);
	if (d.effect > IR_ASK)
		return ret;
	ret = exposure_reach_of(x->q->ir, &d);
	ret.grade = left(x, NULL, 0, d.effect == IR_ASK);
	return ret;
}

static bool is_off(const struct exposure_asker *q)
{
	return q->ir->scalars[IR_S_NET_MODE].num == IR_NET_DISABLED;
}

static struct exposure_reach ask(const struct box *x)
{
	struct exposure_reach ret = { .grade = EXPOSURE_CLOSED };
	const struct ir *ir = x->q->ir;

	for (size_t i = 0; i < ir->rules.n && ret.grade != EXPOSURE_OPEN; i++)
		exposure_add(&ret, by_rule(x, ir->rules.v[i]));
	if (ret.grade != EXPOSURE_OPEN)
		exposure_add(&ret, by_otherwise(x));
	return ret;
}

/* --- the questions -------------------------------------------------------------------- */

struct exposure_reach exposure_net(const struct exposure_asker *q, const struct ir_net *set)
{
	struct box x = { .q = q, .kind = IR_NET, .set.u.net = *set };

	return is_off(q) ? (struct exposure_reach){ .grade = EXPOSURE_CLOSED } : ask(&x);
}

struct exposure_reach exposure_call(const struct exposure_asker *q, uint32_t nr,
				    struct ir_cond *cond)
{
	struct box x = { .q = q, .kind = IR_SYSCALL };

	x.set.u.syscall.nr = nr;
	x.set.u.syscall.cond = cond;
	return ask(&x);
}

/* Nobody can rent an address in these; the catalogue has rows for them. */
static const struct ir_net private_nets[] = {
#define BLOCK(width, ...)                                                        \
	{ .protos = IR_ANY_PROTO, .port_hi = UINT16_MAX, .host = IR_HOST_CIDR,   \
	  .cidr = { .addr = { __VA_ARGS__ }, .bits = (width) } }
#define V4(width, ...) BLOCK(96 + (width), [10] = 0xff, [11] = 0xff, [12] = __VA_ARGS__)
	V4(8, 10), V4(12, 172, 16), V4(16, 192, 168), V4(10, 100, 64), V4(8, 127),
	V4(16, 169, 254), BLOCK(7, 0xfc), BLOCK(10, 0xfe, 0x80),
#undef V4
};

/* 65,536 addresses of IPv4, or a site's block of IPv6. */
static bool is_large(const struct ir_net *n)
{
	static const struct ir_net v4 = BLOCK(96, [10] = 0xff, [11] = 0xff);

	for (size_t i = 0; i < POL_LEN(private_nets); i++)
		if (box_net_included(n, &private_nets[i]))
			return false;
	return n->cidr.bits <= (box_net_included(n, &v4) ? 112 : 48);
}
#undef BLOCK

/*
 * What is wider than a rule of a width has that width as well.  Else to name a wildcard in
 * place of every host would add to the score.
 */
static bool is_wide(const struct ir_net *n, enum exposure_wide which)
{
	if (n->host == IR_HOST_ANY)
		return true;
	switch (which) {
	case EXPOSURE_BELOW:
		return n->host == IR_HOST_BELOW;
	case EXPOSURE_ADDRESSES:
		return n->host == IR_HOST_CIDR && is_large(n);
	case EXPOSURE_EVERY:
		break;
	}
	return false;
}

struct exposure_reach exposure_net_wide(const struct exposure_asker *q,
					enum exposure_wide which)
{
	struct box x = { .q = q, .kind = IR_NET };
	struct exposure_reach ret = { .grade = EXPOSURE_CLOSED };
	const struct ir *ir = q->ir;

	x.set.u.net = (struct ir_net){ .protos = IR_ANY_PROTO, .port_hi = UINT16_MAX };
	if (is_off(q))
		return ret;
	for (size_t i = 0; i < ir->rules.n && ret.grade != EXPOSURE_OPEN; i++) {
		struct exposure_reach one;

		if (ir->rules.v[i]->kind != IR_NET ||
		    !is_wide(&ir->rules.v[i]->set.u.net, which))
			continue;
		one = by_rule(&x, ir->rules.v[i]);
		one.what = ir->rules.v[i]->text;
		exposure_add(&ret, one);
	}
	if (ret.grade != EXPOSURE_OPEN) {
		struct exposure_reach one = by_otherwise(&x);

		one.what = STR("whatever no rule names");
		exposure_add(&ret, one);
	}
	return ret;
}
