/*
 * Turns rules that decide nothing (analysis/lint.h) into messages: one for each statement;
 * and with --verbose names the tests and examples that reach one statement only.
 * Rules of the standard library are looked at only in a library file that was named.
 */
#include "compiler/cli/lints.h"

#include <stdlib.h>

#include "compiler/analysis/lint.h"
#include "compiler/cli/tests.h"
#include "compiler/eval/eval.h"
#include "compiler/ir/print.h"

/* At most this many patterns of one statement, and rules for each, are shown. */
#define MAX_SHOWN 4

/* --- which rules ---------------------------------------------------------------------- */

static bool is_own(const struct compilation *c, uint32_t file)
{
	size_t i;

	if (file >= c->map.files.n)
		return false;
	for (i = 0; i < c->sema.units.n; i++)
		if (c->sema.units.v[i]->file == file && c->sema.units.v[i]->named)
			return true;
	return !c->map.files.v[file].library;
}

static const bool *asked(const struct compilation *c)
{
	bool *own = arena_array(c->a, c->map.files.n + 1, sizeof(*own));
	bool *ret = arena_array(c->a, c->ir->rules.n + 1, sizeof(*ret));
	size_t i;

	for (i = 0; i < c->map.files.n; i++)
		own[i] = is_own(c, (uint32_t)i);
	for (i = 0; i < c->ir->rules.n; i++) {
		uint32_t file = c->ir->rules.v[i]->at.span.file;

		ret[i] = file < c->map.files.n && own[file];
	}
	return ret;
}

/* The worst that a layer says about each rule. */
static const uint8_t *weakness(const struct compilation *c)
{
	uint8_t *ret = arena_array(c->a, c->ir->rules.n + 1, sizeof(*ret));
	size_t i;

	for (i = 0; i < c->report.notes.n; i++) {
		const struct bk_note *n = &c->report.notes.v[i];

		if (n->rule && n->exactness > ret[n->rule->index])
			ret[n->rule->index] = (uint8_t)n->exactness;
	}
	return ret;
}

/* --- words ------------------------------------------------------------------------------- */

static struct str path_text(struct compilation *c, const struct ir_rule *r)
{
	if (r->kind == IR_UNIX)
		return r->set.u.unix_path.text;
	return str_printf(c->a, "%s %.*s", ir_op_name((enum ir_op)r->set.u.file.ops),
			  STR_ARG(r->set.u.file.path.text));
}

/* One pattern of a statement, as written or in the form of the dump. */
static struct str pattern_of(struct compilation *c, const struct ir_rule *r)
{
	const struct ir_command *cmd = r->kind == IR_COMMAND ? &r->set.u.command : NULL;
	struct str shown = r->text;
	char *text = NULL;
	size_t n = 0;
	FILE *out;

	if (cmd && !cmd->nguards && !cmd->regex && cmd->text.n)
		return cmd->text;
	if (r->kind == IR_UNIX || (r->kind == IR_FILE && r->effect != IR_HIDE))
		return path_text(c, r);
	out = open_memstream(&text, &n);
	if (!out)
		return shown;
	ir_print_set(out, r->kind, &r->set);
	if (fclose(out) == 0)
		shown = str_dup(c->a, (struct str){ text, n });
	free(text);
	return shown;
}

static bool same_place(const struct ir_rule *x, const struct ir_rule *y)
{
	return x->at.span.file == y->at.span.file && x->at.span.off == y->at.span.off &&
	       x->at.span.len == y->at.span.len;
}

static size_t rules_at(const struct ir *ir, const struct ir_rule *r)
{
	size_t i, n = 0;

	for (i = 0; i < ir->rules.n; i++)
		n += same_place(ir->rules.v[i], r);
	return n;
}

static const struct {
	enum diag_code code;
	const char *says;
} kinds[] = {
	[LINT_DEAD] = { DIAG_RULE_DEAD, "decides nothing: what it matches is decided more "
					"strictly" },
	[LINT_OPPOSITE] = { DIAG_RULE_OPPOSITE, "decides nothing: another rule says the "
						"opposite of the same requests" },
	[LINT_REDUNDANT] = { DIAG_RULE_REDUNDANT, "changes nothing: what it matches is "
						  "decided alike without it" },
	[LINT_OVERRULED] = { DIAG_RULE_OVERRULED, "decides nothing here: a higher level "
						  "decides what it matches" },
};

/* The statement, or of one with several patterns the pattern that counts. */
static struct str shown(struct compilation *c, const struct ir_rule *r)
{
	if (rules_at(c->ir, r) == 1)
		return r->text;
	return str_printf(c->a, "%s %.*s", ir_effect_name(r->effect),
			  STR_ARG(pattern_of(c, r)));
}

static void note_by(struct compilation *c, struct diag *d, const struct lint_finding *f)
{
	size_t i;

	for (i = 0; i < f->nby && i < MAX_SHOWN; i++) {
		const struct ir_rule *by = f->by[i];

		diag_note(&c->sink, d, by->at.span, "%s'%.*s' (%s%s%s)",
			  f->nby == 1 ? "decided by " : i ? "and by " : "decided by ",
			  STR_ARG(shown(c, by)), by->final ? "final, " : "",
			  by->floor ? "the floor, " : "", ir_level_name(by->level));
	}
	if (f->nby > MAX_SHOWN)
		diag_note(&c->sink, d, SPAN_NONE, "and by %zu more rules",
			  f->nby - MAX_SHOWN);
}

static void help_for(struct compilation *c, struct diag *d, const struct lint_finding *f)
{
	if (f->links)
		diag_help(&c->sink, d, "if a symbolic link leads out of it, the rule also allows "
			  "the link's target: then name the target");
	if (f->kind == LINT_OVERRULED)
		diag_help(&c->sink, d, "without the policy of that level this rule decides "
			  "again");
	else if (f->kind == LINT_OPPOSITE)
		diag_help(&c->sink, d, "the stricter rule decides; drop the one that is not "
			  "meant");
	else if (f->kind == LINT_DEAD && f->by[0]->level == IR_DEFAULT)
		diag_help(&c->sink, d, "it is part of no single default that it could lift");
}

/* --- messages ---------------------------------------------------------------------------- */

/* The findings [i, end) are about one statement and of one kind. */
static void say(struct compilation *c, const struct lint_finding *v, size_t n)
{
	const struct ir_rule *r = v[0].rule;
	bool whole = rules_at(c->ir, r) == n;
	struct diag *d;
	size_t i;

	if (whole)
		d = diag_add(&c->sink, kinds[v[0].kind].code, r->at.span, "'%.*s' %s",
			     STR_ARG(r->text), kinds[v[0].kind].says);
	else
		d = diag_add(&c->sink, kinds[v[0].kind].code, r->at.span,
			     "'%.*s', which is a part of this rule, %s",
			     STR_ARG(pattern_of(c, r)), kinds[v[0].kind].says);
	note_by(c, d, &v[0]);
	for (i = 1; i < n && i < MAX_SHOWN; i++) {
		diag_note(&c->sink, d, SPAN_NONE, "so it is with '%.*s'",
			  STR_ARG(pattern_of(c, v[i].rule)));
		note_by(c, d, &v[i]);
	}
	if (n > MAX_SHOWN)
		diag_note(&c->sink, d, SPAN_NONE, "and with %zu more of its patterns",
			  n - MAX_SHOWN);
	help_for(c, d, &v[0]);
}

static void say_open(struct compilation *c, const struct lint_result *all)
{
	struct diag *d;
	size_t i;

	if (!c->o->verbose || (!all->open.n && !all->nrest))
		return;
	d = diag_add(&c->sink, DIAG_LINT_OPEN, SPAN_NONE,
		     "whether they decide anything was not found out of %zu rule%s",
		     all->open.n + all->nrest, all->open.n + all->nrest == 1 ? "" : "s");
	for (i = 0; i < all->open.n && i < MAX_SHOWN; i++) {
		diag_note(&c->sink, d, all->open.v[i].rule->at.span, "not decided: '%.*s'",
			  STR_ARG(pattern_of(c, all->open.v[i].rule)));
		diag_note(&c->sink, d, all->open.v[i].by->at.span,
			  "because of options, a regular expression or an exception of this "
			  "rule");
	}
	if (all->open.n > MAX_SHOWN)
		diag_note(&c->sink, d, SPAN_NONE, "and %zu more that are not decided",
			  all->open.n - MAX_SHOWN);
	if (all->rest)
		diag_note(&c->sink, d, all->rest->at.span,
			  "not looked at, since it takes too long: this rule and those before "
			  "it (%zu)", all->nrest);
}

/* --- examples that reach one rule only ------------------------------------------------------ */

/* The requests of tests and examples that nothing but one statement matches. */
struct reached {
	const struct ir_rule *rule; /* the first of the statement */
	VEC(struct ir_place) at;
};

struct reach {
	struct compilation *c;
	const bool *own;
	VEC(struct reached) v;
};

/* The only statement that matches the request, or NULL. */
static const struct ir_rule *only_match(struct compilation *c, struct ir_request q)
{
	const struct ir_rule *ret = NULL;
	struct eval_decision d;
	struct arena tmp;
	size_t i;

	arena_init(&tmp, ARENA_DEFAULT_BUDGET);
	if (tests_place(&tmp, &q)) {
		eval_decide(c->ir, &q, &tmp, &d);
		for (i = 0; i < d.nmatched; i++) {
			if (ret && !same_place(ret, d.matched[i]))
				break;
			ret = ret ? ret : d.matched[i];
		}
		if (i < d.nmatched)
			ret = NULL;
	}
	arena_release(&tmp);
	return ret;
}

static void add_reached(struct reach *x, const struct ir_request *q, struct ir_place at)
{
	const struct ir_rule *r = only_match(x->c, *q);
	struct reached fresh = { .rule = r };
	size_t i;

	if (!r || !x->own[r->index])
		return;
	for (i = 0; i < x->v.n && !same_place(x->v.v[i].rule, r); i++)
		;
	if (i == x->v.n)
		VEC_PUSH(x->c->a, &x->v, fresh);
	VEC_PUSH(x->c->a, &x->v.v[i].at, at);
}

static void say_reached(struct compilation *c, const bool *own)
{
	struct reach x = { .c = c, .own = own };
	size_t i, k;

	for (i = 0; i < c->ir->examples.n; i++)
		if (c->ir->examples.v[i].matches)
			add_reached(&x, &c->ir->examples.v[i].request, c->ir->examples.v[i].at);
	for (i = 0; i < c->ir->tests.n; i++)
		for (k = 0; k < c->ir->tests.v[i].ncases; k++)
			add_reached(&x, &c->ir->tests.v[i].cases[k].request,
				    c->ir->tests.v[i].cases[k].at);
	for (i = 0; i < x.v.n; i++) {
		const struct reached *r = &x.v.v[i];
		struct diag *d = diag_add(&c->sink, DIAG_RULE_REACHED, r->rule->at.span,
					  "%zu example%s or test%s of this policy: only '%.*s' "
					  "matches", r->at.n, r->at.n == 1 ? "" : "s",
					  r->at.n == 1 ? "" : "s", STR_ARG(r->rule->text));

		for (k = 0; k < r->at.n && k < MAX_SHOWN; k++)
			diag_note(&c->sink, d, r->at.v[k].span, "no other rule matches this");
		if (k < r->at.n)
			diag_note(&c->sink, d, SPAN_NONE, "and %zu more", r->at.n - k);
	}
}

bool lints_rules(struct compilation *c)
{
	struct lint_input in = { .ir = c->ir, .asked = asked(c), .weak = weakness(c) };
	struct lint_result all;
	size_t i, n;

	lint_rules(&in, c->a, &all);
	for (i = 0; i < all.findings.n; i += n) {
		const struct lint_finding *f = &all.findings.v[i];

		for (n = 1; i + n < all.findings.n && f[n].kind == f->kind &&
			    same_place(f[n].rule, f->rule);
		     n++)
			;
		say(c, f, n);
	}
	say_open(c, &all);
	if (c->o->verbose)
		say_reached(c, in.asked);
	return !all.nrest;
}
