/* Random tables of a program and of a wrapper, and single edits of them. */
#ifndef TESTS_PROP_GUARD_TABLES_H
#define TESTS_PROP_GUARD_TABLES_H

#include "compiler/base/buf.h"
#include "tests/prop/random_ir.h"

#define TABLE_OPTIONS 4

/* How an option is named. */
enum table_form { TF_ABSENT, TF_SHORT, TF_LONG, TF_BOTH, TF_APART, TF_COUNT };
#define TABLE_TAKES 4

struct table_option {
	uint32_t form, takes;
	bool renamed; /* the long name is another one */
	bool sub;     /* the option is one of "foo push" */
	bool code;
};

struct tables {
	bool there;
	bool backwards; /* the options stand in another order */
	struct table_option foo[TABLE_OPTIONS];
	uint32_t kind; /* what `wrap` is: nothing, a program, a wrapper */
	uint32_t skip;
	bool posix;
	struct table_option wrap[TABLE_OPTIONS];
};

enum table_edit {
	T_OPTION, T_VALUE, T_RENAME, T_ALIAS, T_SUB, T_CODE, T_ORDER, T_WRAP_OPTION, T_WRAP_VALUE,
	T_WRAP_KIND, T_WRAP_OPERANDS, T_COUNT
};

static inline struct table_option table_option(struct rnd *r)
{
	return (struct table_option){ .form = rnd_below(r, TF_COUNT),
				      .takes = rnd_one_in(r, 2) ? 0 : rnd_below(r, TABLE_TAKES),
				      .sub = rnd_one_in(r, 5),
				      .code = rnd_one_in(r, 12) };
}

static inline struct tables table_random(struct rnd *r)
{
	struct tables t = { .there = rnd_one_in(r, 2), .kind = rnd_below(r, 3),
			    .posix = rnd_one_in(r, 2), .skip = rnd_one_in(r, 4) };

	for (size_t i = 0; i < TABLE_OPTIONS; i++) {
		t.foo[i] = table_option(r);
		t.wrap[i] = table_option(r);
	}
	return t;
}

/* --- text --------------------------------------------------------------------------------- */

static inline void table_put(struct buf *b, const struct table_option *o, const char *const name[3])
{
	static const char *const takes[TABLE_TAKES] = { "", ":", "::", ":?" };
	const char *large = name[o->renamed ? 2 : 1], *t = takes[o->takes];

	switch (o->form) {
	case TF_SHORT:
		buf_printf(b, " %s%s", name[0], t);
		break;
	case TF_LONG:
		buf_printf(b, " %s%s", large, t);
		break;
	case TF_BOTH:
		buf_printf(b, " %s|%s%s", name[0], large, t);
		break;
	case TF_APART:
		buf_printf(b, " %s%s %s%s", name[0], t, large, t);
		break;
	default:
		break;
	}
}

/* Lines of the table: the options, and which of them take code. */
static inline void table_put_all(struct buf *b, const struct table_option *o,
				 const char *const names[TABLE_OPTIONS][3], bool sub, bool backwards)
{
	bool any = false;

	for (size_t n = 0; n < TABLE_OPTIONS; n++) {
		size_t i = backwards ? TABLE_OPTIONS - 1 - n : n;

		if (o[i].sub != sub || o[i].form == TF_ABSENT)
			continue;
		buf_z(b, any ? "" : " options");
		any = true;
		table_put(b, &o[i], names[i]);
	}
	buf_z(b, any ? "\n" : "");
	for (size_t i = 0; i < TABLE_OPTIONS; i++)
		if (o[i].sub == sub && o[i].form != TF_ABSENT && o[i].code)
			buf_printf(b, " code %s\n", names[i][o[i].form == TF_LONG ? 1 + o[i].renamed : 0]);
}

static inline struct str table_text(struct arena *a, const struct tables *t)
{
	static const char *const foo[TABLE_OPTIONS][3] = {
		{ "-f", "--force", "--forced" }, { "-x", "--extra", "--other" },
		{ "-n", "--name", "--names" }, { "-r", "--recursive", "--recurse" },
	};
	static const char *const wrap[TABLE_OPTIONS][3] = {
		{ "-u", "--user", "--as" }, { "-i", "--in", "--inside" },
		{ "-n", "--name", "--names" }, { "-x", "--extra", "--other" },
	};
	static const char *const kinds[] = { "", "program", "wrapper" };
	struct buf b;

	buf_init(&b, a);
	buf_z(&b, "network disabled\ncommand {\n");
	if (t->there) {
		buf_z(&b, "program foo {\n");
		table_put_all(&b, t->foo, foo, false, t->backwards);
		buf_z(&b, "}\nprogram \"foo push\" {\n");
		table_put_all(&b, t->foo, foo, true, t->backwards);
		buf_z(&b, "}\n");
	}
	if (t->kind) {
		buf_printf(&b, "%s wrap {\n", kinds[t->kind]);
		table_put_all(&b, t->wrap, wrap, false, t->backwards);
		table_put_all(&b, t->wrap, wrap, true, t->backwards);
		buf_z(&b, t->posix ? "posix\n" : "");
		buf_z(&b, t->kind == 2 && t->skip ? "skip 1\n" : "");
		buf_z(&b, "}\n");
	}
	buf_z(&b, "}\n");
	return buf_view(&b);
}

/* --- edits -------------------------------------------------------------------------------- */

static inline uint32_t table_other(struct rnd *r, uint32_t x, uint32_t n)
{
	return (x + 1 + rnd_below(r, n - 1)) % n;
}

/* Makes the tables such that the edit of option 0 changes their text. */
static inline void table_make_fit(struct rnd *r, struct tables *t, enum table_edit e)
{
	bool wrapper = e >= T_WRAP_OPTION;
	struct table_option *o = wrapper ? &t->wrap[0] : &t->foo[0];

	t->there |= !wrapper;
	if (wrapper)
		t->kind = 2;
	if (o->form == TF_ABSENT && e != T_OPTION && e != T_WRAP_OPTION)
		o->form = 1 + rnd_below(r, TF_COUNT - 1);
	if (e == T_RENAME && o->form == TF_SHORT)
		o->form = TF_BOTH;
	if (e == T_ALIAS)
		o->form = TF_BOTH + rnd_below(r, 2);
	if (e == T_ORDER)
		for (size_t i = 0; i < TABLE_OPTIONS; i++)
			t->foo[i].form = t->foo[i].form ? t->foo[i].form : TF_BOTH;
}

static inline void table_edit(struct rnd *r, struct tables *t, enum table_edit e)
{
	struct table_option *o = e >= T_WRAP_OPTION ? &t->wrap[0] : &t->foo[0];

	switch (e) {
	case T_OPTION:
	case T_WRAP_OPTION:
		o->form = o->form ? TF_ABSENT : 1 + rnd_below(r, TF_COUNT - 1);
		break;
	case T_VALUE:
	case T_WRAP_VALUE:
		o->takes = table_other(r, o->takes, TABLE_TAKES);
		break;
	case T_RENAME:
		o->renamed = !o->renamed;
		break;
	case T_ALIAS:
		o->form = o->form == TF_BOTH ? TF_APART : TF_BOTH;
		break;
	case T_SUB:
		o->sub = !o->sub;
		break;
	case T_CODE:
		o->code = !o->code;
		break;
	case T_ORDER:
		t->backwards = !t->backwards;
		break;
	case T_WRAP_KIND:
		t->kind = table_other(r, t->kind, 3);
		break;
	case T_WRAP_OPERANDS:
		if (rnd_one_in(r, 2))
			t->posix = !t->posix;
		else
			t->skip = !t->skip;
		break;
	case T_COUNT:
		break;
	}
}

#endif
