/*
 * The stable text dump of the IR, for goldens and `polc dump`.  Each rule has one line
 * with its meaning; its exceptions and the rules that lift it follow, indented.
 */
#include <inttypes.h>

#include "compiler/ir/print.h"
#include "compiler/ir/value.h"

/* --- rules ----------------------------------------------------------------- */

static void put_flags(FILE *out, const struct ir_rule *r)
{
	if (r->final)
		fputs(" final", out);
	if (r->floor)
		fputs(" floor", out);
	if (r->scratch)
		fputs(" scratch", out);
	if (r->soft)
		fputs(" soft", out);
	if (!r->full)
		fputs(" narrow-only", out);
	if (r->may_yes)
		fputs(" may yes", out);
	if (r->until.n)
		fprintf(out, " until %.*s", STR_ARG(r->until));
	if (r->role.n)
		fprintf(out, " of role %.*s", STR_ARG(r->role));
	if (r->scopes != IR_ALL_SCOPES)
		fputs(r->scopes == IR_SANDBOX ? " in sandbox" :
		      r->scopes == IR_HOST    ? " in host" :
						" in no scope", out);
	if (r->err)
		fprintf(out, " errno %u", r->err);
}

static void put_rule(FILE *out, const struct ir_rule *r)
{
	size_t i;

	fprintf(out, "%4u  %s %s %s ", r->index, ir_level_name(r->level),
		ir_effect_name(r->effect), ir_kind_name(r->kind));
	ir_print_set(out, r->kind, &r->set);
	put_flags(out, r);
	fputs("  # ", out);
	ir_print_str(out, r->id);
	fputc(' ', out);
	ir_print_place(out, &r->at);
	fputc('\n', out);
	ir_print_except(out, r->kind, r->except, r->nexcept);
	if (r->because.n) {
		fputs("        because ", out);
		ir_print_quoted(out, r->because);
		fputc('\n', out);
	}
	for (i = 0; i < r->nlifted_by; i++)
		fprintf(out, "%s%u%s", i ? ", " : "        lifted by ", r->lifted_by[i],
			i + 1 == r->nlifted_by ? "\n" : "");
}

/* --- scalars ------------------------------------------------------------------ */

static void put_value(FILE *out, enum ir_scalar_type t, const struct ir_scalar *s)
{
	int i;

	switch (t) {
	case IR_T_OTHERWISE:
		if (s->by_risk) {
			fputs("by risk {", out);
			for (i = 0; i < IR_RISK_COUNT; i++)
				fprintf(out, " %s %s", ir_risk_name((enum ir_risk)i),
					ir_effect_name(s->effects[i]));
			fputs(" }", out);
			return;
		}
		fputs(ir_effect_name(s->effect), out);
		return;
	case IR_T_EFFECT:
		fputs(ir_effect_name(s->effect), out);
		return;
	case IR_T_MODE:
		fputs(ir_mode_name((enum ir_mode)s->num), out);
		return;
	case IR_T_SIZE:
	case IR_T_COUNT:
		fprintf(out, "%" PRIu64, s->num);
		return;
	case IR_T_DURATION:
		fprintf(out, "%" PRIu64 "ms", s->num);
		return;
	case IR_T_MILLI:
		fprintf(out, "%" PRIu64 ".%03" PRIu64, s->num / 1000, s->num % 1000);
		return;
	case IR_T_NAME:
		ir_print_str(out, s->text);
		return;
	}
}

static void put_scalar(FILE *out, enum ir_scalar_id id, const struct ir_scalar *s)
{
	enum ir_scalar_type t = ir_scalar_type(id);
	bool limit = strcmp(ir_scalar_section(id), "limits") == 0;
	size_t i;

	if (!s->set && (limit || ir_is_of_sandbox(id)))
		return;
	fprintf(out, "%s %s = ", ir_scalar_section(id), ir_scalar_key(id));
	put_value(out, t, s);
	fputs(s->locked ? " locked" : "", out);
	if (s->role.n)
		fprintf(out, " of role %.*s", STR_ARG(s->role));
	ir_print_said(out, s->level, &s->at);
	for (i = 0; i < s->nover; i++) {
		fputs("        over ", out);
		put_value(out, t, &s->over[i]);
		ir_print_said(out, s->over[i].level, &s->over[i].at);
	}
}

/* --- the rest ---------------------------------------------------------------- */

static void print_env(FILE *out, const struct ir *ir)
{
	size_t i;

	for (i = 0; i < ir->keep.n; i++) {
		fputs("env keep ", out);
		ir_print_str(out, ir->keep.v[i].name);
		ir_print_said(out, ir->keep.v[i].level, &ir->keep.v[i].at);
	}
	for (i = 0; i < ir->env.n; i++) {
		fputs("env set ", out);
		ir_print_str(out, ir->env.v[i].name);
		fputs(" = ", out);
		ir_print_quoted(out, ir->env.v[i].value);
		ir_print_said(out, ir->env.v[i].level, &ir->env.v[i].at);
	}
	for (i = 0; i < ir->secrets.n; i++) {
		const struct ir_env_secret *e = &ir->secrets.v[i];

		fprintf(out, "env secret %.*s from %s ", STR_ARG(e->name),
			e->file ? "file" : "store");
		ir_print_quoted(out, e->from);
		ir_print_said(out, e->level, &e->at);
	}
	for (i = 0; i < ir->env_locks.n; i++) {
		const struct ir_env_lock *k = &ir->env_locks.v[i];

		fprintf(out, "env locked %.*s  # %s ",
			STR_ARG(k->keep ? STR("keep") : k->name), ir_level_name(k->level));
		ir_print_place(out, &k->at);
		fputc('\n', out);
	}
}

static void print_mounts(FILE *out, const struct ir *ir)
{
	for (size_t i = 0; i < ir->mounts.n; i++) {
		const struct ir_rule *r = ir->rules.v[ir->mounts.v[i].rule];

		fprintf(out, "mount %.*s of ", STR_ARG(ir->mounts.v[i].place));
		ir_print_set(out, IR_FILE, &r->set);
		ir_print_said(out, r->level, &r->at);
	}
}

static void print_publish(FILE *out, const struct ir *ir)
{
	for (size_t i = 0; i < ir->publish.n; i++) {
		const struct ir_publish *p = &ir->publish.v[i];

		fprintf(out, "%s tcp %u-%u", p->deny ? "deny publish" : "publish", p->lo, p->hi);
		ir_print_said(out, p->level, &p->at);
	}
}

static void print_dropped(FILE *out, const struct ir *ir)
{
	size_t i;

	for (i = 0; i < ir->dropped.n; i++) {
		const struct ir_dropped *d = &ir->dropped.v[i];

		fprintf(out, "dropped %s ", ir_level_name(d->level));
		ir_print_quoted(out, d->text);
		fputs(": ", out);
		ir_print_str(out, d->why);
		if (d->by.line) {
			fputs(" by ", out);
			ir_print_place(out, &d->by);
		}
		fputs("  # ", out);
		ir_print_place(out, &d->at);
		fputc('\n', out);
	}
}

static void print_tests(FILE *out, const struct ir *ir)
{
	size_t i, k;

	for (i = 0; i < ir->tests.n; i++) {
		const struct ir_test *t = &ir->tests.v[i];

		fputs("test ", out);
		ir_print_quoted(out, t->name);
		fputs("  # ", out);
		ir_print_place(out, &t->at);
		fputc('\n', out);
		for (k = 0; k < t->ncases; k++) {
			const struct ir_test_case *c = &t->cases[k];

			fprintf(out, "        %s ", ir_kind_name(c->request.kind));
			ir_print_quoted(out, c->request.text);
			fprintf(out, " => %s", ir_effect_name(c->want));
			if (c->by.n) {
				fputs(" by ", out);
				ir_print_str(out, c->by);
			}
			fputc('\n', out);
		}
	}
}

static void print_assertions(FILE *out, const struct ir *ir)
{
	size_t i, k;

	for (i = 0; i < ir->assertions.n; i++) {
		const struct ir_assertion *s = &ir->assertions.v[i];

		fprintf(out, "assert at least %s  # ", ir_effect_name(s->least));
		ir_print_str(out, s->id);
		if (s->role.n)
			fprintf(out, " of role %.*s", STR_ARG(s->role));
		fprintf(out, " %s ", ir_level_name(s->level));
		ir_print_place(out, &s->at);
		fputc('\n', out);
		for (k = 0; k < s->nbounds; k++) {
			const struct ir_bound *b = &s->bounds[k];

			fprintf(out, "        %s ", ir_kind_name(b->kind));
			ir_print_set(out, b->kind, &b->set);
			fprintf(out, "%s\n", b->scopes == IR_SANDBOX ? " in sandbox" :
					      b->scopes == IR_HOST    ? " in host" : "");
			ir_print_except(out, b->kind, b->except, b->nexcept);
		}
	}
}

static void print_examples(FILE *out, const struct ir *ir)
{
	size_t i;

	for (i = 0; i < ir->examples.n; i++) {
		const struct ir_example *x = &ir->examples.v[i];

		fprintf(out, "example %s ", ir_kind_name(x->request.kind));
		ir_print_quoted(out, x->request.text);
		fputs(x->matches ? " of " : " not of ", out);
		ir_print_str(out, x->rule);
		fputs("  # ", out);
		ir_print_place(out, &x->at);
		fputc('\n', out);
	}
}

static void print_settings(FILE *out, const struct ir *ir)
{
	struct buf b;
	size_t i, k;

	buf_init(&b, ir->a);
	for (i = 0; i < ir->settings.n; i++) {
		const struct ir_setting *s = &ir->settings.v[i];

		b.n = 0;
		ir_value_json(&b, &s->value);
		fprintf(out, "%s %.*s = ", ir_part_name(s->part), STR_ARG(s->key));
		ir_print_str(out, buf_view(&b));
		fprintf(out, "%s%s", s->locked ? " locked" : "",
			s->acts ? "" : " carried");
		if (s->role.n)
			fprintf(out, " of role %.*s", STR_ARG(s->role));
		ir_print_said(out, s->level, &s->at);
		for (k = 0; k < s->nover; k++) {
			b.n = 0;
			ir_value_json(&b, &s->over[k].value);
			fputs("        over ", out);
			ir_print_str(out, buf_view(&b));
			ir_print_said(out, s->over[k].level, &s->over[k].at);
		}
	}
}

static void print_roles(FILE *out, const struct ir *ir)
{
	size_t i;

	for (i = 0; i < ir->roles.n; i++) {
		fprintf(out, "role %.*s  # ", STR_ARG(ir->roles.v[i].name));
		ir_print_place(out, &ir->roles.v[i].at);
		fputc('\n', out);
	}
}

static void print_rest(FILE *out, const struct ir *ir)
{
	print_env(out, ir);
	print_settings(out, ir);
	print_roles(out, ir);
	ir_print_facts(out, ir);
	print_mounts(out, ir);
	print_publish(out, ir);
	print_dropped(out, ir);
	print_tests(out, ir);
	print_assertions(out, ir);
	print_examples(out, ir);
}

void ir_print(FILE *out, const struct ir *ir)
{
	size_t i;

	fputs("policy ", out);
	ir_print_quoted(out, ir->name);
	fprintf(out, " serial %" PRIu64, ir->serial);
	if (ir->expires.n) {
		fputs(" expires ", out);
		ir_print_str(out, ir->expires);
	}
	if (ir->role.n)
		fprintf(out, " role %.*s", STR_ARG(ir->role));
	if (ir->until.n)
		fprintf(out, " until %.*s", STR_ARG(ir->until));
	fprintf(out, "%s\n", ir->base_none ? " base none" : "");
	for (i = 0; i < ir->files.n; i++) {
		fprintf(out, "file %s%s ", ir_level_name(ir->files.v[i].level),
			ir->files.v[i].narrow ? " narrow-only" : "");
		ir_print_str(out, ir->files.v[i].name);
		fputc('\n', out);
	}
	for (i = 0; i < IR_KIND_COUNT; i++) {
		if (!ir->locked[i].level)
			continue;
		fprintf(out, "locked %s by %s  # ", ir_kind_name((enum ir_kind)i),
			ir_level_name(ir->locked[i].level));
		ir_print_place(out, &ir->locked[i].at);
		fputc('\n', out);
	}
	for (i = 0; i < ir->rules.n; i++)
		put_rule(out, ir->rules.v[i]);
	for (i = 0; i < IR_SCALAR_COUNT; i++)
		put_scalar(out, (enum ir_scalar_id)i, &ir->scalars[i]);
	print_rest(out, ir);
}
