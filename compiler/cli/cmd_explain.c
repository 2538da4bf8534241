/*
 * `polc explain`: the reference evaluator says what decides and why, for sources or
 * for the resolved policy in a bundle.  The compiled policy is asked too, by the
 * library of the runtime as polrun does, and must give the same answer.
 */
#include <stdio.h>
#include <string.h>

#include "compiler/backend/table.h"
#include "compiler/cli/cli.h"
#include "compiler/cli/compiled.h"
#include "compiler/cli/explain.h"
#include "compiler/cli/explain_assertion.h"
#include "compiler/cli/explain_eval.h"
#include "compiler/cli/explain_value.h"
#include "compiler/cli/explain_setting.h"
#include "compiler/cli/loaded.h"
#include "compiler/cli/passes.h"
#include "compiler/cli/places.h"
#include "compiler/cli/report.h"
#include "compiler/cli/request.h"
#include "compiler/cli/roots.h"
#include "compiler/cli/why_not.h"
#include "compiler/eval/grant.h"
#include "compiler/target/target.h"
#include "runtime/base/host.h"
#include "runtime/base/place.h"
#include "runtime/decide/hint.h"

struct asked {
	struct options *o;
	struct arena *a;
	struct ir_request req;
	struct str given;     /* a file's or socket's path, absolute, before links are followed */
	const char *unparsed; /* why the line cannot be read */
	struct place_links links; /* of the policy's places */
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

static enum cli_exit finish(struct asked *q, const struct ir *ir)
{
	struct why_not why;

	if (q->o->why_level && !why_not(ir, &q->req, q->o, q->a, &why))
		return CLI_TROUBLE;
	q->ans.why = q->o->why_level ? &why : NULL;
	q->ans.o = q->o;
	if (q->o->json)
		explain_json(stdout, &q->ans);
	else
		explain_text(stdout, &q->ans);
	return exit_of(q->ans.effect);
}

/* --- on sources ------------------------------------------------------------------ */

/* Where nobody wrote the network's `otherwise`, its mode is enforced. */
static enum ir_scalar_id enforced_scalar(const struct ir *ir, enum ir_scalar_id id)
{
	return id == IR_S_NET_OTHERWISE && !ir->scalars[id].at.line ? IR_S_NET_MODE : id;
}

static void add_layers(struct asked *q, const struct ir *ir, const struct bk_report *report,
		       const struct eval_decision *e)
{
	enum ir_scalar_id id = enforced_scalar(ir, e->scalar);
	size_t i;

	for (i = 0; i < report->notes.n; i++) {
		const struct bk_note *n = &report->notes.v[i];
		struct explain_layer l = { n->layer, bk_exactness_name(n->exactness),
					   n->note };
		bool mine = e->rule ? n->rule == e->rule :
			    !n->rule && !n->whole && n->scalar == id;

		if (mine && n->exactness != BK_NONE)
			VEC_PUSH(q->a, &q->ans.layers, l);
	}
}

/* On the host there is no gateway. */
static void say_gateway(struct asked *q, const struct ir *ir, const struct eval_decision *e)
{
	struct eval_grant grant;

	if (q->req.kind != IR_NET || q->req.scope != IR_SANDBOX)
		return;
	eval_grant(ir, &q->req, e, q->a, &grant);
	q->ans.gateway = eval_grant_words(q->a, &grant);
}

static void fill(struct asked *q, const struct ir *ir, const struct bk_report *report,
		 const struct eval_decision *e)
{
	struct explain_answer *ans = &q->ans;

	ans->effect = e->effect;
	ans->by = e->rule ? explain_of_rule(e->rule) :
			    explain_of_scalar(ir, e->scalar, e->effect);
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
		explain_eval_line(ans, ir, e);
	explain_eval_matched(ans, ir, e);
	explain_eval_without(ans, ir, &q->req, e);
	explain_assertions(ans, ir, &q->req, e);
	add_layers(q, ir, report, e);
	say_gateway(q, ir, e);
}

/* The texts of the bundle do not outlive it. */
static void keep_hint(struct asked *q, const struct hint *hint)
{
	q->ans.hint = str_dup(q->a, str_from(hint->text));
	q->ans.hint_is_rule = hint->rule;
}

/* The runtime's kinds are the IR's. */
_Static_assert((int)PB_TOOL == (int)IR_TOOL && (int)PB_FILE == (int)IR_FILE, "kinds");

static void find_hint(struct asked *q, struct bundle *b, const struct decision *d)
{
	const struct ir_request *r = &q->req;
	struct hint_subject s = { .kind = (uint8_t)r->kind };
	char addr[HOST_TEXT];
	struct hint hint;

	if (r->kind == IR_TOOL)
		s.tool = str_z(q->a, r->text);
	if (r->kind == IR_NET) {
		s.is_addr = r->is_addr;
		s.udp = r->proto == IR_UDP;
		s.port = r->port;
		s.host = r->is_addr ? addr : str_z(q->a, r->host);
		if (r->is_addr)
			(void)host_text(r->addr, addr);
	}
	hint_request(b, &s, d, &hint);
	keep_hint(q, &hint);
}

static void find_line_hint(struct asked *q, struct bundle *b, const struct cmd_line *parts,
			   const struct decision *d)
{
	struct str project = q->req.roots.dir[IR_ROOT_PROJECT];
	struct hint hint;

	hint_line(b, project.n ? str_z(q->a, project) : NULL, parts, d, &hint);
	keep_hint(q, &hint);
}

/*
 * Asks the bundle.  NULL, or how its answer differs from the evaluator's; then
 * *ret_fault says whether that is a fault of ours.
 */
static const char *cross_check(struct asked *q, struct bundle *b, const struct ir *ir,
			       const struct eval_decision *e, bool *ret_fault)
{
	const char *why = NULL;
	struct cmd_line parts;
	struct decision d;

	*ret_fault = true;
	if (q->req.kind == IR_COMMAND) {
		compiled_line(b, &q->req, q->a, &parts, &d);
		find_line_hint(q, b, &parts, &d);
		why = compiled_differs(b, e, &q->req, &d, q->a);
		return why ? why : compiled_parts_differ(b, &q->req, e, &parts, q->a);
	}
	if (!compiled_ask(b, &q->req, q->a, &d, &why)) {
		*ret_fault = false;
		return why;
	}
	find_hint(q, b, &d);
	/* filters exist only in the sandbox */
	if (!compiled_answers(ir, &q->req))
		return q->req.kind == IR_SYSCALL || (unsigned)e->effect == d.effect ?
			       NULL : "the evaluator has another answer";
	return compiled_differs(b, e, &q->req, &d, q->a);
}

/* Without a bundle, or if no bundle answers the request, only the evaluator counts. */
static const char *check_compiled(struct asked *q, struct compilation *c,
				  const struct eval_decision *e)
{
	const char *why;
	struct bundle b;
	bool fault;

	if (!compiled_answers(c->ir, &q->req))
		return NULL;
	if (!compiled_open(c, &b))
		return c->internal;
	why = cross_check(q, &b, c->ir, e, &fault);
	bundle_release(&b);
	return fault ? why : NULL;
}

struct by_names {
	struct asked *q;
	const struct ir *ir;
	struct str real;
	struct eval_decision *strictest;
};

static int ask_name(void *arg, const char *name)
{
	struct by_names *n = arg;
	struct ir_request req = n->q->req;
	struct eval_decision e;

	req.path = str_dup(n->q->a, str_from(name));
	if (str_eq(req.path, n->real))
		return 0;
	eval_decide(n->ir, &req, n->q->a, &e);
	if (!e.rule || e.effect <= n->strictest->effect)
		return 0;
	*n->strictest = e;
	n->q->req.path = req.path;
	return 0;
}

/* A rule that matches any name of a path counts, and another name than the physical path can
 * only make the answer stricter (semantics 5).  The request gets the name that decided. */
static bool decide_by_names(struct asked *q, const struct ir *ir, struct eval_decision *ret)
{
	struct by_names n = { .q = q, .ir = ir, .real = q->req.path, .strictest = ret };
	struct place_memory names = { .links = &q->links };
	int r;

	if ((q->req.places || q->given.n) && !places_find_links(ir, &q->req.roots, q->a, &q->links)) {
		fprintf(stderr, "polc: out of memory\n");
		return false;
	}
	if (q->req.places)
		q->req.places->links = &q->links;
	eval_decide(ir, &q->req, q->a, ret);
	if (!q->given.n)
		return true;
	r = place_names_in(&names, str_z(q->a, q->given), ask_name, &n);
	if (r < 0)
		fprintf(stderr, "polc: the names of this path cannot be found: %s\n", strerror(-r));
	else if (!str_eq(q->req.path, n.real))
		q->ans.subject = q->req.path;
	return r == 0;
}

static enum cli_exit on_sources(struct asked *q)
{
	struct compilation c;
	struct eval_decision e;
	enum cli_exit x;

	compilation_init(&c, q->o, q->a);
	if (!cli_sources(q->o, q->a))
		return CLI_TROUBLE;
	x = passes_run(&c, NULL);
	if (x != CLI_CLEAN)
		return cli_refuse(&c, x, CLI_TROUBLE);
	if (!decide_by_names(q, c.ir, &e))
		return CLI_TROUBLE;
	c.internal = check_compiled(q, &c, &e);
	if (c.internal)
		return cli_refuse(&c, CLI_INTERNAL, CLI_TROUBLE);
	if (c.sink.errors)
		return cli_refuse(&c, CLI_FINDINGS, CLI_TROUBLE);
	fill(q, c.ir, &c.report, &e);
	return finish(q, c.ir);
}

/* --- on a bundle --------------------------------------------------------------------- */

/* What the back ends report about this policy, as at its compilation. */
static void confess(const struct ir *ir, struct bk_report *report)
{
	const struct backend *const *bk;
	struct diag_sink own;

	diag_init(&own, report->a);
	for (bk = bk_table; *bk; bk++)
		(*bk)->check(ir, report, &own);
}

static enum cli_exit answer(struct asked *q, struct bundle *b, struct ir *ir)
{
	struct bk_report report = { .a = q->a };
	struct eval_decision e;
	const char *why;
	bool fault;

	if (!decide_by_names(q, ir, &e))
		return CLI_TROUBLE;
	why = cross_check(q, b, ir, &e, &fault);
	if (why) {
		fprintf(stderr, "polc: %s: %s%s\n", q->o->bundle,
			fault ? "its resolved policy and its compiled one differ: " : "",
			why);
		return CLI_TROUBLE;
	}
	confess(ir, &report);
	fill(q, ir, &report, &e);
	return finish(q, ir);
}

static enum cli_exit on_bundle(struct asked *q)
{
	enum cli_exit x = CLI_TROUBLE;
	struct bundle b;
	struct ir *ir;

	if (!cli_bundle(q->o->bundle, &b))
		return CLI_TROUBLE;
	ir = loaded_ir(&b, q->o->bundle, q->o->role, q->a, NULL);
	if (ir)
		x = answer(q, &b, ir);
	bundle_release(&b);
	return x;
}

enum cli_exit cmd_explain(struct options *o, struct arena *a)
{
	struct asked q = { .o = o, .a = a };
	struct roots roots;
	enum cli_exit x;

	if (o->nrequest && strcmp(o->request[0], "setting") == 0)
		return explain_setting(o, a);
	if (explain_is_value(o))
		return explain_value(o, a);
	if (!roots_find(o, a, &roots, stderr) ||
	    !request_read(o, &roots, a, &q.req, &q.unparsed, stderr))
		return CLI_TROUBLE;
	begin(&q);
	/* in a sandbox the kernel judges the paths of a line */
	if (q.req.kind == IR_COMMAND && q.req.scope == IR_HOST)
		q.req.places = ARENA_NEW(a, struct place_memory);
	if (q.req.kind == IR_FILE || (q.req.kind == IR_UNIX && !q.req.abstract)) {
		(void)roots_expand(a, &roots.dirs, q.req.text, &q.given);
		if (q.given.p[0] != '/')
			q.given = str_cat(a, str_cat(a, roots.cwd, STR("/")), q.given);
	}
	x = o->bundle ? on_bundle(&q) : on_sources(&q);
	place_links_release(&q.links);
	return x;
}
