/*
 * An assertion is about a request if the rules that would enforce it match there.  So the
 * evaluator is asked once more for each assertion, about the policy with these rules, and
 * the set means here what it means in a proof.
 */
#include "compiler/cli/explain_assertion.h"

#include "compiler/analysis/prove.h"
#include "compiler/cli/cli.h"
#include "compiler/eval/eval.h"
#include "compiler/eval/line.h"
#include "compiler/eval/request.h"

/* Does the set contain the request? */
enum contains { CONTAINS_NOT, CONTAINS_MAYBE, CONTAINS };

/* --- the set ------------------------------------------------------------------ */

/* Rules from the number `from` on enforce the assertion. */
static enum contains part_in(const struct eval_part_decision *p, size_t from)
{
	const uint32_t unseen = CMD_OPAQUE | CMD_OPAQUE_CODE | CMD_LOST;
	enum contains ret = CONTAINS_NOT;

	if (p->part->kind == CMD_UNPARSED)
		return CONTAINS_MAYBE;
	if (p->part->kind != CMD_COMMAND)
		return CONTAINS_NOT;
	/* nobody sees what else it runs */
	if (p->part->flags & unseen)
		ret = CONTAINS_MAYBE;
	for (size_t i = 0; i < p->nrules; i++) {
		if (p->rules[i].rule->index < from)
			continue;
		if (p->rules[i].must)
			return CONTAINS;
		ret = CONTAINS_MAYBE;
	}
	return ret;
}

/* A line is in the set if one of its commands is. */
static enum contains line_in(const struct eval_line *line, size_t from)
{
	enum contains ret = CONTAINS_NOT;

	if (line->cmd.unparsed || line->cmd.limit || line->why == EVAL_LW_SHELL)
		ret = CONTAINS_MAYBE;
	for (size_t i = 0; i < line->nparts; i++) {
		enum contains c = part_in(&line->parts[i], from);

		if (c > ret)
			ret = c;
	}
	return ret;
}

static enum contains set_has(const struct ir *ir, const struct ir_assertion *s,
			     const struct ir_request *req, struct arena *a)
{
	struct ir_request own = *req;
	struct ir with = *ir;
	struct eval_decision d;

	if (!s->nbounds || s->bounds[0].kind != req->kind)
		return CONTAINS_NOT;
	/* below a mount whose tree is not known here: the evaluator asks no rule */
	if (!eval_own_name(ir, &own, a))
		return CONTAINS_MAYBE;
	prove_add_rules(&with, s, a);
	eval_decide(&with, req, a, &d);
	if (d.line)
		return line_in(d.line, ir->rules.n);
	/* a command that could not be read, not even into words */
	if (req->kind == IR_COMMAND)
		return CONTAINS_MAYBE;
	for (size_t i = 0; i < d.nmatched; i++)
		if (d.matched[i]->index >= ir->rules.n)
			return CONTAINS;
	return CONTAINS_NOT;
}

void explain_assertions(struct explain_answer *ans, const struct ir *ir,
			const struct ir_request *req, const struct eval_decision *d)
{
	ans->asserts = ir->assertions.n != 0;
	for (size_t i = 0; i < ir->assertions.n; i++) {
		struct explain_assertion x = { .is = &ir->assertions.v[i] };

		switch (set_has(ir, x.is, req, ans->a)) {
		case CONTAINS_NOT:
			continue;
		case CONTAINS_MAYBE:
			break;
		case CONTAINS:
			x.agrees = d->effect < x.is->least ? EXPLAIN_AGAINST : EXPLAIN_HOLDS;
			break;
		}
		VEC_PUSH(ans->a, &ans->assertions, x);
	}
}

/* --- printing ----------------------------------------------------------------- */

static const char *const words[] = {
	[EXPLAIN_UNDECIDED] = "undecided",
	[EXPLAIN_HOLDS] = "holds here",
	[EXPLAIN_AGAINST] = "against it",
};

static struct str place(struct arena *a, const struct ir_place *at)
{
	return str_printf(a, "%.*s:%u:%u", STR_ARG(at->file), at->line, at->col);
}

void explain_assertions_text(FILE *out, const struct explain_answer *e)
{
	if (!e->asserts)
		return;
	fputs(e->assertions.n ? "assertions about it:\n" : "no assertion is about it\n", out);
	for (size_t i = 0; i < e->assertions.n; i++) {
		const struct explain_assertion *x = &e->assertions.v[i];

		fprintf(out, "  %-10s  %.*s  %.*s  %.*s\n", words[x->agrees],
			STR_ARG(cli_clean(e->a, place(e->a, &x->is->at), false)),
			STR_ARG(cli_clean(e->a, x->is->id, false)),
			STR_ARG(cli_clean(e->a, x->is->text, false)));
	}
}

void explain_assertions_json(struct json *j, const struct explain_answer *e)
{
	if (!e->asserts)
		return;
	json_array(j, "assertions");
	for (size_t i = 0; i < e->assertions.n; i++) {
		const struct ir_assertion *s = e->assertions.v[i].is;

		json_object(j, NULL);
		json_cstr(j, "verdict", words[e->assertions.v[i].agrees]);
		json_buf_str(j, "id", s->id);
		json_cstr(j, "level", ir_level_name(s->level));
		json_buf_str(j, "at", place(e->a, &s->at));
		json_buf_str(j, "text", s->text);
		if (s->because.n)
			json_buf_str(j, "because", s->because);
		json_object_end(j);
	}
	json_array_end(j);
}
