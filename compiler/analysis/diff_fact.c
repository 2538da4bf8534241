/*
 * Compares facts by what they say, not by how they are written: the text of a statement
 * names a variable of `let` and not its value, and of two statements that disagree the
 * higher or the earlier one counts.
 */
#include "compiler/analysis/diff_fact.h"

#include "compiler/analysis/diff_ask.h"
#include "compiler/analysis/diff_key.h"
#include "compiler/analysis/diff_off.h"
#include "compiler/ir/fields.h"

/* One statement, or what several say together. */
struct fact {
	struct str key;
	struct diff_said said;
};

struct facts {
	VEC(struct fact) v;
	struct map by_key; /* struct diff_said: of the highest level */
};

static void push(struct diff *d, struct facts *f, struct str key, struct diff_said said)
{
	const struct diff_said *before = map_get(&f->by_key, key);
	struct fact x = { key, said };

	VEC_PUSH(d->a, &f->v, x);
	if (!before || said.level < before->level)
		map_put(&f->by_key, key, arena_dup(d->a, &said, sizeof(said)));
}

static void add(struct diff *d, enum diff_change change, struct diff_said old,
		struct diff_said new)
{
	struct diff_finding f = { .kind = "fact", .change = change, .widening = true,
				  .side = { old, new } };

	VEC_PUSH(d->a, &d->ret->findings, f);
}

/* --- what one statement says --------------------------------------------------------- */

/* What the statements of one policy say, by the place of each. */
struct meanings {
	struct arena *a;
	struct map v; /* struct buf */
};

static struct str place_key(struct arena *a, const struct ir_place *at, enum ir_level level)
{
	return str_printf(a, "%.*s:%u:%u %d", STR_ARG(at->file), at->line, at->col, (int)level);
}

static struct buf *said_at(struct meanings *m, const struct ir_place *at, enum ir_level level)
{
	struct str key = place_key(m->a, at, level);
	struct buf *b = map_get(&m->v, key);

	if (!b) {
		b = ARENA_NEW(m->a, struct buf);
		buf_init(b, m->a);
		map_put(&m->v, key, b);
	}
	return b;
}

#define NOTE_EACH(m, list, record)                                                \
	do {                                                                      \
		for (size_t i_ = 0; i_ < (list).n; i_++) {                        \
			__typeof__(*(list).v) bare_ = (list).v[i_];               \
                                                                                  \
			bare_.level = IR_DEFAULT;                                 \
			bare_.at = (struct ir_place){ .line = 0 };                \
			ir_json_record(said_at((m), &(list).v[i_].at,             \
					       (list).v[i_].level),               \
				       (record), &bare_);                         \
		}                                                                 \
	} while (0)

static void note_shell(struct meanings *m, const struct ir_shell *shell)
{
	struct ir_shell bare = *shell;

	if (!shell->level)
		return;
	bare.level = IR_DEFAULT;
	bare.at = (struct ir_place){ .line = 0 };
	ir_json_record(said_at(m, &shell->at, shell->level), &ir_record_shell, &bare);
}

static struct str inert_key(struct arena *a, const struct ir_inert *f)
{
	return diff_sets_key(a, IR_COMMAND, &f->set, f->except, f->nexcept);
}

static void find_meanings(struct diff *d, const struct ir *ir, struct meanings *ret)
{
	*ret = (struct meanings){ .a = d->a };
	map_init(&ret->v, d->a);
	NOTE_EACH(ret, ir->programs, &ir_record_program);
	NOTE_EACH(ret, ir->vars, &ir_record_var);
	NOTE_EACH(ret, ir->pins, &ir_record_pin);
	note_shell(ret, &ir->shell);
	for (size_t i = 0; i < ir->inert.n; i++) {
		const struct ir_inert *f = &ir->inert.v[i];

		buf_str(said_at(ret, &f->at, f->level), inert_key(d->a, f));
	}
}

/*
 * A statement that another one overrides says nothing; its text stands for it.  That
 * keeps it a finding if it comes or goes.
 */
static struct str key_of(struct diff *d, const struct meanings *m, const struct ir_fact *f)
{
	const struct buf *b = map_get(&m->v, place_key(d->a, &f->at, f->level));

	if (!b)
		return f->text;
	return str_printf(d->a, "%.*s %.*s", STR_ARG(f->kind), STR_ARG(buf_view(b)));
}

static void list_statements(struct diff *d, int side, struct facts *ret)
{
	const struct ir *ir = d->ir[side];
	struct meanings m;

	map_init(&ret->by_key, d->a);
	find_meanings(d, ir, &m);
	for (size_t i = 0; i < ir->facts.n; i++) {
		const struct ir_fact *f = &ir->facts.v[i];
		struct diff_said said = { .there = true, .id = f->kind, .value = f->text,
					  .level = f->level, .at = f->at };

		push(d, ret, key_of(d, &m, f), said);
	}
}

/* --- what all say together ------------------------------------------------------------- */

static void settle(struct diff *d, struct facts *f, const struct ir_program *p, struct str what,
		   struct str value)
{
	struct str key = str_printf(d->a, "%.*s %.*s", STR_ARG(p->name), STR_ARG(what));
	struct diff_said said = {
		.there = true, .id = STR("program"), .level = p->level, .at = p->at,
		.value = str_printf(d->a, "%.*s %.*s", STR_ARG(key), STR_ARG(value)),
	};

	if (!map_get(&f->by_key, key))
		push(d, f, key, said);
}

/*
 * If statements about a program disagree about what an option takes, or how many operands
 * come first, the first one counts.  So their order is a fact.
 */
static void list_settled(struct diff *d, int side, struct facts *ret)
{
	const struct ir *ir = d->ir[side];

	map_init(&ret->by_key, d->a);
	for (size_t i = 0; i < ir->programs.n; i++) {
		const struct ir_program *p = &ir->programs.v[i];

		if (p->skip)
			settle(d, ret, p, STR("skip"), str_printf(d->a, "%u", p->skip));
		for (size_t k = 0; k < p->noptions; k++)
			if (p->options[k].says_takes)
				settle(d, ret, p, p->options[k].name,
				       str_from(ir_word(&ir_words_takes,
							(uint64_t)p->options[k].takes)));
	}
}

/* --- both policies ------------------------------------------------------------------------ */

/* The two may be written alike, with another value of a variable: then that is shown. */
static struct diff_said shown(struct diff *d, const struct fact *x, const struct facts *other)
{
	struct diff_said said = x->said;

	for (size_t i = 0; i < other->v.n; i++)
		if (str_eq(other->v.v[i].said.value, said.value) &&
		    !str_eq(other->v.v[i].key, x->key)) {
			said.value = str_printf(d->a, "%.*s, which is %.*s", STR_ARG(said.value),
						STR_ARG(x->key));
			break;
		}
	return said;
}

static void only_in(struct diff *d, const struct facts f[2], int side)
{
	struct map told;

	map_init(&told, d->a);
	for (size_t i = 0; i < f[side].v.n; i++) {
		const struct fact *x = &f[side].v.v[i];
		struct diff_said nothing = { .there = false }, said;

		if (map_get(&f[!side].by_key, x->key) || map_get(&told, x->key))
			continue;
		map_put(&told, x->key, d); /* report it once */
		said = shown(d, x, &f[!side]);
		if (side == DIFF_OLD)
			add(d, DIFF_REMOVED, said, nothing);
		else
			add(d, DIFF_ADDED, nothing, said);
	}
}

/* Beside levels that are not compared, the level decides which statement counts. */
static void compare_levels(struct diff *d, const struct facts f[2])
{
	for (size_t i = 0; i < f[DIFF_OLD].by_key.n; i++) {
		const struct diff_said *o = f[DIFF_OLD].by_key.e[i].value;
		const struct diff_said *n =
			map_get(&f[DIFF_NEW].by_key, f[DIFF_OLD].by_key.e[i].key);

		if (n && n->level != o->level)
			add(d, DIFF_LEVEL, *o, *n);
	}
}

static void compare_settled(struct diff *d)
{
	struct facts f[2] = { { .v = { NULL, 0, 0 } }, { .v = { NULL, 0, 0 } } };

	for (int s = 0; s < 2; s++)
		list_settled(d, s, &f[s]);
	for (size_t i = 0; i < f[DIFF_OLD].by_key.n; i++) {
		const struct diff_said *o = f[DIFF_OLD].by_key.e[i].value;
		const struct diff_said *n =
			map_get(&f[DIFF_NEW].by_key, f[DIFF_OLD].by_key.e[i].key);

		if (n && !str_eq(n->value, o->value))
			add(d, DIFF_CHANGED, *o, *n);
	}
}

/* The tables by which lines are read: those of a bundle are the ones that it holds. */
static bool same_tables(const struct diff *d)
{
	const struct line_facts *o = d->ir[DIFF_OLD]->line_facts;
	const struct line_facts *n = d->ir[DIFF_NEW]->line_facts;

	return (!o && !n) || (o && n && o->head.size == n->head.size &&
			      memcmp(o, n, o->head.size) == 0);
}

/* The statements, as they are written, and their levels. */
static bool same_texts(const struct diff *d)
{
	const struct ir *o = d->ir[DIFF_OLD], *n = d->ir[DIFF_NEW];

	if (o->facts.n != n->facts.n)
		return false;
	for (size_t i = 0; i < o->facts.n; i++)
		if (o->facts.v[i].level != n->facts.v[i].level ||
		    !str_eq(o->facts.v[i].text, n->facts.v[i].text))
			return false;
	return true;
}

/* No table has them; the library has one. */
static bool same_inert(struct diff *d)
{
	const struct ir *o = d->ir[DIFF_OLD], *n = d->ir[DIFF_NEW];

	if (o->inert.n != n->inert.n)
		return false;
	for (size_t i = 0; i < o->inert.n; i++)
		if (!str_eq(inert_key(d->a, &o->inert.v[i]), inert_key(d->a, &n->inert.v[i])))
			return false;
	return true;
}

static void doubt_tables(struct diff *d)
{
	struct diff_doubt doubt = { .why = STR("the tables of programs are not the same, "
					       "although the same is said about them") };

	for (int s = 0; s < 2; s++)
		doubt.side[s] = (struct diff_said){ .there = true, .id = STR("facts"),
						    .value = STR("facts about programs") };
	diff_doubt_add(d, doubt);
}

void diff_facts(struct diff *d)
{
	struct facts f[2] = { { .v = { NULL, 0, 0 } }, { .v = { NULL, 0, 0 } } };
	size_t before = d->ret->findings.n;
	bool tables = same_tables(d);

	/* what nearly every pair of policies comes to: the library's thousand facts */
	if (tables && same_texts(d) && same_inert(d))
		return;
	for (int s = 0; s < 2; s++)
		list_statements(d, s, &f[s]);
	only_in(d, f, DIFF_OLD);
	only_in(d, f, DIFF_NEW);
	if (DIFF_ON("fact-levels"))
		compare_levels(d, f);
	if (DIFF_ON("fact-order"))
		compare_settled(d);
	if (!tables && d->ret->findings.n == before && DIFF_ON("fact-order"))
		doubt_tables(d);
}
