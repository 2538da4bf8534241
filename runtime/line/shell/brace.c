/*
 * Brace expansion. Bash does it on the text of a word before it reads the word. This file
 * searches for braces, commas and sequences in the same way, and takes the same text for
 * quoted. The resulting texts are read as words of their own. If there are too many, the
 * last word may be any number of words.
 */
#include "runtime/line/shell/brace.h"
#include "runtime/line/shell/sequence.h"

/* What one more word costs, in steps of the search; this bounds its memory. */
#define WORD_WORK 64

static bool expand(struct shell *s, struct text t, struct texts *ret);

/* --- the search ------------------------------------------------------------------------- */

/* The place after the ')' of a substitution whose text begins at i. */
static size_t over_substitution(struct text t, size_t i)
{
	unsigned open = 1;
	char quoted = '\0';

	for (; i < t.n; i++) {
		char c = t.p[i];

		if (c == '\\' && quoted != '\'') {
			i++;
		} else if (quoted) {
			quoted = c == quoted ? '\0' : quoted;
		} else if (c == '$' && i + 1 < t.n && t.p[i + 1] == '\'') {
			/* bash resolves these escapes before it looks for braces */
			for (i += 2; i < t.n && t.p[i] != '\''; i++)
				i += t.p[i] == '\\';
		} else if (c == '\'' || c == '"' || c == '`') {
			quoted = c;
		} else if (c == '(') {
			open++;
		} else if (c == ')' && !--open) {
			return i + 1;
		}
	}
	return t.n;
}

struct search {
	struct text t;
	size_t i;
	unsigned level;
	char quoted;
	char wanted;
	bool comma; /* a comma was seen at this level, or is not needed */
};

static char byte(const struct search *g, size_t i)
{
	return i < g->t.n ? g->t.p[i] : '\0';
}

/* Skips quotes and expansions. false: there are none here. */
static bool pass(struct search *g)
{
	char c = byte(g, g->i), next = byte(g, g->i + 1);

	if (c == '\\' && g->quoted != '\'') {
		g->i += 2;
	} else if (c == '$' && next == '{' && g->quoted != '\'') {
		g->i += 2;
		g->level += !g->quoted;
	} else if (c == '$' && next == '\'' && !g->quoted) {
		/* bash resolves these escapes before it looks for braces */
		for (g->i += 2; g->i < g->t.n && byte(g, g->i) != '\''; g->i++)
			g->i += byte(g, g->i) == '\\';
		g->i++;
	} else if (c == '$' && next == '(' && g->quoted == '"') {
		g->i = over_substitution(g->t, g->i + 2);
	} else if (g->quoted) {
		if (c == g->quoted)
			g->quoted = '\0';
		g->i++;
	} else if (c == '"' || c == '\'' || c == '`') {
		g->quoted = c;
		g->i++;
	} else if ((c == '$' || c == '<' || c == '>') && next == '(') {
		g->i = over_substitution(g->t, g->i + 2);
	} else {
		return false;
	}
	return true;
}

/* A '{' that is not a brace: before a blank or '}', or after a blank or nothing. */
static bool is_alone(const struct search *g)
{
	char before = byte(g, g->i - 1), next = byte(g, g->i + 1);

	return (!g->i || before == ' ' || before == '\t' || before == '\n') &&
	       (!next || next == ' ' || next == '\t' || next == '\n' || next == '}');
}

/* The next `wanted` byte from i on. false: there is none, and *ret is the end. */
static bool find(struct shell *s, struct text t, size_t i, char wanted, size_t *ret)
{
	struct search g = { .t = t, .i = i, .wanted = wanted, .comma = wanted != '}' };
	bool found = false;
	char c;

	while (g.i < t.n) {
		if (pass(&g))
			continue;
		c = t.p[g.i];
		if (c == wanted && !g.level && g.comma && !(c == '{' && is_alone(&g))) {
			found = true;
			break;
		}
		if (c == wanted && !g.level && g.comma) {
			g.i++;
			continue;
		}
		if (c == '{')
			g.level++;
		else if (c == '}' && g.level)
			g.level--;
		else if (wanted == '}' && c == ',' && !g.level)
			g.comma = true;
		else if (wanted == '}' && c == '.' && byte(&g, g.i + 1) == '.' &&
			 byte(&g, g.i + 2) != '}' && !g.level)
			g.comma = true;
		g.i++;
	}
	*ret = g.i < t.n ? g.i : t.n;
	return shell_brace_work(s, g.i - i + 1) && found;
}

/* --- lists of texts ---------------------------------------------------------------------------- */

static bool one(struct shell *s, struct text t, struct texts *ret)
{
	if (!shell_brace_make(s, 1, ret))
		return false;
	ret->v[ret->n++] = t;
	return true;
}

static bool join(struct shell *s, struct text a, struct text b, struct text *ret)
{
	char *p;

	if (!b.n || !a.n) {
		*ret = a.n ? a : b;
		return true;
	}
	if (!shell_brace_work(s, a.n + b.n) || !(p = shell_brace_scratch(s, a.n + b.n)))
		return false;
	memcpy(p, a.p, a.n);
	memcpy(p + a.n, b.p, b.n);
	*ret = (struct text){ p, a.n + b.n };
	return true;
}

/* Joins each text of a with each of b. After the first text that is cut short, nothing
 * may follow. */
static bool cross(struct shell *s, const struct texts *a, const struct texts *b,
		  struct texts *ret)
{
	struct texts all;
	size_t i, j;

	if (!shell_brace_make(s, a->n * b->n, &all))
		return false;
	all.cut = a->cut;
	for (i = 0; i < a->n && !(i && b->cut); i++)
		for (j = 0; j < b->n; j++) {
			if (all.n == MAX_WORDS) {
				all.cut = true;
				break;
			}
			if (!join(s, a->v[i], b->v[j], &all.v[all.n]))
				return false;
			all.n++;
		}
	all.cut |= b->cut;
	*ret = all;
	return true;
}

/* The parts between commas. */
static bool alternatives(struct shell *s, struct text t, struct texts *ret)
{
	struct texts all;
	size_t from = 0, to = 0;
	bool more = true;

	if (!shell_brace_make(s, MAX_WORDS, &all))
		return false;
	while (more && !all.cut) {
		struct texts part;
		size_t i;

		more = find(s, t, from, ',', &to) && !SHELL_OFF(BRACE_ALTERNATIVE);
		if (shell_is_limit(s) ||
		    !(SHELL_OFF(BRACE_NESTED) ? one : expand)(
			    s, (struct text){ t.p + from, to - from }, &part))
			return false;
		for (i = 0; i < part.n && all.n < MAX_WORDS; i++)
			all.v[all.n++] = part.v[i];
		all.cut = part.cut || i < part.n;
		from = to + 1;
	}
	*ret = all;
	return true;
}

/* --- a word's text ------------------------------------------------------------------------------------ */

/* The first pair of braces that could be an expansion. */
static bool first_pair(struct shell *s, struct text t, size_t *ret_open, size_t *ret_close)
{
	size_t i = 0;

	while (!shell_is_limit(s) && find(s, t, i, '{', &i)) {
		if (find(s, t, i + 1, '}', ret_close)) {
			*ret_open = i;
			return true;
		}
		i++;
	}
	return false;
}

static bool has_comma(struct text t)
{
	size_t i;

	for (i = 0; i < t.n; i++) {
		if (t.p[i] == '\\')
			i++;
		else if (t.p[i] == ',')
			return true;
	}
	return false;
}

static bool inner(struct shell *s, struct text t, size_t open, size_t close, struct texts *ret)
{
	struct text amble = { t.p + open + 1, close - open - 1 };
	enum sequence is = SEQ_NONE;

	if (!has_comma(amble) && memmem(amble.p, amble.n, "$'", 2)) {
		/* its escapes may produce a comma */
		if (!shell_brace_make(s, 1, ret))
			return false;
		ret->cut = true;
		return true;
	}
	if (has_comma(amble) && !SHELL_OFF(BRACE_LIST))
		return alternatives(s, amble, ret);
	if (!shell_sequence(s, amble, &is, ret))
		return false;
	if (is == SEQ_NONE)
		/* not a sequence: it stands for itself, including the braces */
		return one(s, (struct text){ t.p + open, close - open + 1 }, ret);
	return true;
}

static bool expand(struct shell *s, struct text t, struct texts *ret)
{
	struct texts head, mid, tail, both;
	size_t open, close;
	bool ok;

	if (!first_pair(s, t, &open, &close))
		return !shell_is_limit(s) && one(s, t, ret);
	if (!shell_deeper(s))
		return false;
	ok = inner(s, t, open, close, &mid) &&
	     one(s, (struct text){ t.p, open }, &head) && cross(s, &head, &mid, &both);
	if (ok && close + 1 < t.n)
		ok = expand(s, (struct text){ t.p + close + 1, t.n - close - 1 }, &tail) &&
		     cross(s, &both, &tail, ret);
	else if (ok)
		*ret = both;
	s->depth--;
	return ok;
}

/* --- words again ----------------------------------------------------------------------------------------- */

struct chain {
	struct sh_word *first, *last;
};

static void chain_add(struct chain *c, struct sh_word *w, const struct sh_word *like)
{
	w->from = like->from;
	w->to = like->to;
	w->flags |= SH_W_BRACED;
	if (c->last)
		c->last->next = w;
	else
		c->first = w;
	c->last = w;
}

/* Nobody knows the text: any number of words. */
static bool any_words(struct shell *s, const struct shell_word *b, struct chain *c)
{
	struct shell_word any = { .mode = W_PLAIN };

	any.w = shell_word_new(s, b->from);
	if (!any.w)
		return false;
	any.last = &any.w->seg;
	if (!shell_seg(s, &any, SH_MULTI, NULL, 0))
		return false;
	chain_add(c, any.w, b->w);
	return true;
}

/* Reads one text as a word. If it is no longer a whole word, it becomes any number of
 * words. */
static bool read_again(struct shell *s, const struct shell_word *b, struct text t,
		       struct chain *c)
{
	struct shell_word again;
	char *copy;
	bool whole;

	if (!t.n && !SHELL_OFF(BRACE_EMPTY))
		return true; /* an empty text without quotes is no word */
	copy = shell_bytes(s, t.n + 4);
	s->src.out = shell_bytes(s, t.n + 1);
	if (!copy || !s->src.out || !shell_brace_work(s, t.n + WORD_WORK))
		return false;
	memcpy(copy, t.p, t.n);
	memset(copy + t.n, 0, 4);
	s->src.text = copy;
	s->src.n = (uint32_t)t.n;
	s->src.line = false;
	s->src.open = NULL;
	s->p = copy;
	if (!shell_word_begin(s, &again, b->mode & ~(unsigned)W_BRACES))
		return false;
	again.braced = true;
	whole = shell_word_rest(s, &again) && s->p == copy + t.n;
	if (shell_is_limit(s))
		return false;
	if (!whole)
		return any_words(s, b, c);
	chain_add(c, again.w, b->w);
	return true;
}

/* Bash removes broken line ends before it looks for braces. In single quotes they are
 * kept. */
static bool join_lines(struct shell *s, struct text *t)
{
	char quoted = '\0', *to;
	size_t i, n = 0;

	if (!memmem(t->p, t->n, "\\\n", 2))
		return true;
	if (!(to = shell_brace_scratch(s, t->n)))
		return false;
	for (i = 0; i < t->n; i++) {
		char c = t->p[i];

		if (c == '\\' && quoted != '\'' && i + 1 < t->n) {
			if (t->p[++i] == '\n' && quoted != '$')
				continue;
			to[n++] = c;
			to[n++] = t->p[i];
			continue;
		}
		if (quoted && (c == quoted || (c == '\'' && quoted == '$')))
			quoted = '\0';
		else if (!quoted && c == '\'')
			quoted = i && t->p[i - 1] == '$' ? '$' : '\'';
		else if (!quoted && c == '"')
			quoted = '"';
		to[n++] = c;
	}
	*t = (struct text){ to, n };
	return true;
}

/* Does the text have substitutions whose end cannot be found by counting parentheses? */
static bool hides_its_end(struct text t)
{
	if (!memmem(t.p, t.n, "(", 1) && !memchr(t.p, '`', t.n))
		return false;
	return memmem(t.p, t.n, "esac", 4) || memchr(t.p, '#', t.n) ||
	       memmem(t.p, t.n, "<<", 2);
}

bool shell_braces(struct shell *s, const struct shell_word *b, struct sh_word **ret_first,
		  struct sh_word **ret_last)
{
	struct text t = { b->from, (size_t)(s->p - b->from) };
	struct shell was = *s;
	struct chain c = { NULL };
	struct texts all;
	bool ok;
	size_t i, open, close;

	*ret_first = b->w;
	*ret_last = b->w;
	if (!join_lines(s, &t))
		return false;
	if (hides_its_end(t))
		all = (struct texts){ .cut = true };
	else if (!first_pair(s, t, &open, &close))
		return !shell_is_limit(s);
	else if (!expand(s, t, &all))
		return false;
	if (all.n == 1 && !all.cut && all.v[0].n == t.n &&
	    memcmp(all.v[0].p, t.p, t.n) == 0) {
		s->mem_end = was.mem_end;
		return true;
	}
	s->quiet = true;
	ok = true;
	for (i = 0; ok && i < all.n; i++)
		ok = read_again(s, b, all.v[i], &c);
	if (ok && (all.cut || !c.first))
		ok = any_words(s, b, &c);
	s->quiet = was.quiet;
	s->src = was.src;
	s->p = was.p;
	s->mem_end = was.mem_end;
	*ret_first = c.first;
	*ret_last = c.last;
	return ok;
}
