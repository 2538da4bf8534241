/* The text dump of facts: first as they were written, then what they say, by name. */
#include "compiler/ir/print.h"
#include "compiler/ir/words.h"

static void put_written(FILE *out, const struct ir *ir)
{
	size_t i;

	for (i = 0; i < ir->risks.n; i++) {
		const struct ir_risk_fact *f = &ir->risks.v[i];

		fprintf(out, "risk %s %s", ir_risk_name(f->risk),
			f->kind == IR_TOOL ? "tool " : "");
		ir_print_set(out, f->kind, &f->set);
		ir_print_said(out, f->level, &f->at);
		ir_print_except(out, f->kind, f->except, f->nexcept);
	}
	for (i = 0; i < ir->facts.n; i++) {
		const struct ir_fact *f = &ir->facts.v[i];

		fputs("fact ", out);
		ir_print_str(out, f->kind);
		fputc(' ', out);
		ir_print_quoted(out, f->text);
		ir_print_said(out, f->level, &f->at);
	}
}

static void put_when(FILE *out, const struct ir_when *w)
{
	if (!w->is)
		return;
	fputs(" when /", out);
	ir_print_str(out, w->text);
	fprintf(out, "/%s%s", w->i ? "i" : "", w->x ? "x" : "");
}

/*
 * Prints an option as "-o=", "-c= code".  '=': it takes a value; '[=]': an attached
 * one; '=?': a value in some places; '?': nobody says what it takes.
 */
static void put_option(FILE *out, const struct ir_optspec *o, bool other_name)
{
	static const char *const takes[] = { "", "=", "[=]", "=?" };

	fputs(other_name ? "|" : ", ", out);
	ir_print_str(out, o->name);
	fputs(o->says_takes ? takes[o->takes] : "?", out);
	ir_print_flags(out, &ir_words_option_flag, o->flags);
	put_when(out, &o->when);
}

static void put_texts(FILE *out, const char *word, const struct str *v, size_t n)
{
	if (n)
		fprintf(out, ", %s", word);
	for (size_t i = 0; i < n; i++) {
		fputc(' ', out);
		ir_print_str(out, v[i]);
	}
}

static void put_operand(FILE *out, const struct ir_code_place *c)
{
	fprintf(out, ", %s operand ", ir_word(&ir_words_place, c->kind));
	if (c->operand >= LINE_REST_OPERAND)
		fputs(c->operand == LINE_ANY_OPERAND ? "any" : c->operand == LINE_LAST_OPERAND ?
			      "last" : "rest", out);
	else
		fprintf(out, "%s%u", c->operand >= LINE_FROM_OPERAND ? "from-" : "",
			c->operand & UINT8_MAX);
}

static void put_program(FILE *out, const struct ir_program *p)
{
	fprintf(out, "%s ", ir_word(&ir_words_program, p->kind));
	ir_print_str(out, p->name);
	ir_print_flags(out, &ir_words_program_flag, p->flags);
	if (p->skip)
		fprintf(out, " skip %u", p->skip);
	for (size_t i = 0; i < p->noptions; i++)
		put_option(out, &p->options[i],
			   i > 0 && p->options[i].same == p->options[i - 1].same);
	for (size_t i = 0; i < p->ncodes; i++) {
		put_operand(out, &p->codes[i]);
		put_when(out, &p->codes[i].when);
	}
	put_texts(out, "after", p->after, p->nafter);
	put_texts(out, "ends-at", p->ends, p->nends);
	put_texts(out, "also", p->also, p->nalso);
	put_texts(out, "script default", p->defaults, p->ndefaults);
	ir_print_said(out, p->level, &p->at);
}

static void put_pins(FILE *out, const struct ir *ir)
{
	for (size_t i = 0; i < ir->pins.n; i++) {
		const struct ir_pin *p = &ir->pins.v[i];

		fprintf(out, "pin %.*s = ", STR_ARG(p->name));
		ir_print_quoted(out, p->path);
		if (p->sha256.n)
			fprintf(out, " sha256 %.*s", STR_ARG(p->sha256));
		ir_print_said(out, p->level, &p->at);
	}
	if (!ir->shell.level)
		return;
	fprintf(out, "shell %.*s", STR_ARG(ir->shell.name));
	if (ir->shell.path.n) {
		fputs(" = ", out);
		ir_print_quoted(out, ir->shell.path);
	}
	ir_print_said(out, ir->shell.level, &ir->shell.at);
}

void ir_print_facts(FILE *out, const struct ir *ir)
{
	put_written(out, ir);
	for (size_t i = 0; i < ir->programs.n; i++)
		put_program(out, &ir->programs.v[i]);
	for (size_t i = 0; i < ir->vars.n; i++) {
		fprintf(out, "%s ", ir->vars.v[i].taint ? "taint" : "safe");
		ir_print_str(out, ir->vars.v[i].name);
		ir_print_said(out, ir->vars.v[i].level, &ir->vars.v[i].at);
	}
	for (size_t i = 0; i < ir->inert.n; i++) {
		fputs("inert ", out);
		ir_print_set(out, IR_COMMAND, &ir->inert.v[i].set);
		ir_print_said(out, ir->inert.v[i].level, &ir->inert.v[i].at);
		ir_print_except(out, IR_COMMAND, ir->inert.v[i].except,
				ir->inert.v[i].nexcept);
	}
	put_pins(out, ir);
}
