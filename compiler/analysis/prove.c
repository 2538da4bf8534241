/*
 * An assertion as a comparison of the policy with itself and one more rule.  It uses the
 * engine of diff, so what diff cannot decide is not proved either.
 */
#include "compiler/analysis/prove.h"

#include <errno.h>

#include "compiler/analysis/diff.h"
#include "compiler/ir/texts.h"
#include "runtime/base/address_guard.h"

/* No rule of a policy can have this id: a blank is in no name. */
#define ID STR("the assertion")

/* --- the rules -------------------------------------------------------------- */

/*
 * In a sandbox these are the run's own loopback: no request (doc/semantics.md, 6), and so
 * no request of an assertion.
 */
static const struct ir_set own_loopback[] = {
#define LOOPBACK(...) { .u.net = { .protos = IR_TCP | IR_UDP, .port_hi = UINT16_MAX, __VA_ARGS__ } }
	LOOPBACK(.host = IR_HOST_CIDR, .cidr = { .addr = { [10] = 0xff, 0xff, 127 }, .bits = 104 }),
	LOOPBACK(.host = IR_HOST_CIDR, .cidr = { .addr = { [15] = 1 }, .bits = 128 }),
	LOOPBACK(.host = IR_HOST_NAME, .name = { "localhost", 9 }),
	LOOPBACK(.host = IR_HOST_BELOW, .name = { "localhost", 9 }),
#undef LOOPBACK
};

/* Does a rule make this port of the loopback the host's?  If so, *ret_hi is its last port that is. */
static bool is_of_host(const struct ir *ir, unsigned proto, uint32_t port, uint32_t *ret_hi)
{
	for (size_t i = 0; i < ir->rules.n; i++) {
		const struct ir_rule *r = ir->rules.v[i];
		const struct ir_net *n = &r->set.u.net;

		if (r->kind == IR_NET && (r->scopes & IR_SANDBOX) &&
		    (r->effect == IR_ALLOW || r->effect == IR_ASK) && (n->protos & proto) &&
		    (n->host == IR_HOST_NAME || n->host == IR_HOST_BELOW) &&
		    guard_is_localhost(n->name.p, n->name.n) && n->port_lo <= port && port <= n->port_hi) {
			*ret_hi = n->port_hi;
			return true;
		}
	}
	return false;
}

/* The first port from `port` on that a rule makes the host's, or 65536. */
static uint32_t next_of_host(const struct ir *ir, unsigned proto, uint32_t port)
{
	uint32_t first = UINT16_MAX + 1, hi;

	if (is_of_host(ir, proto, port, &hi))
		return port;
	for (size_t i = 0; i < ir->rules.n; i++) {
		const struct ir_net *n = &ir->rules.v[i]->set.u.net;

		if (ir->rules.v[i]->kind == IR_NET && n->port_lo > port && n->port_lo < first &&
		    is_of_host(ir, proto, n->port_lo, &hi))
			first = n->port_lo;
	}
	return first;
}

/* The run's own loopback, without the ports that rules about "localhost" make the host's. */
static void except_loopback(const struct ir *ir, struct ir_rule *r, struct arena *a)
{
	VEC(struct ir_set) v = { 0 };

	for (size_t i = 0; i < r->nexcept; i++)
		VEC_PUSH(a, &v, r->except[i]);
	for (unsigned proto = IR_TCP; proto <= IR_UDP; proto <<= 1)
		for (uint32_t lo = 0, hi, next; lo <= UINT16_MAX; lo = hi + 1) {
			next = next_of_host(ir, proto, lo);
			if (next == lo && is_of_host(ir, proto, lo, &hi))
				continue;
			hi = next - 1;
			for (size_t i = 0; i < POL_LEN(own_loopback); i++) {
				struct ir_set one = own_loopback[i];

				one.u.net.protos = proto;
				one.u.net.port_lo = (uint16_t)lo;
				one.u.net.port_hi = (uint16_t)hi;
				VEC_PUSH(a, &v, one);
			}
		}
	r->except = v.v;
	r->nexcept = v.n;
}

/*
 * The highest level, where nothing takes the rule away.  The highest deny of a system call
 * gives its errno, so there it is a default's deny: those that no rule lifts join the
 * others, too.
 */
static enum ir_level level_of(const struct ir_bound *b, const struct ir_assertion *s)
{
	return b->kind == IR_SYSCALL && s->least == IR_DENY ? IR_DEFAULT : IR_MANAGED;
}

/* The rule that enforces the bound. */
static struct ir_rule *rule_of(const struct ir *ir, struct arena *a, const struct ir_assertion *s,
			       const struct ir_bound *b, unsigned scopes)
{
	struct ir_rule *r = ARENA_NEW(a, struct ir_rule);

	*r = (struct ir_rule){ .id = ID,
			       .at = s->at,
			       .text = s->text,
			       .kind = b->kind,
			       .effect = s->least,
			       .level = level_of(b, s),
			       .scopes = scopes,
			       .soft = s->least == IR_ASK,
			       .full = true,
			       .may_yes = s->least == IR_ASK,
			       .err = b->kind == IR_SYSCALL && s->least == IR_DENY ? EPERM : 0,
			       .set = b->set,
			       .except = b->except,
			       .nexcept = b->nexcept };
	if (r->kind == IR_NET && scopes == IR_SANDBOX)
		except_loopback(ir, r, a);
	return r;
}

/*
 * The rules come last, so that of two rules with the same effect the policy's own is the
 * deciding one.  A soft ask does not turn a deny of `otherwise` into ask, and what `may
 * yes` says leaves it open who answers: neither changes anything but an allow.
 */
void prove_add_rules(struct ir *ir, const struct ir_assertion *s, struct arena *a)
{
	struct ir_rule **v = arena_array(a, ir->rules.n + 2 * s->nbounds + 1, sizeof(*v));
	size_t i, n = ir->rules.n;

	for (i = 0; i < n; i++)
		v[i] = ir->rules.v[i];
	for (i = 0; i < s->nbounds; i++) {
		const struct ir_bound *b = &s->bounds[i];
		unsigned scope;

		if (b->kind != IR_NET) {
			v[n++] = rule_of(ir, a, s, b, b->scopes);
			continue;
		}
		for (scope = IR_SANDBOX; scope <= IR_HOST; scope <<= 1)
			if (b->scopes & scope)
				v[n++] = rule_of(ir, a, s, b, scope);
	}
	for (i = ir->rules.n; i < n; i++)
		v[i]->index = (uint32_t)i;
	ir->rules.v = v;
	ir->rules.n = ir->rules.cap = n;
}

/* More requests than these would tell nothing new. */
#define MOST_FINDINGS 8

/* --- the answer ------------------------------------------------------------- */

/* Does the finding show a request of the set that gets less than the assertion says? */
static bool refutes(const struct diff_finding *f, const struct ir_assertion *s)
{
	const struct diff_said *was = &f->side[0], *is = &f->side[1];

	return f->asked && was->decides && is->decides && was->effect < s->least &&
	       is->effect == s->least && str_eq(is->id, ID);
}

/* Rules whose patterns PCRE2 alone can decide are named where they may be the reason. */
static void name_opaque(const struct ir *ir, const struct ir_assertion *s,
			struct arena *a, struct diff_result *ret)
{
	size_t i;

	for (i = 0; s->bounds[0].kind == IR_COMMAND && i < ir->rules.n; i++) {
		const struct ir_rule *r = ir->rules.v[i];
		struct diff_doubt d = {
			.why = STR("this pattern is not regular: what it matches is not known"),
		};

		if (r->kind != IR_COMMAND || !r->set.u.command.opaque ||
		    r->effect >= s->least)
			continue;
		d.side[0] = (struct diff_said){ .there = true, .decides = true,
						.effect = r->effect, .id = r->id,
						.text = r->text, .level = r->level,
						.at = r->at };
		VEC_PUSH(a, &ret->doubts, d);
	}
}

/*
 * The second name of a tree: its requests are decided by the tree's own name.  Lowering turns
 * patterns below it into those of the tree, but an assertion may stand outside of the policy.
 */
static void doubt_second_names(const struct ir *ir, const struct ir_assertion *s,
			       struct arena *a, struct diff_result *ret)
{
	struct diff_doubt d = {
		.why = STR("a mount gives a tree this name: say it of the tree's own name"),
	};
	size_t i;

	for (i = 0; i < s->nbounds; i++) {
		const struct ir_bound *b = &s->bounds[i];
		const struct ir_path *p;
		bool whole;

		if (b->kind != IR_FILE && b->kind != IR_UNIX)
			continue;
		p = ir_set_path(b->kind, &b->set);
		if (p->abstract || p->root != IR_ROOT_FS)
			continue;
		if (!ir_mount_at(ir, ir_glob_lead(a, &p->glob, &whole)))
			continue;
		d.side[1] = (struct diff_said){ .there = true, .decides = true,
						.effect = s->least, .id = ID,
						.text = s->text, .level = IR_MANAGED,
						.at = s->at };
		VEC_PUSH(a, &ret->doubts, d);
	}
}

/*
 * connect(2) takes the addresses 0.0.0.0 and :: for the loopback.  A rule about "localhost" makes a port
 * of the loopback the host's: then an assertion about these two addresses is undecided.
 */
static void doubt_unspecified(const struct ir *ir, const struct ir_assertion *s, struct arena *a,
			      struct diff_result *ret)
{
	static const uint8_t none[2][16] = { { [10] = 0xff, 0xff }, { 0 } };
	struct diff_doubt d = {
		.why = STR("a connection to this address goes to the loopback: ask about 127.0.0.1 and ::1"),
		.side[1] = { .there = true, .decides = true, .effect = s->least, .id = ID, .text = s->text,
			     .level = IR_MANAGED, .at = s->at },
	};

	for (size_t i = 0; i < s->nbounds; i++) {
		const struct ir_net *n = &s->bounds[i].set.u.net;
		const size_t bytes = ((size_t)n->cidr.bits + 7) / 8;
		uint32_t first;

		if (s->bounds[i].kind != IR_NET || !(s->bounds[i].scopes & IR_SANDBOX) ||
		    n->host != IR_HOST_CIDR || n->cidr.bits <= 96 ||
		    (memcmp(n->cidr.addr, none[0], bytes) != 0 && memcmp(n->cidr.addr, none[1], bytes) != 0))
			continue;
		first = next_of_host(ir, n->protos & IR_TCP ? IR_TCP : IR_UDP, n->port_lo);
		if (first <= n->port_hi)
			VEC_PUSH(a, &ret->doubts, d);
	}
}

enum prove_answer prove(const struct ir *ir, const struct ir_assertion *s,
			const struct diff_where *where, struct arena *a,
			struct diff_result *ret)
{
	struct ir with = *ir;
	struct diff_result all;
	size_t i;

	memset(ret, 0, sizeof(*ret));
	if (!s->nbounds) /* it is about no request */
		return PROVE_PROVED;
	prove_add_rules(&with, s, a);
	diff_kind(ir, &with, s->bounds[0].kind, where, a, &all);
	for (i = 0; i < all.findings.n; i++) {
		const struct diff_finding *f = &all.findings.v[i];
		struct diff_doubt d = {
			.why = STR("the rule of the assertion would change something else, "
				   "too; what lies behind that is not known"),
			.role = f->role,
			.side = { f->side[0], f->side[1] },
		};

		if (refutes(f, s) && ret->findings.n < MOST_FINDINGS)
			VEC_PUSH(a, &ret->findings, *f);
		else if (!refutes(f, s))
			VEC_PUSH(a, &ret->doubts, d);
	}
	for (i = 0; i < all.elsewhere.n; i++) {
		const struct diff_finding *f = &all.elsewhere.v[i];
		struct diff_doubt d = {
			.why = STR("with roots at other places it would change something else"),
			.side = { f->side[0], f->side[1] },
		};

		if (refutes(f, s))
			VEC_PUSH(a, &ret->elsewhere, *f);
		else
			VEC_PUSH(a, &ret->doubts, d);
	}
	for (i = 0; i < all.doubts.n; i++)
		VEC_PUSH(a, &ret->doubts, all.doubts.v[i]);
	doubt_second_names(ir, s, a, ret);
	doubt_unspecified(ir, s, a, ret);
	if (ret->doubts.n)
		name_opaque(ir, s, a, ret);
	if (ret->findings.n)
		return PROVE_REFUTED;
	return ret->doubts.n ? PROVE_UNDECIDED : PROVE_PROVED;
}
