/*
 * Decides whether a rule matches its own example.  Only the rule's set counts; other
 * rules, levels and locks do not.
 */
#include "compiler/eval/example.h"

#include "compiler/eval/line.h"
#include "compiler/eval/request.h"

static const enum ir_scope scopes[] = { IR_SANDBOX, IR_HOST };

/* Tries one rule on one simple command, in a scope where the rule counts. */
static void try_part(struct eval_asked *q, const struct ir_rule *r, struct eval_trial *t)
{
	struct ir_request req = *q->req;
	struct eval_asked in = *q;
	size_t i;

	in.req = &req;
	for (i = 0; i < POL_LEN(scopes) && !t->matches; i++) {
		struct eval_match m;

		req.scope = scopes[i];
		m = eval_rule_on_part(&in, r);
		t->matches = r->effect == IR_ALLOW ? m.must : m.may;
		t->some |= m.may && !m.must;
	}
	if (t->matches)
		t->part = q->part;
}

/* Says why we cannot read some of the line; NULL if we can. */
static const char *unread(const struct cmd_world *w, const struct cmd_line *line)
{
	if (line->unparsed || line->limit)
		return line->why ? line->why : "past a limit";
	if (w->facts->dialect == LINE_DIALECT_NONE)
		return "this version reads no lines of the policy's shell";
	return NULL;
}

static void try_line(const struct ir *ir, const struct ir_example *x,
		     const struct ir_request *req, struct arena *a, struct eval_trial *t)
{
	struct cmd_world world;
	struct cmd_part *p;
	size_t i;

	eval_read_line(ir, req, a, &world, &t->line);
	t->unread = unread(&world, &t->line);
	for (p = t->line.first; p && !t->unread; p = p->next) {
		struct eval_asked q = { ir, req, &world, p };

		for (i = 0; i < x->nrules && p->kind == CMD_COMMAND && !t->matches; i++)
			try_part(&q, x->rules[i], t);
	}
}

void eval_try_example(const struct ir *ir, const struct ir_example *x,
		    const struct ir_request *asked, struct arena *a, struct eval_trial *ret)
{
	struct eval_trial t = { .matches = false };
	struct ir_request req = *asked;
	size_t i, k;

	if (req.kind == IR_COMMAND) {
		try_line(ir, x, &req, a, &t);
	} else if (eval_own_name(ir, &req, a)) {
		for (i = 0; i < POL_LEN(scopes); i++) {
			req.scope = scopes[i];
			for (k = 0; k < x->nrules; k++)
				t.matches |= eval_rule_matches(x->rules[k], &req);
		}
	}
	*ret = t;
}
