/*
 * Decides the role of each word of a text.  The tree says where statements, options
 * and values begin; the words are found by their offsets.
 */
#include "compiler/format/words.h"

#include <assert.h>

#include "compiler/ast/build.h"
#include "compiler/ast/print.h"
#include "compiler/diag/width.h"

struct marker {
	struct words w;
	const struct dsl_lexemes *lex;
};

/* The word `back` words before the one that begins at `off`; NULL: none begins there. */
static struct word *word_at(struct marker *m, uint32_t off, size_t back)
{
	size_t lo = 0, hi = m->lex->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (m->lex->v[mid].off < off)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == m->lex->n || m->lex->v[lo].off != off)
		return NULL;
	for (; back && lo > 0; back--)
		do
			lo--;
		while (lo > 0 && m->w.v[lo].comment);
	return &m->w.v[lo];
}

static void mark_item(struct marker *m, struct span at, size_t back, enum shape shape)
{
	struct word *w = word_at(m, at.off, back);

	if (w)
		w->shape = shape;
}

static void mark_slot(struct marker *m, struct span at, size_t back, int slot)
{
	struct word *w = word_at(m, at.off, back);

	if (w)
		w->slot = (signed char)slot;
}

static void mark_option(struct marker *m, struct span at, bool aside)
{
	struct word *w = word_at(m, at.off, 0);

	if (w) {
		w->is_option = true;
		w->is_aside = aside;
	}
}

static void mark_breaks(struct marker *m, const struct ast_value *list)
{
	for (; list; list = list->next) {
		struct word *w = word_at(m, list->at.off, 0);

		if (w)
			w->may_break = true;
	}
}

/* --- values ---------------------------------------------------------------- */

static void mark_values(struct marker *m, const struct ast_value *list)
{
	for (; list; list = list->next) {
		if (list->kind == AST_V_LIST || list->kind == AST_V_MAP)
			mark_values(m, list->items);
		if (list->kind != AST_V_MAP)
			continue;
		for (const struct ast_value *v = list->items; v; v = v->next) {
			mark_item(m, v->at, 2, SHAPE_LET); /* KEY = VALUE */
			mark_slot(m, v->at, 1, 0);
		}
	}
}

static void mark_options(struct marker *m, const struct ast_option *o)
{
	for (; o; o = o->next)
		mark_option(m, o->at,
			    o->kind == AST_O_BECAUSE || o->kind == AST_O_AS);
}

/* --- statements -------------------------------------------------------------- */

static void mark_net(struct marker *m, const struct ast_net *net)
{
	if (net->proto)
		mark_slot(m, net->proto->at, 0, 0);
	if (net->hosts)
		mark_slot(m, net->hosts->at, 0, 1);
	else if (net->ports)
		mark_slot(m, net->ports->at, 1, 1); /* `port` */
}

/* EFFECT [OPS | PROTO] VALUES OPTIONS */
static void mark_rule(struct marker *m, const struct ast_stmt *s)
{
	struct word *effect = word_at(m, s->name_at.off, 0);

	if (s->ops && effect)
		for (effect++; effect < m->w.v + m->w.n && effect->comment;)
			effect++;
	if (s->ops && effect && effect < m->w.v + m->w.n)
		effect->slot = 0;
	mark_net(m, &s->net);
	if (s->values)
		mark_slot(m, s->values->at, 0, 1);
}

static void mark_program(struct marker *m, const struct ast_stmt *s)
{
	for (const struct ast_prog_item *i = s->items; i; i = i->next) {
		mark_item(m, i->at, 0, i->kind == AST_P_FLAG ? SHAPE_FLAG : SHAPE_ITEM);
		if (i->values)
			mark_breaks(m, i->values->next);
	}
}

static void mark_test(struct marker *m, const struct ast_stmt *s)
{
	for (const struct ast_test_case *c = s->cases; c; c = c->next) {
		struct word *w = word_at(m, c->at.off, 0);

		mark_item(m, c->at, 0, SHAPE_CASE);
		if (c->request.kind == AST_R_FILE && c->request.values)
			mark_slot(m, c->request.values->at, 0, 0);
		for (; w && w < m->w.v + m->w.n; w++) {
			if (!str_eqz(w->text, "=>"))
				continue;
			w->slot = 1;
			break;
		}
	}
}

static enum shape shape_of(const struct ast_stmt *s)
{
	switch ((int)s->kind) {
	case AST_RULE:
		return SHAPE_RULE;
	case AST_PAIR:
		return SHAPE_PAIR;
	case AST_LET:
		return SHAPE_LET;
	case AST_SET:
		return SHAPE_SET;
	case AST_RISK:
		return SHAPE_RISK;
	case AST_ROUTE:
		return SHAPE_ROUTE;
	default:
		return SHAPE_ITEM;
	}
}

/* Marks the columns of a statement that has columns. */
static void mark_columns(struct marker *m, const struct ast_stmt *s)
{
	switch ((int)s->kind) {
	case AST_RULE:
		mark_rule(m, s);
		break;
	case AST_PAIR:
		mark_slot(m, s->values->at, s->append, 0);
		break;
	case AST_LET:
	case AST_SET:
		mark_slot(m, s->values->at, 1, 0);
		break;
	case AST_RISK:
		mark_slot(m, s->values->at, 0, 0);
		break;
	case AST_ROUTE:
		mark_slot(m, s->name_at, 0, 0);
		break;
	case AST_PROGRAM:
	case AST_WRAPPER:
	case AST_INTERPRETER:
		mark_program(m, s);
		break;
	case AST_TEST:
		mark_test(m, s);
		break;
	default:
		break;
	}
}

/* The `;` in front of a statement, that keeps it from belonging to the one before. */
static void keep_separator(struct marker *m, const struct ast_stmt *s)
{
	struct word *w = word_at(m, s->at.off, 1);

	if (w && w->punct == ';')
		w->is_kept = true;
}

static void mark_stmts(struct marker *m, const struct ast_stmt *s)
{
	const struct ast_stmt *before = NULL;

	for (; s; before = s, s = s->next) {
		if (ast_needs_separator(before, s))
			keep_separator(m, s);
		mark_item(m, s->at, 0, shape_of(s));
		mark_columns(m, s);
		for (const struct ast_value *v = s->pairs; v; v = v->next)
			mark_item(m, v->at, 0, SHAPE_ITEM);
		mark_values(m, s->values);
		mark_options(m, s->options);
		mark_stmts(m, s->body);
	}
}

/* --- the words --------------------------------------------------------------------- */

static unsigned width_of(struct str s)
{
	unsigned width = 0;
	uint32_t c;
	bool valid;

	for (size_t i = 0; i < s.n; i += utf8_next(s, i, &c, &valid)) {
		utf8_next(s, i, &c, &valid);
		width += c == '\t' ? 1 : utf8_width(c);
	}
	return width;
}

/* Removes each `;` that separates nothing, and each `,` before an item or a '}'. */
static void drop_separators(struct words *w)
{
	bool between = false; /* the next word begins an item or ends a block */
	unsigned newlines = 0;
	size_t n = 0;

	for (size_t i = w->n; i-- > 0;) {
		struct word *x = &w->v[i];

		if ((x->punct == ';' && !x->is_kept) || (x->punct == ',' && between))
			x->is_gone = true;
		else if (!x->comment)
			between = x->shape != SHAPE_NONE || x->punct == '}';
	}
	for (size_t i = 0; i < w->n; i++) {
		struct word x = w->v[i];

		if (newlines > x.newlines)
			x.newlines = newlines;
		newlines = x.is_gone ? x.newlines : 0;
		if (!x.is_gone)
			w->v[n++] = x;
	}
	w->n = n;
}

/* Pairs the braces and marks blocks that cannot stand on one line. */
static void pair_braces(struct words *w)
{
	size_t open[AST_MAX_NESTING + 1], depth = 0;

	for (size_t i = 0; i < w->n; i++) {
		struct word *x = &w->v[i];

		if (depth && (x->comment || x->newlines))
			w->v[open[depth - 1]].is_broken = true;
		if (x->punct == '{') {
			assert(depth < POL_LEN(open));
			open[depth++] = i;
		} else if (x->punct == '}' && depth) {
			size_t inner = open[--depth];

			w->v[inner].partner = i;
			if (i == inner + 1) /* empty: always on one line */
				w->v[inner].is_broken = false;
			if (depth && w->v[inner].is_broken)
				w->v[open[depth - 1]].is_broken = true;
		}
	}
	assert(depth == 0);
}

bool words_of(struct arena *a, const struct source_map *map,
	      const struct ast_file *tree, struct words *ret)
{
	struct dsl_lexemes lex;
	struct marker m = { .lex = &lex };

	if (!dsl_lexemes(a, map, tree, &lex))
		return false;
	m.w.n = lex.n;
	m.w.v = arena_array(a, lex.n + 1, sizeof(*m.w.v));
	for (size_t i = 0; i < lex.n; i++)
		m.w.v[i] = (struct word){ .text = lex.v[i].text,
					  .punct = lex.v[i].punct,
					  .comment = lex.v[i].comment,
					  .newlines = lex.v[i].newlines,
					  .slot = -1,
					  .width = width_of(lex.v[i].text) };
	mark_stmts(&m, tree->stmts);
	drop_separators(&m.w);
	pair_braces(&m.w);
	*ret = m.w;
	return true;
}
