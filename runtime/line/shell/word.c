/*
 * One word: its pieces after quote removal. Bytes that stand for themselves are not
 * copied. At the first byte that does not, the piece moves to the second copy of the
 * text, at the same offset.
 */
#include "runtime/line/shell/brace.h"
#include "runtime/line/shell/parse.h"

/* --- pieces --------------------------------------------------------------------------- */

struct sh_word *shell_word_new(struct shell *s, const char *from)
{
	struct sh_word *w = shell_alloc(s, sizeof(*w));

	if (!w)
		return NULL;
	w->seg.kind = SH_LIT;
	w->seg.p = from;
	w->from = shell_offset(s, from);
	w->to = s->src.line ? w->from : s->src.to;
	return w;
}

bool shell_word_begin(struct shell *s, struct shell_word *b, unsigned mode)
{
	*b = (struct shell_word){ .from = s->p, .mode = mode };
	b->w = shell_word_new(s, s->p);
	if (!b->w)
		return false;
	b->last = &b->w->seg;
	return true;
}

static bool in_text(const struct shell *s, const char *p)
{
	return p >= s->src.text && p <= s->src.text + s->src.n;
}

static struct sh_seg *append(struct shell *s, struct shell_word *b, enum sh_seg_kind kind)
{
	struct sh_seg *g = &b->w->seg;

	if (b->last != g || g->kind != SH_LIT || g->n) {
		if (!(g = shell_alloc(s, sizeof(*g))))
			return NULL;
		b->last->next = g;
		b->last = g;
	}
	g->kind = kind;
	return g;
}

bool shell_lit(struct shell *s, struct shell_word *b, const char *run, size_t n)
{
	struct sh_seg *g = b->last;

	if (g->kind != SH_LIT && !(g = append(s, b, SH_LIT)))
		return false;
	if (!g->n)
		g->p = run;
	if (g->p + g->n != run && n) {
		if (in_text(s, g->p)) {
			char *to = s->src.out + (g->p - s->src.text);

			memcpy(to, g->p, g->n);
			g->p = to;
		}
		memcpy((char *)(uintptr_t)g->p + g->n, run, n);
	}
	g->n += (uint32_t)n;
	return true;
}

bool shell_lit_byte(struct shell *s, struct shell_word *b, char c, const char *raw)
{
	struct sh_seg *g = b->last;
	char *to;

	if (g->kind != SH_LIT && !(g = append(s, b, SH_LIT)))
		return false;
	if (!g->n)
		g->p = raw;
	if (in_text(s, g->p)) {
		to = s->src.out + (g->p - s->src.text);
		memcpy(to, g->p, g->n);
		g->p = to;
	}
	((char *)(uintptr_t)g->p)[g->n++] = c;
	return true;
}

bool shell_seg(struct shell *s, struct shell_word *b, enum sh_seg_kind kind,
	       const char *p, size_t n)
{
	static const uint32_t flag[] = {
		[SH_LIT] = 0, [SH_ANY] = SH_W_DYNAMIC, [SH_MULTI] = SH_W_DYNAMIC,
		[SH_GLOB] = SH_W_GLOB, [SH_HOME] = SH_W_HOME,
	};
	struct sh_seg *g = append(s, b, kind);

	if (!g)
		return false;
	g->p = p;
	g->n = (uint32_t)n;
	b->w->flags |= flag[kind];
	return true;
}

/* --- tilde -------------------------------------------------------------------------------- */

/* Is the '~' at p at the beginning of a word, or of a part of an assignment's value? */
static bool tilde_here(struct shell *s, const struct shell_word *b, bool *ret_sure)
{
	const char *q = b->from;

	*ret_sure = true;
	if (s->p == b->from)
		return !SHELL_OFF(TILDE);
	if (SHELL_OFF(TILDE_INSIDE))
		return false;
	if ((s->p[-1] != ':' && s->p[-1] != '=') || b->braced)
		return false;
	if (b->mode & W_VALUE) {
		*ret_sure = s->p[-1] == ':' && (s->p - 1 == b->from || s->p[-2] != '\\');
		return true;
	}
	/* the word looks like an assignment; dash expands ~ there for some builtins */
	*ret_sure = !s->posix && s->p - 1 > b->from && s->p[-2] != '\\';
	while (shell_is(*q, C_NAME))
		q++;
	if (*q == '[' || *q == '\\')
		*ret_sure = false;
	else if (*q != '=' && (q[0] != '+' || q[1] != '='))
		return false;
	else if (s->p[-1] == '=' && q + (*q == '+') != s->p - 1)
		/* a second '=' counts if no ~ followed the first one */
		*ret_sure = false;
	return q > b->from && !shell_is(*b->from, C_DIGIT);
}

static bool tilde(struct shell *s, struct shell_word *b)
{
	const char *at = s->p;
	bool sure, value;
	char c;

	if (!tilde_here(s, b, &sure)) {
		s->p++;
		return shell_lit(s, b, s->p - 1, 1);
	}
	value = at > b->from || (b->mode & W_VALUE);
	c = shell_next(s);
	if (c == '"' || c == '\'' || c == '\\')
		return shell_lit(s, b, at, 1);
	if ((c == '<' || c == '>') && !s->posix && shell_peek(s) == '(')
		sure = false;
	if (c == '/' || shell_is(c, C_META) || (c == ':' && value))
		return shell_seg(s, b, sure ? SH_HOME : SH_ANY, NULL, 0);
	if (SHELL_OFF(TILDE_USER))
		return shell_lit(s, b, at, 1);
	/* another user's home, or an entry of the directory stack */
	while (shell_is(shell_at(s), C_PLAIN) && *s->p != '/' && *s->p != ':')
		s->p++;
	/* ~+ is the value of PWD */
	if (s->p - at == 2 && at[1] == '+')
		return shell_seg(s, b, SH_ANY, "PWD", 3);
	/* ~NAME is HOME if that is the user's own name, which a line may use as well; else
	 * nobody knows which directory it is */
	if (s->p - at > 1 && shell_is(at[1], C_NAME))
		return shell_seg(s, b, SH_ANY, SH_A_HOME, 4);
	return shell_seg(s, b, SH_ANY, NULL, 0);
}

/* --- patterns -------------------------------------------------------------------------------- */

/* The rest of the word is an unknown pattern. */
static bool unknown_glob(struct shell *s, struct shell_word *b)
{
	return shell_seg(s, b, SH_GLOB, NULL, 0);
}

/* The last piece holds a ']'. It may close a set that an expansion began. */
static bool may_end_set(struct shell_word *b)
{
	if (b->glob_from)
		b->glob_to = b->last;
	return true;
}

/* '[' at p: it begins a set if a ']' follows in the word. */
static bool bracket(struct shell *s, struct shell_word *b)
{
	const char *p = s->p + 1;
	bool class = false;

	p += *p == '!' || *p == '^';
	p += *p == ']';
	if (s->p < b->no_bracket)
		p = b->no_bracket;
	while (*p != ']' && (shell_is(*p, C_PLAIN) || (*p && strchr("*?[{~", *p))))
		class |= *p++ == '[' && (*p == ':' || *p == '.' || *p == '=');
	if (*p == ']' && !class) {
		const char *from = s->p;

		s->p = p + 1;
		return shell_seg(s, b, SH_GLOB, from, (size_t)(p + 1 - from)) &&
		       may_end_set(b);
	}
	b->no_bracket = p;
	s->p++;
	if (shell_is(*p, C_META) && !class)
		return shell_lit(s, b, s->p - 1, 1);
	/* classes (the C library decides about their names), quotes, expansions: perhaps
	 * a set, with unknown members */
	b->unknown = true;
	return unknown_glob(s, b);
}

bool shell_group(struct shell *s, struct shell_word *b)
{
	const char *from = s->p;
	unsigned open = 0;
	bool ok = true, multi = false;

	do {
		switch (shell_at(s)) {
		case '\0':
			if (!s->src.open)
				s->src.open = from + 1;
			return shell_fail(s, from, "a '(' of a pattern is not closed");
		case '(':
			open++;
			s->p++;
			break;
		case ')':
			open--;
			s->p++;
			break;
		case '\\':
			s->p += s->p[1] ? 2 : 1;
			break;
		case '\'':
			ok = shell_single(s, NULL);
			break;
		case '"':
			ok = shell_double(s, NULL);
			break;
		case '$':
			ok = shell_dollar(s, NULL, IN_WORD, &multi);
			break;
		case '`':
			ok = shell_backquote(s, false);
			break;
		default:
			s->p++;
		}
	} while (ok && open);
	return ok && unknown_glob(s, b) && may_end_set(b);
}

/* A '(' in a word. *ret_is is set if it belongs to the word. */
static bool paren(struct shell *s, struct shell_word *b, bool *ret_is)
{
	char before = s->p > b->from ? s->p[-1] : '\0';

	*ret_is = true;
	if (b->mode & W_REGEX)
		return shell_group(s, b);
	if (((s->extglob && !SHELL_OFF(GLOB_EXTENDED)) ||
	     ((b->mode & W_PATTERN) && !SHELL_OFF(COND_EXTENDED))) &&
	    before && strchr("?*+@!", before) &&
	    (s->p - 1 == b->from || s->p[-2] != '\\')) {
		if (b->last->kind == SH_LIT && b->last->n)
			b->last->n--;
		return shell_group(s, b);
	}
	*ret_is = false;
	return true;
}

bool shell_unquoted(struct shell *s, struct shell_word *b)
{
	if (b->mode & W_VALUE)
		return shell_seg(s, b, SH_ANY, NULL, 0);
	if (!shell_seg(s, b, SH_MULTI, NULL, 0))
		return false;
	if (!b->glob_from)
		b->glob_from = b->last;
	else
		b->glob_to = b->last;
	return true;
}

/*
 * An expansion may begin a set. Its members are then all bytes up to a ']', which may be
 * written or expanded, quoted or not. So none of these bytes is certain.
 */
static void forget_members(struct shell_word *b)
{
	struct sh_seg *g = b->glob_to;
	uint32_t i = g->n;

	/* everything up to that ']' is unknown now */
	b->glob_from->p = NULL;
	b->glob_from->n = 0;
	b->glob_from->var = 0;
	b->glob_from->number = 0;
	if (g->kind == SH_LIT) {
		while (i && g->p[i - 1] != ']')
			i--;
		g->p += i;
		g->n -= i;
		b->glob_from->next = g->n ? g : g->next;
	} else {
		b->glob_from->next = g->next;
	}
}

/* Keeps the pieces as they are now, if all that is unknown of them are variables. */
static bool keep_apart(struct shell *s, struct shell_word *b)
{
	const struct sh_seg *g, **to = &b->w->apart;
	struct sh_seg *copy;

	for (g = &b->w->seg; g; g = g->next)
		if (g->kind != SH_LIT && !g->var)
			return true;
	for (g = &b->w->seg; g; g = g->next) {
		if (!(copy = shell_alloc(s, sizeof(*copy))))
			return false;
		*copy = *g;
		*to = copy;
		to = (const struct sh_seg **)(void *)&copy->next;
	}
	return true;
}

/* The character before an expansion and the expansion may form a pattern together. */
static bool maybe_group(struct shell *s, struct shell_word *b)
{
	char before = s->p > b->from ? s->p[-1] : '\0';

	if (s->extglob && !SHELL_OFF(GLOB_EXTENDED) && before && strchr("+@!", before))
		return unknown_glob(s, b);
	return true;
}

/* --- the word ------------------------------------------------------------------------------------- */

/* Handles a byte that is not plain. *ret_end is set if the word ends before it. */
static bool special(struct shell *s, struct shell_word *b, bool *ret_end)
{
	bool multi = false, is;

	switch (*s->p) {
	case '\'':
		if (SHELL_OFF(QUOTE_SINGLE))
			return shell_lit(s, b, s->p++, 1);
		return shell_single(s, b);
	case '"':
		if (SHELL_OFF(QUOTE_DOUBLE))
			return shell_lit(s, b, s->p++, 1);
		return shell_double(s, b);
	case '\\':
		if (s->p[1] == '\n' && !SHELL_OFF(CONTINUATION)) {
			s->p += 2;
			return true;
		}
		b->w->flags |= SH_W_QUOTED;
		if (SHELL_OFF(QUOTE_BACKSLASH))
			return shell_lit(s, b, s->p++, 1);
		if (!s->p[1] && !s->posix && memchr(s->src.text, '\n', s->src.n)) {
			/* after a quote of several lines, bash drops this backslash */
			shell_fail(s, s->p++, "a backslash at the end of several lines");
			return shell_seg(s, b, SH_ANY, NULL, 0);
		}
		s->p += s->p[1] ? 2 : 1;
		/* at the very end, a backslash stands for itself */
		return shell_lit(s, b, s->p - 1, 1);
	case '$':
		if (b->mode & W_DELIMITER)
			return shell_lit(s, b, s->p++, 1);
		return maybe_group(s, b) && shell_dollar(s, b, IN_WORD, &multi);
	case '`':
		if (b->mode & W_DELIMITER)
			return shell_lit(s, b, s->p++, 1);
		return maybe_group(s, b) && shell_backquote(s, false) && shell_unquoted(s, b);
	case '*':
	case '?':
		s->p++;
		if ((b->mode & W_VALUE) || SHELL_OFF_AT(GLOB_STAR, s->p[-1] == '?'))
			return shell_lit(s, b, s->p - 1, 1);
		return shell_seg(s, b, SH_GLOB, s->p - 1, 1);
	case '[':
		if (!(b->mode & W_VALUE) && !SHELL_OFF(GLOB_SET))
			return bracket(s, b);
		s->p++;
		return shell_lit(s, b, s->p - 1, 1);
	case '{':
		b->brace = true;
		s->p++;
		return shell_lit(s, b, s->p - 1, 1);
	case '~':
		return tilde(s, b);
	case '(':
		if (!paren(s, b, &is))
			return false;
		*ret_end = !is;
		return true;
	case '|':
		if (!(b->mode & W_REGEX))
			break;
		s->p++;
		return shell_lit(s, b, s->p - 1, 1);
	case '<':
	case '>':
		if (s->posix || shell_peek(s) != '(')
			break;
		b->w->flags |= SH_W_PROCSUB;
		return shell_procsub(s) && shell_seg(s, b, SH_ANY, NULL, 0);
	default:
		break;
	}
	*ret_end = true;
	return true;
}

bool shell_word_rest(struct shell *s, struct shell_word *b)
{
	bool end = false;

	while (!end) {
		const char *run = s->p;

		while (shell_is(*s->p, C_PLAIN))
			s->p++;
		if (s->p > run && !shell_lit(s, b, run, (size_t)(s->p - run)))
			return false;
		if (b->glob_from && s->p > run && memchr(run, ']', (size_t)(s->p - run)))
			may_end_set(b);
		/* most words end here */
		if (*s->p == ' ' || !*s->p)
			break;
		if (!special(s, b, &end))
			return false;
	}
	if (b->glob_to && !b->unknown && !keep_apart(s, b))
		return false;
	if (b->glob_to)
		forget_members(b);
	if (b->unknown) {
		/* literal pieces after an open set may be members of it */
		struct sh_seg *g;

		for (g = &b->w->seg; g; g = g->next)
			if (g->kind == SH_GLOB && !g->n)
				break;
		if (g && !(b->w->flags & SH_W_DYNAMIC))
			g->next = NULL;
		else if (g)
			*g = (struct sh_seg){ .kind = SH_MULTI };
	}
	if (s->src.line)
		b->w->to = shell_offset(s, s->p);
	return true;
}

bool shell_word(struct shell *s, unsigned mode, struct sh_word **ret_first,
		struct sh_word **ret_last)
{
	struct shell_word b;

	if (!shell_word_begin(s, &b, mode) || !shell_word_rest(s, &b))
		return false;
	if (__builtin_expect(b.brace && (mode & W_BRACES) && !s->posix && !s->quiet, 0))
		return shell_braces(s, &b, ret_first, ret_last);
	*ret_first = b.w;
	*ret_last = b.w;
	return true;
}

bool shell_body(struct shell *s, struct shell_word *b)
{
	return shell_word_begin(s, b, W_VALUE) && shell_double_text(s, b, '\0');
}
