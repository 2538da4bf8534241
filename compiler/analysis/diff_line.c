/* Spells the options and paths that guards name, and adds them to a command line. */
#include "compiler/analysis/diff_line.h"

#include "compiler/analysis/diff_key.h"

/* How many members of one pattern are spelled, and how many pieces an item may add. */
#define MAX_CHOICES 4
#define MAX_PIECES 16

/* --- members of patterns ------------------------------------------------------------- */

static size_t most_alternatives(const struct ir_glob *g)
{
	size_t i, n = 1;

	for (i = 0; i < g->n; i++)
		if (g->v[i].op == IR_G_ALT && g->v[i].nalts > n)
			n = g->v[i].nalts;
	return n < MAX_CHOICES ? n : MAX_CHOICES;
}

/* A member of the pattern, with the alternative `choice` wherever there are some. */
static void spell(struct buf *b, const struct ir_glob *g, size_t choice)
{
	size_t i;

	for (i = 0; i < g->n; i++) {
		const struct ir_glob_item *it = &g->v[i];

		switch (it->op) {
		case IR_G_BYTE:
			buf_u8(b, it->byte);
			break;
		case IR_G_ONE:
		case IR_G_STAR:
		case IR_G_DEEP:
			buf_ch(b, 'x');
			break;
		case IR_G_DIRS: /* no folder is a member, too */
			break;
		case IR_G_ALT:
			if (it->nalts)
				spell(b, &it->alts[choice % it->nalts], choice);
			break;
		}
	}
}

static struct str member(struct arena *a, const struct ir_glob *g, size_t choice)
{
	struct buf b;

	buf_init(&b, a);
	spell(&b, g, choice);
	return buf_view(&b);
}

/* False if the root has no place. */
static bool spell_path(struct diff *d, struct arena *a, const struct ir_path *p, size_t choice,
		       struct str *ret)
{
	struct str dir = d->where->roots.dir[p->root];

	if (!dir.p)
		return false;
	*ret = member(a, &p->glob, choice);
	*ret = str_eqz(dir, "/") && ret->n ? *ret : str_cat(a, dir, *ret);
	return true;
}

/* --- pieces --------------------------------------------------------------------------- */

static bool is_same(const struct diff_piece *x, const struct diff_piece *y)
{
	return x->n == y->n && str_eq(x->word[0], y->word[0]) &&
	       (x->n < 2 || str_eq(x->word[1], y->word[1]));
}

static void add(struct arena *a, struct diff_pieces *p, size_t limit, struct str word,
		struct str second)
{
	struct diff_piece x = { { word, second }, second.p ? 2 : 1 };
	size_t i;

	if (!word.n || p->v.n >= limit)
		return;
	for (i = 0; i < p->v.n; i++)
		if (is_same(&p->v.v[i], &x))
			return;
	VEC_PUSH(a, &p->v, x);
}

static void add_option(struct arena *a, struct diff_pieces *p, size_t limit,
		       const struct ir_option *o)
{
	size_t n = most_alternatives(&o->name), k;

	if (o->value && most_alternatives(o->value) > n)
		n = most_alternatives(o->value);
	for (k = 0; k < n; k++) {
		struct str name = member(a, &o->name, k), value;

		if (!o->value) {
			add(a, p, limit, name, STR_NULL);
			continue;
		}
		value = member(a, o->value, k);
		if (str_starts(name, STR("--")))
			add(a, p, limit, str_cat(a, str_cat(a, name, STR("=")), value),
			    STR_NULL);
		add(a, p, limit, name, value);
		/* the option with another value */
		add(a, p, limit, name, STR("other"));
	}
}

static void add_path(struct diff *d, struct arena *a, struct diff_pieces *p, size_t limit,
		     const struct ir_path *path)
{
	size_t n = most_alternatives(&path->glob), k;
	struct str text;

	for (k = 0; k < n && spell_path(d, a, path, k, &text); k++) {
		add(a, p, limit, text, STR_NULL);
		if (path->below)
			add(a, p, limit,
			    str_eqz(text, "/") ? STR("/x") : str_cat(a, text, STR("/x")),
			    STR_NULL);
	}
}

/* "-fx", where the guard names "-f" and "-x": one word may be all that a pattern leaves room for. */
static void add_letters(struct arena *a, struct diff_pieces *p, size_t limit, const struct ir_guard *g)
{
	struct buf b;
	size_t i;

	buf_init(&b, a);
	buf_ch(&b, '-');
	for (i = 0; i < g->noptions; i++) {
		const struct ir_glob *n = &g->options[i].name;

		if (ir_glob_is_literal(n) && n->n == 2 && n->v[0].byte == '-' && n->v[1].byte != '-')
			buf_u8(&b, n->v[1].byte);
	}
	if (b.n > 2)
		add(a, p, limit, buf_view(&b), STR_NULL);
}

static void add_guard(struct diff *d, struct arena *a, struct diff_pieces *p, size_t limit,
		      const struct ir_guard *g)
{
	size_t i;

	for (i = 0; i < g->noptions; i++)
		add_option(a, p, limit, &g->options[i]);
	for (i = 0; i < g->npaths; i++)
		add_path(d, a, p, limit, &g->paths[i]);
	add_letters(a, p, limit, g);
	if (g->kind == IR_GD_WITH_ONLY)
		add(a, p, limit, STR("--other"), STR_NULL);
	if (g->kind == IR_GD_WITHIN)
		add(a, p, limit, STR("/elsewhere"), STR_NULL);
}

static void add_set(struct diff *d, struct arena *a, struct diff_pieces *p, size_t limit,
		    const struct ir_set *s)
{
	size_t i;

	for (i = 0; i < s->u.command.nguards; i++)
		add_guard(d, a, p, limit, &s->u.command.guards[i]);
}

void diff_line_pieces(struct diff *d, struct arena *tmp, const struct diff_item *it,
		      struct diff_pieces *ret)
{
	size_t n, limit = ret->v.n + MAX_PIECES, i;
	const struct ir_set *e = diff_excepts(it, &n);

	add_set(d, tmp, ret, limit, diff_set(it));
	for (i = 0; i < n; i++)
		add_set(d, tmp, ret, limit, &e[i]);
}

/* --- members of whole patterns --------------------------------------------------------- */

size_t diff_line_member(struct arena *a, const struct ir_command *c,
			struct str ret[DIFF_LINE_WORDS])
{
	size_t i, n = 0;

	if (c->regex)
		return 0;
	for (i = 0; i < c->nwords && n < DIFF_LINE_WORDS; i++)
		if (!c->words[i].any_words)
			ret[n++] = member(a, &c->words[i].glob, 0);
	for (i = 0; i < c->nguards && n < DIFF_LINE_WORDS; i++)
		if (c->guards[i].kind == IR_GD_WITH && c->guards[i].noptions)
			ret[n++] = member(a, &c->guards[i].options[0].name, 0);
	return n;
}

size_t diff_line_path(struct diff *d, struct arena *a, const struct ir_path *p,
		      struct str *ret)
{
	return spell_path(d, a, p, 0, ret);
}

/* --- lines ---------------------------------------------------------------------------- */

struct lines {
	struct arena *a;
	const struct ir_request *base;
	struct ir_request *ret;
	size_t n, max;
};

static bool is_full(const struct lines *l)
{
	return l->n == l->max;
}

/* Begins a line without words; NULL if there are enough.  `n` counts it when it is whole. */
static struct ir_request *begin(struct lines *l)
{
	struct ir_request *q = &l->ret[l->n];

	if (is_full(l))
		return NULL;
	*q = *l->base;
	q->argv = arena_array(l->a, l->base->nargv + 5, sizeof(*q->argv));
	q->nargv = 0;
	return q;
}

static void put(struct ir_request *q, const struct diff_piece *x)
{
	for (size_t k = 0; k < x->n; k++)
		q->argv[q->nargv++] = x->word[k];
}

/*
 * Adds the line that has the pieces at its end; the first one instead of word `at`, if
 * that is not 0.
 */
static void make(struct lines *l, const struct diff_piece *x, const struct diff_piece *y,
		 size_t at)
{
	const struct ir_request *base = l->base;
	struct ir_request *q = begin(l);
	size_t i;

	if (!q)
		return;
	for (i = 0; i < base->nargv; i++) {
		if (at && i == at)
			put(q, x);
		else
			q->argv[q->nargv++] = base->argv[i];
	}
	if (!at)
		put(q, x);
	if (y)
		put(q, y);
	l->n++;
}

/*
 * Adds the line that has the piece before word `at`; `again`: the last word of the line stands
 * at its end once more, for expressions that look at the end.
 */
static void make_before(struct lines *l, const struct diff_piece *x, size_t at, bool again)
{
	const struct ir_request *base = l->base;
	struct ir_request *q = begin(l);
	size_t i;

	if (!q)
		return;
	for (i = 0; i <= base->nargv; i++) {
		if (i == at)
			put(q, x);
		if (i < base->nargv)
			q->argv[q->nargv++] = base->argv[i];
	}
	if (again)
		q->argv[q->nargv++] = base->argv[base->nargv - 1];
	l->n++;
}

size_t diff_line_variants(struct arena *tmp, const struct diff_pieces *p,
			  const struct ir_request *base, struct ir_request *ret,
			  size_t max)
{
	struct lines l = { .a = tmp, .base = base, .ret = ret, .max = max };
	size_t i, k, at;

	for (i = 0; i < p->v.n; i++)
		make(&l, &p->v.v[i], NULL, 0);
	for (i = 0; i < p->v.n; i++)
		for (at = base->nargv; at-- > 1 && at + 3 > base->nargv;)
			make(&l, &p->v.v[i], NULL, at);
	for (i = 0; i < p->v.n && base->nargv; i++) {
		/* the options of a wrapper stand before the words of its command */
		if (base->nargv > 1)
			make_before(&l, &p->v.v[i], 1, false);
		make_before(&l, &p->v.v[i], base->nargv, true);
	}
	for (i = 0; i < p->v.n && !is_full(&l); i++)
		for (k = 0; k < p->v.n && !is_full(&l); k++)
			if (k != i)
				make(&l, &p->v.v[i], &p->v.v[k], 0);
	return l.n;
}
