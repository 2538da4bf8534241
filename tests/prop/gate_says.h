/*
 * What the gateway has to do, read from a policy by the evaluator alone: which names lead
 * out of a run, and what the rules say about an address to which one leads.
 */
#ifndef TESTS_PROP_GATE_SAYS_H
#define TESTS_PROP_GATE_SAYS_H

#include "compiler/eval/eval.h"
#include "compiler/eval/levels.h"
#include "runtime/decide/egress.h"
#include "runtime/base/address_guard.h"

struct gate_says {
	const struct ir *ir;
	struct ir hard; /* without the asks of narrow-only levels and below locks */
	struct ir about; /* what is asked about an address to which a name leads */
	struct arena *a;
};

static inline struct gate_says gate_says_of(const struct ir *ir, struct arena *a)
{
	struct gate_says g = { .ir = ir, .hard = *ir, .about = *ir, .a = a };

	g.hard.rules.v = g.about.rules.v = NULL;
	g.hard.rules.n = g.hard.rules.cap = g.about.rules.n = g.about.rules.cap = 0;
	for (size_t i = 0; i < ir->rules.n; i++) {
		struct ir_rule *r = ir->rules.v[i];
		bool any = r->kind == IR_NET && r->set.u.net.host == IR_HOST_ANY;

		if (!r->soft)
			VEC_PUSH(a, &g.hard.rules, r);
		if (any && r->effect != IR_ALLOW)
			continue; /* the decision on the name has heard it */
		if (r->soft) { /* the connection is allowed, so the ask counts */
			r = arena_dup(a, r, sizeof(*r));
			r->soft = false;
		}
		VEC_PUSH(a, &g.about.rules, r);
	}
	return g;
}

/*
 * Is it the run's own loopback, which is free because nobody says anything else?  An ask of a
 * narrow-only level or below a lock does not change that: it asks about what is allowed.
 */
static inline bool gate_is_free(const struct gate_says *g, const struct ir_request *q)
{
	struct eval_decision own, other;
	struct ir_request elsewhere = *q;

	if (q->is_addr || !guard_is_localhost(q->host.p, q->host.n))
		return false;
	eval_decide(&g->hard, q, g->a, &own);
	elsewhere.host = STR("elsewhere.invalid");
	eval_by_otherwise(g->ir, &elsewhere, &other);
	return !own.rule && other.effect != IR_ALLOW;
}

/* What leads out of the run. */
static inline bool gate_is_out(const struct gate_says *g, const struct ir_request *q, const struct eval_decision *d)
{
	return d->effect <= IR_ASK && !gate_is_free(g, q);
}

/* Does the name lead out, on some port? */
static inline bool gate_leads_out(const struct gate_says *g, struct ir_request q)
{
	uint32_t ports[512], n = 0;

	ports[n++] = 0;
	ports[n++] = UINT16_MAX;
	for (size_t i = 0; i < g->ir->rules.n && n < POL_LEN(ports) - 2; i++)
		if (g->ir->rules.v[i]->kind == IR_NET) {
			ports[n++] = g->ir->rules.v[i]->set.u.net.port_lo;
			ports[n++] = g->ir->rules.v[i]->set.u.net.port_hi + 1u;
		}
	for (uint32_t i = 0; i < n; i++) {
		struct eval_decision d;

		q.port = (uint16_t)ports[i];
		eval_decide(g->ir, &q, g->a, &d);
		if (ports[i] <= UINT16_MAX && gate_is_out(g, &q, &d))
			return true;
	}
	return false;
}

/*
 * What the rules say about an address to which a name leads.  What only `otherwise` says is
 * nothing, and a rule that names no host has spoken about the name, with its exceptions.
 */
static inline enum ir_effect gate_about(const struct gate_says *g, const uint8_t addr[16], uint16_t port)
{
	struct ir_request r = { .kind = IR_NET, .scope = IR_SANDBOX, .is_addr = true,
				.before_guard = true, .proto = IR_TCP, .port = port };
	struct eval_decision d;

	memcpy(r.addr, addr, sizeof(r.addr));
	eval_decide(&g->about, &r, g->a, &d);
	return d.rule ? d.effect : IR_ALLOW;
}

/* The same about the v4 address that a v6 one carries. */
static inline enum ir_effect gate_about_carried(const struct gate_says *g, const uint8_t addr[16], uint16_t port)
{
	enum ir_effect e = IR_ALLOW;
	uint8_t v4[16];

	for (size_t i = 0; e == IR_ALLOW && i < guard_form_count(); i++)
		if (guard_form_read(i, addr, v4))
			e = gate_about(g, v4, port);
	return e;
}

#endif
