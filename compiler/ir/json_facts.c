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

static bool same_when(const struct ir_when *x, const struct ir_when *y)
{
	return x->is == y->is && x->i == y->i && x->x == y->x && str_eq(x->text, y->text);
}

/* May it stand in the record of the option before it: is all but the name the same,
 * and its number that one's or the next? */
static bool goes_on(const struct ir_optspec *o, const struct ir_optspec *before)
{
	return o->takes == before->takes && o->says_takes == before->says_takes &&
	       o->global == before->global && o->code == before->code &&
	       o->query == before->query && o->moves == before->moves &&
	       o->runs == before->runs && o->leads == before->leads &&
	       o->reads == before->reads &&
	       o->writes == before->writes &&
	       o->script == before->script &&
	       o->trees == before->trees &&
	       o->instead == before->instead && o->edits == before->edits &&
	       same_when(&o->when, &before->when) &&
	       (o->same == before->same || o->same == before->same + 1);
}

/* Options that differ by their names alone; names of one number stand together. */
static void put_options(struct buf *b, const struct ir_optspec *v, size_t n)
{
	buf_ch(b, '{');
	if (v->says_takes)
		ir_json_word(b, "takes", ir_takes_words[v->takes]);
	ir_json_flag(b, "global", v->global);
	ir_json_flag(b, "code", v->code);
	ir_json_flag(b, "query", v->query);
	ir_json_flag(b, "moves", v->moves);
	ir_json_flag(b, "runs", v->runs);
	ir_json_flag(b, "leads", v->leads);
	ir_json_flag(b, "reads", v->reads);
	ir_json_flag(b, "writes", v->writes);
	ir_json_flag(b, "script", v->script);
	ir_json_flag(b, "trees", v->trees);
	ir_json_flag(b, "instead", v->instead);
	ir_json_flag(b, "edits", v->edits);
	ir_json_opt_num(b, "same", v->same);
	put_when(b, &v->when);
	ir_json_key(b, "names");
	buf_z(b, "[[");
	for (size_t i = 0; i < n; i++) {
		if (i)
			buf_z(b, v[i].same == v[i - 1].same ? "," : "],[");
		buf_json(b, v[i].name);
	}
	buf_z(b, "]]}");
}

static void put_texts(struct buf *b, const char *key, const struct str *v, size_t n)
{
	if (!n)
		return;
	ir_json_key(b, key);
	buf_ch(b, '[');
	for (size_t i = 0; i < n; i++) {
		ir_json_comma(b, i);
		buf_json(b, v[i]);
	}
	buf_ch(b, ']');
}

static void put_tables(struct buf *b, const struct ir_program *p)
{
	size_t i, k;

	if (p->noptions)
		ir_json_key(b, "options");
	for (i = 0; i < p->noptions; i = k) {
		for (k = i + 1; k < p->noptions; k++)
			if (!goes_on(&p->options[k], &p->options[k - 1]))
				break;
		buf_ch(b, i ? ',' : '[');
		put_options(b, &p->options[i], k - i);
	}
	if (p->noptions)
		buf_ch(b, ']');
	if (p->ncodes)
		ir_json_key(b, "codes");
	for (i = 0; i < p->ncodes; i++) {
		buf_z(b, i ? ",{" : "[{");
		if (p->codes[i].kind)
			ir_json_word(b, "kind", ir_place_words[p->codes[i].kind]);
		ir_json_flag(b, "any", p->codes[i].operand == LINE_ANY_OPERAND);
		ir_json_flag(b, "last", p->codes[i].operand == LINE_LAST_OPERAND);
		ir_json_flag(b, "rest", p->codes[i].operand == LINE_REST_OPERAND);
		if (p->codes[i].operand < LINE_REST_OPERAND)
			ir_json_num(b, "operand", p->codes[i].operand & UINT8_MAX);
		ir_json_flag(b, "on", p->codes[i].operand < LINE_REST_OPERAND &&
				      p->codes[i].operand >= LINE_FROM_OPERAND);
		put_when(b, &p->codes[i].when);
		buf_ch(b, '}');
	}
	if (p->ncodes)
		buf_ch(b, ']');
	put_texts(b, "after", p->after, p->nafter);
	put_texts(b, "ends", p->ends, p->nends);
	put_texts(b, "also", p->also, p->nalso);
	put_texts(b, "defaults", p->defaults, p->ndefaults);
}

static void put_program(struct buf *b, const struct ir_program *p)
{
	ir_json_str(b, "name", p->name);
	ir_json_word(b, "kind", ir_program_kind_word(p->kind));
	ir_json_word(b, "level", ir_level_name(p->level));
	ir_json_place(b, "at", &p->at);
	for (size_t i = 0; i < IR_PROGRAM_FLAGS; i++)
		ir_json_flag(b, ir_program_flag_words[i], p->flags >> i & 1);
	ir_json_opt_num(b, "skip", p->skip);
	put_tables(b, p);
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
