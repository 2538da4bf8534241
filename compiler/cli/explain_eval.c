/* Turns the decisions of the reference evaluator into answers of `polc explain`. */
#include "compiler/cli/explain_eval.h"

#include "compiler/cli/explain_line.h"
#include "compiler/eval/eval.h"
#include "compiler/eval/levels.h"
#include "compiler/ir/edit.h"

struct explain_rule explain_of_rule(const struct ir_rule *r)
{
	return (struct explain_rule){
		.id = r->id, .file = r->at.file, .line = r->at.line, .text = r->text,
		.because = r->because, .level = ir_level_name(r->level),
		.effect = ir_effect_name(r->effect),
	};
}

struct explain_rule explain_of_scalar(const struct ir *ir, enum ir_scalar_id id,
				      enum ir_effect e)
{
	const struct ir_scalar *s = &ir->scalars[id];

	if (id == IR_S_NET_OTHERWISE && !s->at.line)
		s = &ir->scalars[IR_S_NET_MODE];
	return (struct explain_rule){
		.id = s->id, .file = s->at.file, .line = s->at.line, .text = s->source,
		.level = ir_level_name(s->level), .effect = ir_effect_name(e),
	};
}

/* --- the rules that match ------------------------------------------------------------ */

static struct str idle(struct arena *a, const struct ir *ir, const struct eval_decision *d,
		       const struct ir_rule *r)
{
	const struct ir_rule *by;

	switch (eval_standing(ir, d, r, &by)) {
	case EVAL_COUNTS:
		break;
	case EVAL_BELOW_FINAL:
		return by ? str_printf(a, "below the final rule %.*s at %.*s:%u", STR_ARG(by->id),
				       STR_ARG(by->at.file), by->at.line) :
			    STR("below a final rule");
	case EVAL_BELOW_LOCK:
		return str_printf(a, "the section is locked at %.*s:%u",
				  STR_ARG(ir->locked[r->kind].at.file), ir->locked[r->kind].at.line);
	case EVAL_LIFTED:
		return by ? str_printf(a, "lifted by %.*s at %.*s:%u", STR_ARG(by->id),
				       STR_ARG(by->at.file), by->at.line) :
			    STR("lifted");
	case EVAL_BASE_ALLOW:
		if (d->rule != r)
			return STR("a default's allow counts only where no other rule is left");
		break;
	}
	return STR("");
}

struct explain_rule explain_of_match(struct arena *a, const struct ir *ir,
				     const struct eval_decision *d, const struct ir_rule *r)
{
	struct explain_rule ret = explain_of_rule(r);

	for (size_t i = 0; i < d->nmatched; i++)
		if (d->matched[i] == r)
			ret.idle = idle(a, ir, d, r);
	return ret;
}

static bool has_rule(const struct explain_answer *ans, const struct explain_rule *r)
{
	for (size_t i = 0; i < ans->matched.n; i++)
		if (explain_same_rule(&ans->matched.v[i], r))
			return true;
	return false;
}

void explain_eval_matched(struct explain_answer *ans, const struct ir *ir,
			  const struct eval_decision *d)
{
	/* what a rule is worth is decided for each part alone */
	bool parts = d->line && d->line->nparts > 1;
	const struct eval_decision *one = d->line && d->line->nparts == 1 ? &d->line->parts[0].d : d;

	for (size_t i = 0; i < d->nmatched; i++) {
		struct explain_rule r = parts ? explain_of_rule(d->matched[i]) :
						explain_of_match(ans->a, ir, one, d->matched[i]);

		if (!has_rule(ans, &r))
			VEC_PUSH(ans->a, &ans->matched, r);
	}
}

/* --- who would decide without it ------------------------------------------------------- */

static bool is_of_statement(const struct ir_rule *r, const struct ir_rule *of)
{
	return str_eq(r->id, of->id) && str_eq(r->at.file, of->at.file) &&
	       r->at.line == of->at.line && r->level == of->level;
}

static void leave_out(const struct ir *ir, const struct ir_rule *of, struct arena *a,
		      struct ir *ret)
{
	struct ir_rule **v = arena_array(a, ir->rules.n, sizeof(*v));
	size_t n = 0;

	for (size_t i = 0; i < ir->rules.n; i++)
		if (!is_of_statement(ir->rules.v[i], of))
			v[n++] = ir->rules.v[i];
	ir_with_rules(ir, v, n, a, ret);
}

void explain_eval_without(struct explain_answer *ans, const struct ir *ir,
			  const struct ir_request *req, const struct eval_decision *d)
{
	struct ir rest = *ir;
	struct eval_decision e;

	if (str_eqz(ans->by.id, "none") || !ans->by.line)
		return;
	if (d->rule) {
		leave_out(ir, d->rule, ans->a, &rest);
	} else {
		struct ir_scalar *s = &rest.scalars[d->scalar];

		/* the network's mode decides where `otherwise` was not written */
		if (!s->at.line)
			s = &rest.scalars[IR_S_NET_MODE];
		*s = s->nover ? s->over[0] : ir_new(ans->a)->scalars[s - rest.scalars];
		/* below a lock it would allow less than it says */
		if (ir->locked[req->kind].level && s->level != ir->locked[req->kind].level)
			return;
	}
	eval_decide(&rest, req, ans->a, &e);
	/* behind a default there is only the built-in value of the same */
	if (!d->rule && !e.rule && !explain_of_scalar(&rest, e.scalar, e.effect).line)
		return;
	ans->without = e.rule ? explain_of_rule(e.rule) :
				explain_of_scalar(&rest, e.scalar, e.effect);
	ans->without.effect = ir_effect_name(e.effect);
}

/* --- steps ------------------------------------------------------------------------------ */

struct str explain_step(struct arena *a, enum eval_step s, const char *level,
			const char *risk, const char *unparsed)
{
	switch (s) {
	case EVAL_STEP_FINAL:
		return str_printf(a, "3.1.1: a final rule (%s) matches, levels below it "
				  "do not count", level);
	case EVAL_STEP_RULES:
		return STR("3.1.3: the strictest of the rules that match decides");
	case EVAL_STEP_DEFAULT:
		return STR("3.1.2: a default rule that no allow lifts");
	case EVAL_STEP_FLOOR:
		return STR("3.1.2: a rule of the floor, which is in every policy");
	case EVAL_STEP_BASE_ALLOW:
		return STR("3.1.4: no other rule is left, a default allows it");
	case EVAL_STEP_OTHERWISE:
		return STR("3.1.5: no rule is left, the section's 'otherwise' decides");
	case EVAL_STEP_RISK:
		return str_printf(a, "3.1.5: no rule is left, 'otherwise by risk' decides "
				  "for %s", risk ? risk : "medium");
	case EVAL_STEP_OPAQUE:
		return str_printf(a, "4.1: the line cannot be read (%s): the stricter of "
				  "'opaque' and 'otherwise', never allow", unparsed);
	case EVAL_STEP_MODE:
		return STR("6: the network's mode decides");
	case EVAL_STEP_GUARD:
		return STR("6: the address is guarded, and no rule names its range: one without a "
			   "host, or with a wider block, does not");
	case EVAL_STEP_UNKNOWN:
		return STR("6: no table names this number, the call does not exist");
	case EVAL_STEP_COUNT:
		break;
	}
	return STR("unknown");
}

/* --- parts ------------------------------------------------------------------------- */

static struct str word_at(struct arena *a, const struct eval_part_decision *p)
{
	if (p->word >= p->part->nwords)
		return STR("?");
	return explain_word(a, p->part->words[p->word].w);
}

static struct str part_step(struct explain_answer *ans, const struct eval_part_decision *p,
			    const char *level)
{
	struct arena *a = ans->a;
	const struct str because = p->because ? p->because->id : STR("?");

	switch (p->step) {
	case EVAL_PS_RULES:
	case EVAL_PS_TARGET:
		return explain_step(a, p->d.step, level, ir_risk_name(p->d.risk),
				    "a part of it");
	case EVAL_PS_TRANSPARENT:
		return STR("4.4.2: a transparent wrapper needs no permission of its own");
	case EVAL_PS_SHELL_CODE:
		return STR("4.4.2: in the code of a shell that a rule allows, 'otherwise' is "
			   "not asked");
	case EVAL_PS_LOST:
		return str_printf(a, "4.4.1: what this wrapper runs is not known, and its "
				  "words from %.*s on are a denied command",
				  STR_ARG(word_at(a, p)));
	case EVAL_PS_MAY_DENY:
		return str_printf(a, "4.4.3: what is not literal may be what '%.*s' denies: "
				  "'opaque' decides", STR_ARG(because));
	case EVAL_PS_OPAQUE:
		return STR("4.4.3: nobody sees what it runs: 'opaque' decides");
	case EVAL_PS_SPELLS:
		return str_printf(a, "4.4: nothing says what this program is, and its words "
				  "from %.*s on are a denied command: at least ask",
				  STR_ARG(word_at(a, p)));
	case EVAL_PS_HIDDEN:
		return str_printf(a, "4.4: the word %.*s names a path that is hidden, or "
				  "that '%.*s' denies reading: at least ask",
				  STR_ARG(word_at(a, p)), STR_ARG(because));
	case EVAL_PS_HOLDS:
		return str_printf(a, "4.4: what it reads may be, or hold, a path that '%.*s' "
				  "keeps from being read: at least ask", STR_ARG(because));
	case EVAL_PS_READS:
		return str_printf(a, "4.4: it reads what %.*s names, which '%.*s' denies",
				  STR_ARG(word_at(a, p)), STR_ARG(because));
	case EVAL_PS_MAY_READ:
		return str_printf(a, "4.4: the word %.*s names a path, or it reads what may be or hold "
				  "one, about whose reading '%.*s' asks: at least ask",
				  STR_ARG(word_at(a, p)), STR_ARG(because));
	case EVAL_PS_WRITES:
		return str_printf(a, "4.4: what it writes: '%.*s' decides", STR_ARG(because));
	case EVAL_PS_MAY_WRITE:
		return str_printf(a, "4.4: the word %.*s names, or begins, a path that '%.*s' keeps "
				  "from being written, and nothing says that the program only "
				  "reads it: at least ask",
				  STR_ARG(word_at(a, p)), STR_ARG(because));
	case EVAL_PS_SANDBOX:
		return STR("4.4: no rule is about this file: the sandbox decides when the shell "
			   "opens it");
	case EVAL_PS_NO_TARGET:
		return STR("4.4: its target is not known: the stricter of 'opaque' and the "
			   "section's 'otherwise'");
	case EVAL_PS_UNPARSED:
		if (p->part->flags & CMD_EVALUATED)
			return str_printf(a, "4.1: a second evaluation (%s): the stricter of "
					  "'opaque' and 'otherwise', never allow",
					  p->part->opaque);
		return str_printf(a, "4.1: the text cannot be read (%s): the stricter of "
				  "'opaque' and 'otherwise', never allow",
				  p->part->opaque ? p->part->opaque : "?");
	case EVAL_PS_COUNT:
		break;
	}
	return STR("unknown");
}

/* No rule was consulted, so there is none to name. */
static bool nobody_said(const struct eval_part_decision *p)
{
	return p->step == EVAL_PS_TRANSPARENT || p->step == EVAL_PS_SHELL_CODE ||
	       p->step == EVAL_PS_SANDBOX;
}

static struct explain_rule nobody(enum ir_effect e)
{
	return (struct explain_rule){ .id = STR("none"), .level = "default",
				      .effect = ir_effect_name(e) };
}

/* A statement matches in any case if one of its patterns does. */
static void add_match(struct explain_answer *ans, struct explain_part *x, struct explain_match m)
{
	for (size_t i = 0; i < x->rules.n; i++)
		if (explain_same_rule(&x->rules.v[i].rule, &m.rule)) {
			x->rules.v[i].must |= m.must;
			return;
		}
	VEC_PUSH(ans->a, &x->rules, m);
}

static void add_part(struct explain_answer *ans, const struct ir *ir,
		     const struct eval_part_decision *p)
{
	struct explain_part x = { .part = p->part, .effect = p->d.effect,
				  .inert = p->inert, .needs_person = p->d.needs_person };
	size_t i;

	x.by = p->d.rule ? explain_of_rule(p->d.rule) :
			   explain_of_scalar(ir, p->d.scalar, p->d.effect);
	x.step = part_step(ans, p, x.by.level);
	if (nobody_said(p))
		x.by = nobody(p->d.effect);
	if (p->part->kind == CMD_COMMAND)
		x.risk = ir_risk_name(p->d.risk);
	for (i = 0; i < p->nrules; i++)
		add_match(ans, &x, (struct explain_match){
			explain_of_match(ans->a, ir, &p->d, p->rules[i].rule), p->rules[i].must });
	for (i = 0; p->part->kind != CMD_COMMAND && i < p->d.nmatched; i++)
		add_match(ans, &x, (struct explain_match){
			explain_of_match(ans->a, ir, &p->d, p->d.matched[i]), true });
	VEC_PUSH(ans->a, &ans->parts, x);
}

static struct str line_step(struct explain_answer *ans, const struct eval_line *line)
{
	const char *why = line->cmd.why ? line->cmd.why : "?";

	switch (line->why) {
	case EVAL_LW_PART:
		return ans->parts.v[line->deciding].step;
	case EVAL_LW_NOTHING:
		return STR("4.4: it runs nothing");
	case EVAL_LW_UNPARSED:
		return explain_step(ans->a, EVAL_STEP_OPAQUE, NULL, NULL, why);
	case EVAL_LW_LIMIT:
		return str_printf(ans->a, "4.1: past a limit (%s): deny", why);
	case EVAL_LW_SHELL:
		return STR("4.1: no shell that this version reads runs lines: deny");
	}
	return STR("unknown");
}

void explain_eval_line(struct explain_answer *ans, const struct ir *ir,
		       const struct eval_decision *d)
{
	const struct eval_line *line = d->line;
	size_t i;

	ans->line = &line->cmd;
	for (i = 0; i < line->nparts; i++)
		add_part(ans, ir, &line->parts[i]);
	ans->step = line_step(ans, line);
	if (line->why == EVAL_LW_NOTHING ||
	    (line->why == EVAL_LW_PART && nobody_said(&line->parts[line->deciding])))
		ans->by = nobody(d->effect);
}
