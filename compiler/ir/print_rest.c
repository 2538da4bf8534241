/*
 * The rest of the text dump: variables, settings, facts, what was dropped,
 * tests; one line each.
 */
#include "compiler/ir/print.h"
#include "compiler/ir/value.h"

static void print_env(FILE *out, const struct ir *ir)
{
	size_t i;

	for (i = 0; i < ir->keep.n; i++) {
		fputs("env keep ", out);
		ir_print_str(out, ir->keep.v[i].name);
		fprintf(out, "  # %s ", ir_level_name(ir->keep.v[i].level));
		ir_print_place(out, &ir->keep.v[i].at);
		fputc('\n', out);
	}
	for (i = 0; i < ir->env.n; i++) {
		fputs("env set ", out);
		ir_print_str(out, ir->env.v[i].name);
		fputs(" = ", out);
		ir_print_quoted(out, ir->env.v[i].value);
		fprintf(out, "  # %s ", ir_level_name(ir->env.v[i].level));
		ir_print_place(out, &ir->env.v[i].at);
		fputc('\n', out);
	}
	for (i = 0; i < ir->secrets.n; i++) {
		const struct ir_env_secret *e = &ir->secrets.v[i];

		fprintf(out, "env secret %.*s from %s ", STR_ARG(e->name),
			e->file ? "file" : "store");
		ir_print_quoted(out, e->from);
		fprintf(out, "  # %s ", ir_level_name(e->level));
		ir_print_place(out, &e->at);
		fputc('\n', out);
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
		fprintf(out, "  # %s ", ir_level_name(r->level));
		ir_print_place(out, &r->at);
		fputc('\n', out);
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
		fprintf(out, "  # %s ", ir_level_name(s->level));
		ir_print_place(out, &s->at);
		fputc('\n', out);
		for (k = 0; k < s->nover; k++) {
			b.n = 0;
			ir_value_json(&b, &s->over[k].value);
			fputs("        over ", out);
			ir_print_str(out, buf_view(&b));
			fprintf(out, "  # %s ", ir_level_name(s->over[k].level));
			ir_print_place(out, &s->over[k].at);
			fputc('\n', out);
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

void ir_print_rest(FILE *out, const struct ir *ir)
{
	print_env(out, ir);
	print_settings(out, ir);
	print_roles(out, ir);
	ir_print_facts(out, ir);
	print_mounts(out, ir);
	print_dropped(out, ir);
	print_tests(out, ir);
	print_examples(out, ir);
}
