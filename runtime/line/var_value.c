/*
 * Values: which texts a word may be, given what its variables may be; and the words of
 * a command with these texts in place of the variables.
 */
#include "runtime/line/shell/production.h"
#include "runtime/line/var_run.h"

/* --- texts ----------------------------------------------------------------- */

/* Does the shell leave this text as it is outside of quotes? */
static bool is_plain(const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!p[i] || strchr(" \t\n*?[]\\()", p[i]))
			return false;
	return n > 0;
}

/* A number as arithmetic writes it, which also reads it as that number. */
static bool is_number(const char *p, size_t n)
{
	size_t from = n && p[0] == '-', i;

	if (from == n || n > 18 || (p[from] == '0' && n > 1))
		return false;
	for (i = from; i < n; i++)
		if (p[i] < '0' || p[i] > '9')
			return false;
	return true;
}

/* Is the variable a number if it is one of these? */
static bool all_numbers(const struct var_run *r, uint32_t var, uint16_t may)
{
	const struct sh_var *v = &r->sh->vars[var - 1];

	for (uint32_t i = 0; i < v->nvalues; i++)
		if ((may & (1u << i)) && !is_number(v->values[i].p, v->values[i].n))
			return false;
	return true;
}

bool var_is_number(const struct var_run *r, uint32_t var)
{
	uint16_t m = var_read(r, var);

	return m && !(m & VAR_UNKNOWN) && all_numbers(r, var, m & VAR_LITERALS);
}

uint16_t var_bit_of(struct var_run *r, uint32_t var, const char *p, size_t n)
{
	struct sh_var *v = &r->sh->vars[var - 1];
	char *copy;

	for (uint32_t i = 0; i < v->nvalues; i++)
		if (v->values[i].n == n && memcmp(v->values[i].p, p, n) == 0)
			return (uint16_t)(1u << i);
	if (v->nvalues == VAR_MAX_VALUES)
		return VAR_UNKNOWN;
	if (!v->values &&
	    !(v->values = var_take(r, sizeof(*v->values) * VAR_MAX_VALUES)))
		return VAR_UNKNOWN;
	if (!(copy = var_take(r, n + 1)))
		return VAR_UNKNOWN;
	memcpy(copy, p, n);
	v->values[v->nvalues] = (struct sh_text){ copy, (uint32_t)n };
	if (is_plain(p, n))
		r->plain[var - 1] |= (uint16_t)(1u << v->nvalues);
	return (uint16_t)(1u << v->nvalues++);
}

void var_given(struct var_run *r, uint32_t var, const struct sh_text *t)
{
	if (t->n > VAR_MAX_BYTES)
		return;
	r->began[var - 1] = var_bit_of(r, var, t->p, t->n);
	r->all[var - 1] |= r->began[var - 1];
}

/* --- the values of a word -------------------------------------------------- */

static uint16_t lowest(uint16_t bits)
{
	return (uint16_t)(bits & -bits);
}

/* The variables of a word, and the value that each has at the moment. */
struct choice {
	uint32_t var[4];
	uint16_t may[4], at[4]; /* at: one bit of may */
	uint32_t n;
};

static uint16_t chosen(const struct choice *c, uint32_t var)
{
	for (uint32_t i = 0; i < c->n; i++)
		if (c->var[i] == var)
			return c->at[i];
	return 0;
}

/* May all these values stand in the word as they are? `m`: what the piece is. */
static bool fits(const struct var_run *r, const struct sh_seg *g, uint16_t m)
{
	if (g->kind != SH_MULTI || SHELL_OFF(VAR_SPLIT))
		return true;
	return !r->splits && !(m & VAR_LITERALS & ~r->plain[g->var - 1]);
}

/* What the piece may be; 0: nobody knows. */
static uint16_t known(const struct var_run *r, const struct sh_seg *g)
{
	uint16_t m = g->var ? var_read(r, g->var) : VAR_UNKNOWN;

	if (g->var && m & r->globs[g->var - 1])
		return 0;
	return m & VAR_UNKNOWN || !m || !fits(r, g, m) ? 0 : m;
}

/* The pieces of a word. Known values begin and end no pattern. */
static const struct sh_seg *pieces(const struct var_run *r, const struct sh_word *w)
{
	const struct sh_seg *g;

	for (g = w->apart; g; g = g->next)
		if (g->kind != SH_LIT && !known(r, g))
			return &w->seg;
	return w->apart ? w->apart : &w->seg;
}

/* Collects the variables of the word. false: something in it has no known text. */
static bool collect(const struct var_run *r, const struct sh_word *w,
		    struct choice *ret)
{
	const struct sh_seg *g;
	uint16_t m;

	ret->n = 0;
	if (w->flags & (SH_W_LOCALE | SH_W_PROCSUB))
		return false;
	for (g = pieces(r, w); g; g = g->next) {
		if (g->kind == SH_LIT)
			continue;
		m = known(r, g);
		if (!m || m & VAR_NUMBER)
			return false;
		if (chosen(ret, g->var))
			continue;
		if (ret->n == 4)
			return false;
		ret->var[ret->n] = g->var;
		ret->may[ret->n] = m;
		ret->at[ret->n++] = lowest(m);
	}
	return true;
}

/* The next combination of values. */
static bool turn(struct choice *c)
{
	for (uint32_t i = 0; i < c->n; i++) {
		uint16_t rest = (uint16_t)(c->may[i] & ~(c->at[i] | (c->at[i] - 1u)));

		if (rest) {
			c->at[i] = lowest(rest);
			return true;
		}
		c->at[i] = lowest(c->may[i]);
	}
	return false;
}

static const struct sh_text *text_of(const struct var_run *r, uint32_t var,
				     uint16_t bit)
{
	return &r->sh->vars[var - 1].values[__builtin_ctz(bit)];
}

/* Writes the text of one combination. false: it is too long. */
static bool write_text(struct var_run *r, const struct sh_word *w,
		       const struct choice *c, char *buf, size_t *ret_n)
{
	const struct sh_seg *g;
	size_t n = 0;

	for (g = pieces(r, w); g; g = g->next) {
		struct sh_text t = { g->p, g->n };

		if (g->kind != SH_LIT)
			t = *text_of(r, g->var, chosen(c, g->var));
		if (t.n > VAR_MAX_BYTES - n || t.n > r->bytes)
			return false;
		r->bytes -= t.n;
		if (t.n)
			memcpy(buf + n, t.p, t.n);
		n += t.n;
	}
	*ret_n = n;
	return true;
}

bool var_text(struct var_run *r, const struct sh_word *w, const char **ret_p,
	      size_t *ret_n)
{
	struct choice c;
	char buf[VAR_MAX_BYTES], *copy;

	if (sh_is_literal(w)) {
		*ret_p = w->seg.n ? w->seg.p : "";
		*ret_n = w->seg.n;
		return !(w->flags & SH_W_LOCALE);
	}
	if (!collect(r, w, &c))
		return false;
	for (uint32_t i = 0; i < c.n; i++)
		if (c.may[i] != c.at[i])
			return false;
	if (!write_text(r, w, &c, buf, ret_n) || !(copy = var_take(r, *ret_n + 1)))
		return false;
	memcpy(copy, buf, *ret_n);
	*ret_p = copy;
	return true;
}

uint16_t var_value(struct var_run *r, const char *name, size_t n,
		   const struct sh_word *w, size_t from)
{
	uint32_t var = sh_var_find(r->sh, name, n);
	char buf[VAR_MAX_BYTES];
	struct choice c;
	uint16_t got = 0;
	size_t k;

	if (!var)
		return VAR_UNKNOWN;
	if (!from && !w->seg.next && w->seg.number)
		return VAR_NUMBER;
	if (!from && !w->seg.next && w->seg.var) {
		/* `a=$b` may also hand on a number */
		got = var_read(r, w->seg.var);
		if (!(got & VAR_UNKNOWN) && got & VAR_NUMBER &&
		    all_numbers(r, w->seg.var, got))
			return VAR_NUMBER;
		got = 0;
	}
	if (!collect(r, w, &c))
		return VAR_UNKNOWN;
	do {
		if (!write_text(r, w, &c, buf, &k) || k < from)
			return VAR_UNKNOWN;
		got |= var_bit_of(r, var, buf + from, k - from);
	} while (!(got & VAR_UNKNOWN) && turn(&c));
	return got;
}

/* May the pattern stand as a text: no part of it was quoted, and no name that it matches leads
 * upwards or is absolute? */
static bool is_pattern(const char *p, size_t n)
{
	if (!n || p[0] == '/')
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!p[i] || strchr("\\'\"()|{}$`~", p[i]))
			return false;
		/* '.*' matches '..' in some shells */
		if (p[i] == '.' && (!i || p[i - 1] == '/') && i + 1 < n && p[i + 1] != '/')
			return false;
	}
	return p[n - 1] != '.';
}

uint16_t var_pattern(struct var_run *r, uint32_t var, const struct sh_word *w)
{
	char buf[VAR_MAX_BYTES];
	const struct sh_seg *g;
	bool glob = false;
	uint16_t bit;
	size_t n = 0;

	if (w->flags & (SH_W_LOCALE | SH_W_PROCSUB))
		return 0;
	for (g = &w->seg; g; g = g->next) {
		glob |= g->kind == SH_GLOB;
		if ((g->kind != SH_LIT && g->kind != SH_GLOB) || (g->kind == SH_GLOB && !g->n) ||
		    g->n > sizeof(buf) - n)
			return 0;
		for (uint32_t i = 0; g->kind == SH_LIT && i < g->n; i++)
			if (g->p[i] && strchr("*?[]", g->p[i]))
				return 0;
		if (g->n)
			memcpy(buf + n, g->p, g->n);
		n += g->n;
	}
	if (!glob || !is_pattern(buf, n))
		return 0;
	bit = var_bit_of(r, var, buf, n);
	if (!(bit & VAR_UNKNOWN))
		r->globs[var - 1] |= bit;
	return bit;
}

/* --- splitting --------------------------------------------------------------- */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

/* The text of a piece, if nobody but the blanks in it changes it; NULL: not known. */
static const struct sh_text *one_text(const struct var_run *r, const struct sh_seg *g)
{
	uint16_t m = g->var ? var_read(r, g->var) : VAR_UNKNOWN;
	const struct sh_text *t;

	if (!m || m & (VAR_UNKNOWN | VAR_NUMBER) || m != lowest(m) || m & r->globs[g->var - 1])
		return NULL;
	t = text_of(r, g->var, m);
	if (g->kind == SH_MULTI && (r->splits || SHELL_OFF(VAR_SPLIT)))
		return NULL;
	for (uint32_t i = 0; g->kind == SH_MULTI && i < t->n; i++)
		if (!t->p[i] || strchr("*?[]\\()", t->p[i]))
			return NULL;
	return t;
}

struct fields {
	struct sh_text *v;
	uint32_t n, cap;
	char *p; /* the current one */
	uint32_t len;
	bool begun;
};

/* The current field ends. false: there are too many. */
static bool field_ends(struct fields *f)
{
	if (!f->begun)
		return true;
	if (f->n == f->cap)
		return false;
	f->v[f->n++] = (struct sh_text){ f->p, f->len };
	f->p += f->len;
	f->len = 0;
	f->begun = false;
	return true;
}

static bool field_text(struct fields *f, const struct sh_text *t, bool splits)
{
	for (uint32_t i = 0; i < t->n; i++) {
		if (splits && is_blank(t->p[i])) {
			if (!field_ends(f))
				return false;
			continue;
		}
		f->p[f->len++] = t->p[i];
		f->begun = true;
	}
	return true;
}

uint32_t var_fields(struct var_run *r, const struct sh_word *w, struct sh_text *ret,
		    uint32_t cap)
{
	struct fields f = { .v = ret, .cap = cap };
	const struct sh_seg *g;
	bool splits = false;
	uint64_t n = 0;

	if (!(w->flags & SH_W_DYNAMIC) || w->apart ||
	    (w->flags & (SH_W_LOCALE | SH_W_PROCSUB)))
		return 0;
	for (g = &w->seg; g; g = g->next) {
		const struct sh_text *t = g->kind == SH_LIT ? NULL : one_text(r, g);

		/* an empty piece in quotes makes a word where there is none */
		if (g->kind == SH_LIT ? !g->n : !t || (g->kind == SH_ANY && !t->n))
			return 0;
		n += t ? t->n : g->n;
		for (uint32_t i = 0; t && g->kind == SH_MULTI && i < t->n; i++)
			splits |= is_blank(t->p[i]);
	}
	if (!splits || n > VAR_MAX_BYTES || n > r->bytes || !(f.p = var_take(r, n + 1)))
		return 0;
	r->bytes -= n;
	for (g = &w->seg; g; g = g->next) {
		struct sh_text t = { g->p, g->n };

		if (g->kind != SH_LIT)
			t = *one_text(r, g);
		if (!field_text(&f, &t, g->kind == SH_MULTI))
			return 0;
	}
	return field_ends(&f) ? f.n : 0;
}

/* Puts the fields in place of the word. */
static bool put_fields(struct var_run *r, struct sh_word *w, const struct sh_text *v,
		       uint32_t n)
{
	struct sh_word *made = n > 1 ? var_take(r, (n - 1) * sizeof(*made)) : w;

	if (!made)
		return false;
	for (uint32_t i = n; i-- > 0;) {
		struct sh_word *to = i ? &made[i - 1] : w;
		struct sh_word *next = i == n - 1 ? w->next : &made[i];

		*to = (struct sh_word){ .seg = { .kind = SH_LIT, .p = v[i].p, .n = v[i].n },
					.next = next,
					.from = w->from,
					.to = w->to,
					.flags = w->flags & ~(uint32_t)SH_W_DYNAMIC };
	}
	return true;
}

uint32_t var_split(struct var_run *r, struct sh_word *w, uint32_t n)
{
	struct sh_text v[VAR_MAX_FIELDS];
	uint32_t more = 0, k;

	for (; w && n; n--) {
		struct sh_word *next = w->next;

		k = var_fields(r, w, v, VAR_MAX_FIELDS);
		if (k && put_fields(r, w, v, k))
			more += k - 1;
		w = next;
	}
	return more;
}

/* --- the words of a command ------------------------------------------------ */

/* Makes one piece of literal pieces that touch. */
static void join(struct var_run *r, struct sh_word *w)
{
	struct sh_seg *g, *h;
	uint64_t n;
	char *to;

	for (g = &w->seg; g; g = g->next) {
		if (g->kind != SH_LIT || !g->next || g->next->kind != SH_LIT)
			continue;
		for (n = 0, h = g; h && h->kind == SH_LIT; h = h->next)
			n += h->n;
		if (n > r->bytes || !(to = var_take(r, n + 1)))
			return;
		r->bytes -= n;
		for (n = 0, h = g; h && h->kind == SH_LIT; h = h->next) {
			if (h->n)
				memcpy(to + n, h->p, h->n);
			n += h->n;
		}
		g->p = to;
		g->n = (uint32_t)n;
		g->next = h;
	}
}

/* Changes a piece into what is known of it. */
static void settle(struct var_run *r, struct sh_seg *g)
{
	static const struct sh_text positional = { "", 0 };
	uint16_t m = known(r, g), may = var_read(r, g->var);
	const struct sh_text *t;

	if (g->kind == SH_ANY && may == lowest(may) && may & r->globs[g->var - 1])
		g->from = text_of(r, g->var, may);
	else if (g->kind == SH_ANY && !m && !(r->dead & var_bit(g->var)) &&
		 !sh_is_name(r->sh->vars[g->var - 1].name, 1))
		g->from = &positional;

	/* what the text was given to run stays opaque, whatever it is */
	if (r->code && !sh_is_name(r->sh->vars[g->var - 1].name, 1))
		m = 0;

	if (m & VAR_NUMBER) {
		if (all_numbers(r, g->var, m & VAR_LITERALS))
			g->kind = SH_ANY;
		g->var = 0;
		return;
	}
	if (m != lowest(m)) {
		g->values = m;
		return;
	}
	t = m ? text_of(r, g->var, m) : NULL;
	g->var = 0;
	if (!t || t->n > r->bytes)
		return;
	/* the decision reads these bytes as often as the line uses them */
	r->bytes -= t->n;
	g->kind = SH_LIT;
	g->p = t->p;
	g->n = t->n;
}

void var_words(struct var_run *r, struct sh_word *w, uint32_t n)
{
	struct sh_seg *g;

	for (; w && n; w = w->next, n--) {
		if (!(w->flags & SH_W_DYNAMIC) ||
		    (w->flags & (SH_W_LOCALE | SH_W_PROCSUB)))
			continue;
		w->seg = *pieces(r, w);
		w->apart = NULL;
		w->flags &= ~(uint32_t)SH_W_DYNAMIC;
		for (g = &w->seg; g; g = g->next) {
			if (g->var)
				settle(r, g);
			if (g->number && g->kind == SH_MULTI && !r->splits)
				g->kind = SH_ANY;
			if (g->kind == SH_ANY || g->kind == SH_MULTI)
				w->flags |= SH_W_DYNAMIC;
		}
		join(r, w);
	}
}

bool var_is_operand(const struct var_run *r, const struct sh_word *w)
{
	const struct sh_seg *g = pieces(r, w);
	const struct sh_var *v = g->var ? &r->sh->vars[g->var - 1] : NULL;
	uint16_t first = v ? known(r, g) : 0;

	for (uint32_t i = 0; v && i < v->nvalues; i++)
		if (first & (1u << i) && (!v->values[i].n || v->values[i].p[0] == '-'))
			return false;
	if (g->kind == SH_LIT && (!g->n || g->p[0] == '-'))
		return false;
	for (; g; g = g->next)
		if (g->kind != SH_LIT && !known(r, g) && !(g->number && !r->splits))
			return false;
	return true;
}
