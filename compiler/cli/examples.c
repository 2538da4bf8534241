/*
 * Decides what is reported about an example that a rule does not match, or must not
 * match: what the line runs, and which rules match it instead.
 */
#include "compiler/cli/examples.h"

#include "compiler/cli/cli.h"
#include "compiler/cli/explain_line.h"
#include "compiler/cli/tests.h"
#include "compiler/eval/eval.h"
#include "compiler/eval/example.h"

/* The most items that are shown of each of these lists. */
#define MAX_SHOWN 3u

struct tried {
	const struct ir *ir;
	struct diag_sink *sink;
	struct arena *a;
	const struct ir_example *x;
	struct ir_request request; /* the request, with roots */
	struct diag *d;
};

static void note_rule(struct tried *t)
{
	diag_note(t->sink, t->d, t->x->rule_at.span, "the rule is '%.*s'",
		  STR_ARG(t->x->rule));
}

/* "'npm run x', 'git push'" */
static void note_parts(struct tried *t, const struct eval_trial *trial)
{
	const struct cmd_part *p;
	struct buf b;
	size_t n = 0;

	buf_init(&b, t->a);
	for (p = trial->line.first; p; p = p->next) {
		if (p->kind != CMD_COMMAND || n++ >= MAX_SHOWN)
			continue;
		buf_printf(&b, "%s'%.*s'", b.n ? ", " : "",
			   STR_ARG(explain_part_text(t->a, p)));
	}
	if (n > MAX_SHOWN)
		buf_printf(&b, " and %zu more", n - MAX_SHOWN);
	if (n)
		diag_note(t->sink, t->d, SPAN_NONE, "the line runs %.*s", (int)b.n, b.p);
	else
		diag_note(t->sink, t->d, SPAN_NONE, "the line runs nothing");
}

static bool is_own(const struct ir_example *x, const struct ir_rule *r)
{
	for (size_t i = 0; i < x->nrules; i++)
		if (x->rules[i] == r)
			return true;
	return false;
}

/* Notes each other statement that matches, including those of std/base. */
static void note_others(struct tried *t)
{
	struct str last = STR_NULL;
	struct eval_decision e;
	size_t i, n = 0;

	eval_decide(t->ir, &t->request, t->a, &e);
	for (i = 0; i < e.nmatched; i++) {
		const struct ir_rule *r = e.matched[i];

		if (is_own(t->x, r) || str_eq(r->id, last) || n++ >= MAX_SHOWN)
			continue;
		last = r->id;
		diag_note(t->sink, t->d, r->at.span, "'%.*s' matches it: %s (%s)",
			  STR_ARG(r->id), ir_effect_name(r->effect),
			  ir_level_name(r->level));
	}
	if (!n)
		diag_note(t->sink, t->d, SPAN_NONE, "no other rule matches it");
}

static void fail(struct tried *t, const struct eval_trial *trial)
{
	const struct ir_example *x = t->x;

	if (trial->unread) {
		t->d = diag_add(t->sink, DIAG_EXAMPLE_FAILED, x->at.span,
				"this example cannot be read (%s), so no rule is tried "
				"by it", trial->unread);
		note_rule(t);
		return;
	}
	t->d = diag_add(t->sink, DIAG_EXAMPLE_FAILED, x->at.span,
			x->matches ? "the rule does not match '%.*s'" :
				     "the rule matches '%.*s', which it must not",
			STR_ARG(x->request.text));
	note_rule(t);
	if (!x->matches && trial->part)
		diag_note(t->sink, t->d, SPAN_NONE, "it matches '%.*s'",
			  STR_ARG(explain_part_text(t->a, trial->part)));
	if (!x->matches)
		return;
	if (x->request.kind == IR_COMMAND)
		note_parts(t, trial);
	if (trial->some)
		diag_note(t->sink, t->d, SPAN_NONE,
			  "it matches some of what the words stand for, and an allow "
			  "has to match all");
	note_others(t);
}

static void run(const struct ir *ir, const struct ir_example *x, struct diag_sink *sink,
		struct arena *a)
{
	struct tried t = { ir, sink, a, x, x->request, NULL };
	struct eval_trial trial;

	if (!tests_place(a, &t.request)) {
		diag_add(sink, DIAG_EXAMPLE_FAILED, x->at.span,
			 "'%.*s' names a root that examples do not have",
			 STR_ARG(x->request.path));
		return;
	}
	eval_try_example(ir, x, &t.request, a, &trial);
	if (trial.unread || trial.matches != x->matches)
		fail(&t, &trial);
}

void examples_run(const struct ir *ir, struct diag_sink *sink)
{
	for (size_t i = 0; i < ir->examples.n; i++) {
		struct arena own;

		/* a line's analysis may take much memory; only the messages are copied */
		arena_init(&own, ARENA_DEFAULT_BUDGET);
		run(ir, &ir->examples.v[i], sink, &own);
		arena_release(&own);
	}
}
