/*
 * `polc explain`: on sources the reference evaluator decides and the compiled
 * policy has to agree; on a bundle the runtime's library decides, as polrun
 * would.
 */
#include "compiler/cli/cli.h"
#include "compiler/cli/compiled.h"
#include "compiler/cli/explain.h"
#include "compiler/cli/explain_eval.h"
#include "compiler/cli/explain_setting.h"
#include "compiler/cli/report.h"
#include "compiler/cli/request.h"
#include "compiler/cli/roots.h"
#include "compiler/target/target.h"

struct asked {
	struct options *o;
	struct arena *a;
	struct ir_request req;
	const char *unparsed; /* why a line cannot be read */
	struct explain_answer ans;
};

static enum cli_exit exit_of(enum ir_effect e)
{
	switch (e) {
	case IR_ALLOW:
		return CLI_CLEAN;
	case IR_ASK:
		return CLI_ASK;
	case IR_DENY:
	case IR_HIDE:
	case IR_EFFECT_COUNT:
		break;
	}
	return CLI_FINDINGS;
}

static void begin(struct asked *q)
{
	const struct ir_request *r = &q->req;

	q->ans.a = q->a;
	q->ans.kind = ir_kind_name(r->kind);
	if (r->kind == IR_FILE)
		q->ans.kind = arena_printf(q->a, "file %s", ir_op_name(r->op));
	if (r->kind == IR_NET)
		q->ans.kind = r->proto == IR_UDP ? "net udp" : "net tcp";
	q->ans.request = r->text;
	if ((r->kind == IR_FILE || (r->kind == IR_UNIX && !r->abstract)) &&
	    !str_eq(r->path, r->text))
		q->ans.subject = r->path;
}

static enum cli_exit finish(struct asked *q)
{
	if (q->o->json)
		explain_json(stdout, &q->ans);
	else
		explain_text(stdout, &q->ans);
	return exit_of(q->ans.effect);
}

/* --- on sources ------------------------------------------------------------------ */

static void add_layers(struct asked *q, const struct compilation *c,
		       const struct ir_decision *e)
{
	size_t i;

	for (i = 0; i < c->report.notes.n; i++) {
		const struct bk_note *n = &c->report.notes.v[i];
		struct explain_layer l = { n->layer, bk_exactness_name(n->exactness),
					   n->note };
		bool mine = e->rule ? n->rule == e->rule :
			    !n->rule && !n->whole && n->scalar == e->scalar;

		if (mine && n->exactness != BK_NONE)
			VEC_PUSH(q->a, &q->ans.layers, l);
	}
}

static void fill(struct asked *q, const struct compilation *c,
		 const struct ir_decision *e)
{
	struct explain_answer *ans = &q->ans;
	size_t i;

	ans->effect = e->effect;
	ans->by = e->rule ? explain_of_rule(e->rule) :
			    explain_of_scalar(&c->ir->scalars[e->scalar], e->effect);
	ans->needs_person = e->needs_person;
	if ((q->req.kind == IR_COMMAND && !q->req.unparsed) ||
	    q->req.kind == IR_TOOL) {
		ans->risk = ir_risk_name(e->risk);
		if (e->risk_fact) {
			ans->risk_by.file = e->risk_fact->at.file;
			ans->risk_by.line = e->risk_fact->at.line;
		}
	}
	if (e->err)
		ans->err = target_errno_name(e->err);
	ans->step = explain_step(q->a, e->step, ans->by.level, ans->risk, q->unparsed);
	if (e->line)
		explain_eval_line(ans, c->ir, e);
	for (i = 0; i < e->nmatched; i++)
		VEC_PUSH(q->a, &ans->matched, explain_of_rule(e->matched[i]));
	add_layers(q, c, e);
}

/* The compiled policy has to say the same. */
static const char *cross_check(struct asked *q, struct compilation *c,
			       const struct ir_decision *e)
{
	const char *why = NULL;
	struct decision d;
	struct bundle b;

	if (!compiled_answers(c->ir, &q->req))
		return NULL;
	if (!compiled_open(c, &b))
		return c->internal;
	if (compiled_ask(&b, &q->req, q->a, &d, &why))
		why = compiled_differs(&b, e, &q->req, &d, q->a);
	bundle_release(&b);
	return why;
}

static enum cli_exit on_sources(struct asked *q)
{
	struct compilation c;
	struct ir_decision e;
	enum cli_exit x;

	compilation_init(&c, q->o, q->a);
	if (!cli_sources(q->o, q->a))
		return CLI_TROUBLE;
	x = passes_run(&c, NULL);
	if (x != CLI_CLEAN)
		return cli_refuse(&c, x, CLI_TROUBLE);
	ir_eval(c.ir, &q->req, q->a, &e);
	c.internal = cross_check(q, &c, &e);
	if (c.internal)
		return cli_refuse(&c, CLI_INTERNAL, CLI_TROUBLE);
	if (c.sink.errors)
		return cli_refuse(&c, CLI_FINDINGS, CLI_TROUBLE);
	fill(q, &c, &e);
	return finish(q);
}

/* --- on a bundle --------------------------------------------------------------------- */

static struct str view(const struct bundle *b, struct pb_str s)
{
	return (struct str){ pb_strp(b->rules, s), s.len };
}

static struct explain_rule of_record(const struct bundle *b, uint32_t n,
				     enum ir_effect effect)
{
	const struct pb_rule *r = bundle_rule(b, n);

	if (!r)
		return (struct explain_rule){ .id = STR("none"), .level = "default",
					      .effect = ir_effect_name(effect) };
	return (struct explain_rule){
		.id = view(b, r->id), .file = view(b, r->file), .line = r->line,
		.text = view(b, r->text), .because = view(b, r->reason),
		.level = ir_level_name((enum ir_level)r->level),
		.effect = ir_effect_name(effect),
	};
}

/* Which step it was, from what decided. */
static enum ir_step step_of(const struct asked *q, const struct bundle *b,
			    const struct decision *d)
{
	const struct pb_rule *r = bundle_rule(b, d->rule);

	if (q->req.kind == IR_COMMAND && q->req.unparsed)
		return IR_STEP_OPAQUE;
	if (q->req.kind == IR_SYSCALL && !q->req.nr_known)
		return IR_STEP_UNKNOWN;
	if (q->req.kind == IR_NET)
		return IR_STEP_MODE;
	if (!r || r->kind == PB_SCALAR)
		return r && r->by_risk ? IR_STEP_RISK : IR_STEP_OTHERWISE;
	if (r->flags & PB_F_FLOOR)
		return IR_STEP_FLOOR;
	if (r->level != PB_DEFAULT)
		return r->flags & PB_F_FINAL ? IR_STEP_FINAL : IR_STEP_RULES;
	return r->effect == PB_ALLOW ? IR_STEP_BASE_ALLOW : IR_STEP_DEFAULT;
}

static void add_record_layer(struct asked *q, const struct bundle *b, uint32_t n)
{
	static const enum bk_exactness words[] = {
		[PB_X_NONE] = BK_NONE, [PB_X_EXACT] = BK_EXACT, [PB_X_OVER] = BK_OVER,
		[PB_X_UNDER] = BK_UNDER, [PB_X_ENTRY_ONLY] = BK_ENTRY_ONLY,
		[PB_X_ADVISORY] = BK_ADVISORY,
	};
	const struct pb_rule *r = bundle_rule(b, n);
	struct explain_layer l = { .layer = "all" };

	if (!r || r->exactness >= POL_LEN(words) || r->exactness == PB_X_NONE)
		return;
	l.exactness = bk_exactness_name(words[r->exactness]);
	l.note = view(b, r->note);
	VEC_PUSH(q->a, &q->ans.layers, l);
}

static enum cli_exit on_bundle(struct asked *q)
{
	struct explain_answer *ans = &q->ans;
	const char *why = NULL;
	struct decision d;
	enum cli_exit x;
	struct bundle b;
	uint32_t i;

	if (!cli_bundle(q->o->bundle, &b))
		return CLI_TROUBLE;
	if (!compiled_ask(&b, &q->req, q->a, &d, &why)) {
		fprintf(stderr, "polc: %s: %s\n", q->o->bundle, why);
		bundle_release(&b);
		return CLI_TROUBLE;
	}
	/* unknown means deny */
	ans->effect = d.effect < IR_EFFECT_COUNT ? (enum ir_effect)d.effect : IR_DENY;
	ans->by = of_record(&b, d.rule, ans->effect);
	ans->needs_person = d.needs_person;
	if ((q->req.kind == IR_COMMAND && !q->req.unparsed) ||
	    q->req.kind == IR_TOOL)
		ans->risk = ir_risk_name((enum ir_risk)d.risk);
	if (d.err)
		ans->err = target_errno_name(d.err);
	ans->step = explain_step(q->a, step_of(q, &b, &d), ans->by.level, ans->risk,
				 q->unparsed);
	for (i = 0; i < d.nmatched && i < DECIDE_MAX_MATCHED; i++) {
		const struct pb_rule *r = bundle_rule(&b, d.matched[i]);

		VEC_PUSH(q->a, &ans->matched,
			 of_record(&b, d.matched[i],
				   r ? (enum ir_effect)r->effect : IR_DENY));
	}
	ans->more = d.nmatched > i ? d.nmatched - i : 0;
	add_record_layer(q, &b, d.rule);
	x = finish(q);
	bundle_release(&b);
	return x;
}

enum cli_exit cmd_explain(struct options *o, struct arena *a)
{
	struct asked q = { .o = o, .a = a };
	struct roots roots;

	if (o->nrequest && strcmp(o->request[0], "setting") == 0)
		return explain_setting(o, a);
	if (!roots_find(o, a, &roots, stderr) ||
	    !request_read(o, &roots, a, &q.req, &q.unparsed, stderr))
		return CLI_TROUBLE;
	begin(&q);
	return o->bundle ? on_bundle(&q) : on_sources(&q);
}
