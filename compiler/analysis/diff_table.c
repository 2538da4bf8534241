/*
 * Options by their names in the tables of both policies.  Where the tables differ, nothing is
 * said: a table that changed is a finding of its own.
 */
#include "compiler/analysis/diff_table.h"

#include "compiler/eval/tabled.h"

#define MAX_LETTERS 60 /* of one word; runtime/line/cmd_option.c reads a few more */

bool diff_table_both(const struct diff_tables *t,
		     bool (*ask)(const struct ir *ir, struct str base))
{
	return ask(t->ir[0], t->base) && ask(t->ir[1], t->base);
}

/* The first name under both policies; false if it is not one. */
static bool first_of(const struct diff_tables *t, const struct ir_glob *name, struct str *ret)
{
	struct str text, first[2];
	struct buf b;
	size_t i;
	int s;

	if (!ir_glob_is_literal(name))
		return false;
	buf_init(&b, t->a);
	for (i = 0; i < name->n; i++)
		buf_u8(&b, name->v[i].byte);
	text = buf_view(&b);
	for (s = 0; s < 2; s++)
		first[s] = eval_tabled_option(t->ir[s], t->base, text);
	*ret = first[0];
	return str_eq(first[0], first[1]);
}

struct ir_option diff_table_first(const struct diff_tables *t, const struct ir_option *o)
{
	struct ir_option to = *o;
	struct ir_glob_item *v;
	struct str first;
	size_t i;

	if (!first_of(t, &o->name, &first))
		return to;
	v = arena_array(t->a, first.n + 1, sizeof(*v));
	for (i = 0; i < first.n; i++)
		v[i] = (struct ir_glob_item){ .op = IR_G_BYTE, .byte = (uint8_t)first.p[i] };
	to.name = (struct ir_glob){ v, first.n };
	return to;
}

/* --- letters -------------------------------------------------------------------------- */

size_t diff_table_letters(const struct ir_option *o)
{
	const struct ir_glob *n = &o->name;

	if (o->value || !ir_glob_is_literal(n) || n->n < 3 || n->v[0].byte != '-' ||
	    n->v[1].byte == '-')
		return 0;
	return n->n - 1;
}

struct ir_option diff_table_letter(struct arena *a, const struct ir_option *o, size_t i)
{
	struct ir_glob_item *v = arena_array(a, 2, sizeof(*v));

	v[0] = o->name.v[0];
	v[1] = o->name.v[i + 1];
	return (struct ir_option){ .name = { v, 2 } };
}

bool diff_table_reads_letters(const struct ir_option *o)
{
	size_t n = diff_table_letters(o), i;

	for (i = 1; i <= n; i++) {
		uint8_t b = o->name.v[i].byte;

		if (!((b >= 'a' && b <= 'z') || (b >= 'A' && b <= 'Z') || (b >= '0' && b <= '9')))
			return false;
	}
	return n && n <= MAX_LETTERS;
}

/* --- with only ------------------------------------------------------------------------ */

/* May the two be one option? */
static bool may_be_one(const struct diff_tables *t, const struct ir_glob *x, struct str first)
{
	struct str other;

	return !first_of(t, x, &other) || str_eq(other, first);
}

bool diff_table_leaves_out(const struct diff_tables *t, const struct ir_guard *only,
			   const struct ir_option *o)
{
	struct str first;
	size_t i, k;

	if (!first_of(t, &o->name, &first))
		return false;
	for (i = 0; i < only->noptions; i++) {
		const struct ir_option *x = &only->options[i];

		if (may_be_one(t, &x->name, first))
			return false;
		for (k = 0; k < diff_table_letters(x); k++) {
			struct ir_option one = diff_table_letter(t->a, x, k);

			if (may_be_one(t, &one.name, first))
				return false;
		}
	}
	return true;
}
