/* The canonical JSON of facts (doc/ir.md). */
#include "compiler/ir/facts_words.h"
#include "compiler/ir/json_set.h"

static void put_risks(struct buf *b, const struct ir *ir)
{
	size_t i;

	ir_json_key(b, "risks");
	buf_ch(b, '[');
	for (i = 0; i < ir->risks.n; i++) {
		const struct ir_risk_fact *f = &ir->risks.v[i];

		ir_json_record(b, i);
		ir_json_word(b, "risk", ir_risk_name(f->risk));
		ir_json_word(b, "kind", ir_kind_name(f->kind));
		ir_json_said(b, f->level, f->id, &f->at);
		ir_json_sets(b, f->kind, &f->set, f->except, f->nexcept);
		buf_ch(b, '}');
	}
	buf_ch(b, ']');
}

static void put_written(struct buf *b, const struct ir *ir)
{
	size_t i;

	ir_json_key(b, "facts");
	buf_ch(b, '[');
	for (i = 0; i < ir->facts.n; i++) {
		ir_json_record(b, i);
		ir_json_str(b, "kind", ir->facts.v[i].kind);
		ir_json_str(b, "text", ir->facts.v[i].text);
		ir_json_word(b, "level", ir_level_name(ir->facts.v[i].level));
		ir_json_place(b, "at", &ir->facts.v[i].at);
		buf_ch(b, '}');
	}
	buf_ch(b, ']');
}

static void put_when(struct buf *b, const struct ir_when *w)
{
	if (!w->is)
		return;
	ir_json_key(b, "when");
	buf_ch(b, '{');
	ir_json_flag(b, "i", w->i);
	ir_json_flag(b, "x", w->x);
	ir_json_str(b, "text", w->text);
	buf_ch(b, '}');
}

static void put_option(struct buf *b, const struct ir_optspec *o)
{
	buf_ch(b, '{');
	ir_json_str(b, "name", o->name);
	ir_json_word(b, "takes", ir_takes_words[o->takes]);
	ir_json_flag(b, "says_takes", o->says_takes);
	ir_json_flag(b, "global", o->global);
	ir_json_flag(b, "code", o->code);
	ir_json_flag(b, "query", o->query);
	ir_json_num(b, "same", o->same);
	put_when(b, &o->when);
	buf_ch(b, '}');
}

static void put_texts(struct buf *b, const char *key, const struct str *v, size_t n)
{
	ir_json_key(b, key);
	buf_ch(b, '[');
	for (size_t i = 0; i < n; i++) {
		ir_json_comma(b, i);
		buf_json(b, v[i]);
	}
	buf_ch(b, ']');
}

static void put_program(struct buf *b, const struct ir_program *p)
{
	ir_json_str(b, "name", p->name);
	ir_json_word(b, "kind", ir_program_kind_word(p->kind));
	ir_json_word(b, "level", ir_level_name(p->level));
	ir_json_place(b, "at", &p->at);
	for (size_t i = 0; i < IR_PROGRAM_FLAGS; i++)
		ir_json_flag(b, ir_program_flag_words[i], p->flags >> i & 1);
	ir_json_num(b, "skip", p->skip);
	ir_json_key(b, "options");
	buf_ch(b, '[');
	for (size_t i = 0; i < p->noptions; i++) {
		ir_json_comma(b, i);
		put_option(b, &p->options[i]);
	}
	buf_ch(b, ']');
	ir_json_key(b, "codes");
	buf_ch(b, '[');
	for (size_t i = 0; i < p->ncodes; i++) {
		ir_json_comma(b, i);
		buf_ch(b, '{');
		ir_json_flag(b, "any", p->codes[i].operand == IR_ANY_OPERAND);
		if (p->codes[i].operand != IR_ANY_OPERAND)
			ir_json_num(b, "operand", p->codes[i].operand);
		put_when(b, &p->codes[i].when);
		buf_ch(b, '}');
	}
	buf_ch(b, ']');
	put_texts(b, "after", p->after, p->nafter);
	put_texts(b, "ends", p->ends, p->nends);
}

static void put_programs(struct buf *b, const struct ir *ir)
{
	ir_json_key(b, "programs");
	buf_ch(b, '[');
	for (size_t i = 0; i < ir->programs.n; i++) {
		ir_json_record(b, i);
		put_program(b, &ir->programs.v[i]);
		buf_ch(b, '}');
	}
	buf_ch(b, ']');
}

static void put_vars(struct buf *b, const struct ir *ir)
{
	ir_json_key(b, "vars");
	buf_ch(b, '[');
	for (size_t i = 0; i < ir->vars.n; i++) {
		const struct ir_var *v = &ir->vars.v[i];

		ir_json_record(b, i);
		ir_json_str(b, "name", v->name);
		ir_json_flag(b, "taint", v->taint);
		ir_json_word(b, "level", ir_level_name(v->level));
		ir_json_place(b, "at", &v->at);
		buf_ch(b, '}');
	}
	buf_ch(b, ']');
}

static void put_inert(struct buf *b, const struct ir *ir)
{
	ir_json_key(b, "inert");
	buf_ch(b, '[');
	for (size_t i = 0; i < ir->inert.n; i++) {
		const struct ir_inert *f = &ir->inert.v[i];

		ir_json_record(b, i);
		ir_json_word(b, "level", ir_level_name(f->level));
		ir_json_place(b, "at", &f->at);
		ir_json_sets(b, IR_COMMAND, &f->set, f->except, f->nexcept);
		buf_ch(b, '}');
	}
	buf_ch(b, ']');
}

static void put_pins(struct buf *b, const struct ir *ir)
{
	ir_json_key(b, "pins");
	buf_ch(b, '[');
	for (size_t i = 0; i < ir->pins.n; i++) {
		const struct ir_pin *p = &ir->pins.v[i];

		ir_json_record(b, i);
		ir_json_str(b, "name", p->name);
		ir_json_str(b, "path", p->path);
		ir_json_str(b, "sha256", p->sha256);
		ir_json_said(b, p->level, p->id, &p->at);
		buf_ch(b, '}');
	}
	buf_ch(b, ']');
}

/* null: nobody says it. */
static void put_shell(struct buf *b, const struct ir_shell *s)
{
	ir_json_key(b, "shell");
	if (!s->level) {
		buf_z(b, "null");
		return;
	}
	buf_ch(b, '{');
	ir_json_str(b, "name", s->name);
	ir_json_str(b, "path", s->path);
	ir_json_word(b, "level", ir_level_name(s->level));
	ir_json_place(b, "at", &s->at);
	buf_ch(b, '}');
}

void ir_json_facts(struct buf *b, const struct ir *ir)
{
	put_risks(b, ir);
	put_written(b, ir);
	put_programs(b, ir);
	put_vars(b, ir);
	put_inert(b, ir);
	put_pins(b, ir);
	put_shell(b, &ir->shell);
}
