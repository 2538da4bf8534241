/* Reads the facts of ir.json; ranges are left to ir_verify(). */
#include "compiler/ir/facts_words.h"
#include "compiler/ir/read.h"
#include "compiler/ir/read_set.h"

void ir_rd_risk(struct ir_reader *r, struct json_object *o, struct ir *ir)
{
	const char *risks[IR_RISK_COUNT], *kinds[IR_KIND_COUNT];
	struct ir_risk_fact f = { .level = IR_DEFAULT };

	for (unsigned i = 0; i < IR_RISK_COUNT; i++)
		risks[i] = ir_risk_name((enum ir_risk)i);
	for (unsigned i = 0; i < IR_KIND_COUNT; i++)
		kinds[i] = ir_kind_name((enum ir_kind)i);
	f.risk = (enum ir_risk)ir_rd_word(r, o, "risk", risks, IR_RISK_COUNT);
	f.kind = (enum ir_kind)ir_rd_word(r, o, "kind", kinds, IR_KIND_COUNT);
	ir_rd_said(r, o, &f.level, &f.id, &f.at);
	if (!r->why)
		ir_rd_sets(r, o, f.kind, &f.set, &f.except, &f.nexcept);
	VEC_PUSH(r->a, &ir->risks, f);
}

void ir_rd_fact(struct ir_reader *r, struct json_object *o, struct ir *ir)
{
	struct ir_fact f = { .kind = ir_rd_str(r, o, "kind") };

	f.text = ir_rd_str(r, o, "text");
	f.level = ir_rd_level(r, o, "level");
	f.at = ir_rd_place(r, o, "at");
	VEC_PUSH(r->a, &ir->facts, f);
}

struct options {
	VEC(struct ir_optspec) list;
};

/* Absent: there is none. */
static void read_when(struct ir_reader *r, struct json_object *o, struct ir_when *ret)
{
	struct json_object *w = NULL;

	if (r->why || !json_object_object_get_ex(o, "when", &w))
		return;
	ret->is = true;
	ret->i = ir_rd_flag(r, w, "i");
	ret->x = ir_rd_flag(r, w, "x");
	ret->text = ir_rd_str(r, w, "text");
}

/* One record: the options that differ by their names alone. */
static void read_options(struct ir_reader *r, struct json_object *o,
			 struct options *ret)
{
	struct ir_optspec s = { .global = ir_rd_flag(r, o, "global") };
	struct json_object *takes = NULL, *groups, *names;
	size_t n, i, k;

	s.says_takes = json_object_is_type(o, json_type_object) &&
		       json_object_object_get_ex(o, "takes", &takes);
	if (s.says_takes)
		s.takes = (enum line_option_takes)ir_rd_word(r, o, "takes", ir_takes_words,
						    POL_LEN(ir_takes_words));
	s.code = ir_rd_flag(r, o, "code");
	s.query = ir_rd_flag(r, o, "query");
	s.moves = ir_rd_flag(r, o, "moves");
	s.runs = ir_rd_flag(r, o, "runs");
	s.leads = ir_rd_flag(r, o, "leads");
	s.reads = ir_rd_flag(r, o, "reads");
	s.writes = ir_rd_flag(r, o, "writes");
	s.script = ir_rd_flag(r, o, "script");
	s.trees = ir_rd_flag(r, o, "trees");
	s.instead = ir_rd_flag(r, o, "instead");
	s.edits = ir_rd_flag(r, o, "edits");
	s.same = (uint32_t)ir_rd_opt_num(r, o, "same", UINT16_MAX);
	read_when(r, o, &s.when);
	groups = ir_rd_list(r, o, "names", &n);
	for (i = 0; i < n && !r->why; i++, s.same++) {
		names = json_object_array_get_idx(groups, i);
		if (!json_object_is_type(names, json_type_array)) {
			(void)ir_rd_fail(r, "names", "holds what is no list");
			return;
		}
		for (k = 0; k < json_object_array_length(names) && !r->why; k++) {
			if (r->noptions++ >= IR_READ_MAX_OPTIONS)
				(void)ir_rd_fail(r, "options", "are too many");
			s.name = ir_rd_text(r, json_object_array_get_idx(names, k));
			VEC_PUSH(r->a, &ret->list, s);
		}
	}
}

static struct str *read_texts(struct ir_reader *r, struct json_object *o,
			      const char *key, size_t *ret_n)
{
	struct json_object *list = ir_rd_opt_list(r, o, key, ret_n);
	struct str *v = arena_array(r->a, *ret_n + 1, sizeof(*v));

	for (size_t i = 0; i < *ret_n && !r->why; i++)
		v[i] = ir_rd_text(r, json_object_array_get_idx(list, i));
	return v;
}

static uint32_t read_operand(struct ir_reader *r, struct json_object *o)
{
	uint32_t n;

	if (ir_rd_flag(r, o, "any"))
		return LINE_ANY_OPERAND;
	if (ir_rd_flag(r, o, "last"))
		return LINE_LAST_OPERAND;
	if (ir_rd_flag(r, o, "rest"))
		return LINE_REST_OPERAND;
	n = (uint32_t)ir_rd_num(r, o, "operand", UINT8_MAX);
	return ir_rd_flag(r, o, "on") ? n + LINE_FROM_OPERAND : n;
}

static void read_tables(struct ir_reader *r, struct json_object *o, struct ir_program *p)
{
	struct options all = { { NULL, 0, 0 } };
	size_t i, n;
	struct json_object *list = ir_rd_opt_list(r, o, "options", &n);

	for (i = 0; i < n && !r->why; i++)
		read_options(r, json_object_array_get_idx(list, i), &all);
	p->options = all.list.v;
	p->noptions = all.list.n;
	list = ir_rd_opt_list(r, o, "codes", &p->ncodes);
	p->codes = arena_array(r->a, p->ncodes + 1, sizeof(*p->codes));
	for (i = 0; i < p->ncodes && !r->why; i++) {
		struct json_object *c = json_object_array_get_idx(list, i);

		if (json_object_object_get_ex(c, "kind", NULL))
			p->codes[i].kind = (enum line_place_kind)ir_rd_word(
				r, c, "kind", ir_place_words, POL_LEN(ir_place_words));
		p->codes[i].operand = read_operand(r, c);
		read_when(r, c, &p->codes[i].when);
	}
	p->after = read_texts(r, o, "after", &p->nafter);
	p->ends = read_texts(r, o, "ends", &p->nends);
	p->also = read_texts(r, o, "also", &p->nalso);
	p->defaults = read_texts(r, o, "defaults", &p->ndefaults);
}

void ir_rd_program(struct ir_reader *r, struct json_object *o, struct ir *ir)
{
	static const unsigned kinds[] = { LINE_PK_PROGRAM, LINE_PK_WRAPPER,
					  LINE_PK_INTERPRETER };
	const char *words[POL_LEN(kinds)];
	struct ir_program p = { .name = ir_rd_str(r, o, "name") };

	for (unsigned i = 0; i < POL_LEN(kinds); i++)
		words[i] = ir_program_kind_word(kinds[i]);
	p.kind = kinds[ir_rd_word(r, o, "kind", words, POL_LEN(kinds))];
	p.level = ir_rd_level(r, o, "level");
	p.at = ir_rd_place(r, o, "at");
	for (unsigned i = 0; i < IR_PROGRAM_FLAGS; i++)
		if (ir_rd_flag(r, o, ir_program_flag_words[i]))
			p.flags |= 1u << i;
	p.skip = (uint32_t)ir_rd_opt_num(r, o, "skip", UINT8_MAX);
	read_tables(r, o, &p);
	VEC_PUSH(r->a, &ir->programs, p);
}

void ir_rd_var(struct ir_reader *r, struct json_object *o, struct ir *ir)
{
	struct ir_var v = { .name = ir_rd_str(r, o, "name") };

	v.taint = ir_rd_flag(r, o, "taint");
	v.level = ir_rd_level(r, o, "level");
	v.at = ir_rd_place(r, o, "at");
	VEC_PUSH(r->a, &ir->vars, v);
}

void ir_rd_inert(struct ir_reader *r, struct json_object *o, struct ir *ir)
{
	struct ir_inert f = { .level = ir_rd_level(r, o, "level") };

	f.at = ir_rd_place(r, o, "at");
	if (!r->why)
		ir_rd_sets(r, o, IR_COMMAND, &f.set, &f.except, &f.nexcept);
	VEC_PUSH(r->a, &ir->inert, f);
}

void ir_rd_pin(struct ir_reader *r, struct json_object *o, struct ir *ir)
{
	struct ir_pin p = { .name = ir_rd_str(r, o, "name") };

	p.path = ir_rd_str(r, o, "path");
	p.sha256 = ir_rd_str(r, o, "sha256");
	ir_rd_said(r, o, &p.level, &p.id, &p.at);
	VEC_PUSH(r->a, &ir->pins, p);
}

void ir_rd_shell(struct ir_reader *r, struct json_object *o, struct ir *ir)
{
	struct json_object *s = NULL;

	if (r->why || !json_object_object_get_ex(o, "shell", &s) || !s)
		return; /* null: nobody says it */
	ir->shell.name = ir_rd_str(r, s, "name");
	ir->shell.path = ir_rd_str(r, s, "path");
	ir->shell.level = ir_rd_level(r, s, "level");
	ir->shell.at = ir_rd_place(r, s, "at");
}
