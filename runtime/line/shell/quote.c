/*
 * Quoted text: single, double, and $'…' with its escapes. If the builder is NULL, the
 * text is only skipped.
 */
#include "runtime/line/shell/parse.h"

static bool unclosed(struct shell *s, const char *from, const char *why)
{
	if (!s->src.open)
		s->src.open = from;
	return shell_fail(s, from, why);
}

static bool add(struct shell *s, struct shell_word *b, const char *run, size_t n)
{
	return !b || shell_lit(s, b, run, n);
}

bool shell_single(struct shell *s, struct shell_word *b)
{
	const char *from = s->p + 1, *end = strchr(from, '\'');

	if (b)
		b->w->flags |= SH_W_QUOTED;
	if (!end) {
		s->p = from + strlen(from);
		return unclosed(s, from, "a single quote is not closed");
	}
	s->p = end + 1;
	return add(s, b, from, (size_t)(end - from));
}

/* --- double quotes -------------------------------------------------------------------- */

static bool backslash(struct shell *s, struct shell_word *b, char close)
{
	char c = s->p[1];

	if (c == '\n' && !SHELL_OFF(DOUBLE_CONTINUATION)) {
		s->p += 2;
		return true;
	}
	if ((c == '$' || c == '`' || c == '\\' || (c == '"' && close == '"')) &&
	    !SHELL_OFF(DOUBLE_ESCAPE)) {
		s->p += 2;
		return add(s, b, s->p - 1, 1);
	}
	s->p++;
	return add(s, b, s->p - 1, 1);
}

bool shell_double_text(struct shell *s, struct shell_word *b, char close)
{
	int in = close ? IN_QUOTES : IN_HEREDOC;
	bool ok = true, inner = s->inner_quotes;

	s->inner_quotes = false;
	while (ok) {
		const char *run = s->p;
		bool multi = false;

		while (shell_is(*s->p, C_DPLAIN))
			s->p++;
		if (s->p > run && !add(s, b, run, (size_t)(s->p - run)))
			return false;
		if (*s->p == close) {
			s->p += close != '\0';
			return true;
		}
		if (b && (b->mode & W_DELIMITER) && *s->p && *s->p != '\\') {
			ok = add(s, b, s->p++, 1);
			continue;
		}
		switch (*s->p) {
		case '\0':
			return false;
		case '\\':
			ok = backslash(s, b, close);
			break;
		case '$':
			ok = shell_dollar(s, b, in, &multi);
			break;
		case '`':
			ok = shell_backquote(s, (in == IN_QUOTES || s->posix) && !inner) &&
			     (!b || shell_seg(s, b, SH_ANY, NULL, 0));
			break;
		default: /* a '"' in a here-document */
			ok = add(s, b, s->p++, 1);
		}
	}
	return false;
}

bool shell_double(struct shell *s, struct shell_word *b)
{
	const char *from = ++s->p;

	if (b)
		b->w->flags |= SH_W_QUOTED;
	if (b && !shell_lit(s, b, from, 0))
		return false;
	if (shell_double_text(s, b, '"'))
		return true;
	return *s->p ? false : unclosed(s, from, "a double quote is not closed");
}

/* --- $'…' ------------------------------------------------------------------------------- */

static int hex_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool number(struct shell *s, unsigned base, int max, uint32_t *ret)
{
	uint32_t v = 0;
	int n;

	for (n = 0; n < max; n++, s->p++) {
		int d = hex_of(*s->p);

		if (d < 0 || (unsigned)d >= base)
			break;
		v = v * base + (uint32_t)d;
	}
	*ret = v;
	return n > 0;
}

enum escape { ESC_BYTE, ESC_LITERAL, ESC_UNKNOWN };

/* Reads what follows a backslash at p. */
static enum escape escape(struct shell *s, uint32_t *ret)
{
	static const char from[] = "abeEfnrtv\\'\"?", to[] = "\a\b\033\033\f\n\r\t\v\\'\"?";
	char c = *s->p;
	const char *at = c ? strchr(from, c) : NULL;

	if (at && !SHELL_OFF(ANSI_LETTER)) {
		*ret = (unsigned char)to[at - from];
		s->p++;
		return ESC_BYTE;
	}
	if (c >= '0' && c <= '7' && !SHELL_OFF(ANSI_OCTAL)) {
		number(s, 8, 3, ret);
		*ret &= 0xff;
		return ESC_BYTE;
	}
	if (c == 'x' && !SHELL_OFF(ANSI_HEX)) {
		s->p++;
		if (*s->p == '{') {
			s->p++;
			number(s, 16, 1 << 20, ret);
			s->p += *s->p == '}';
			return ESC_UNKNOWN;
		}
		if (number(s, 16, 2, ret))
			return ESC_BYTE;
		s->p--;
	} else if ((c == 'u' || c == 'U') && !SHELL_OFF(ANSI_UNICODE)) {
		s->p++;
		/* characters that are not ASCII depend on the locale */
		if (number(s, 16, c == 'u' ? 4 : 8, ret))
			return *ret < 0x80 ? ESC_BYTE : ESC_UNKNOWN;
		s->p--;
	} else if (c == 'c' && SHELL_OFF(ANSI_CONTROL)) {
		return ESC_LITERAL;
	} else if (c == 'c' && s->p[1] && s->p[1] != '\'' && s->p[1] != '\\' &&
		   !((unsigned char)s->p[1] & 0x80)) {
		*ret = s->p[1] == '?' ? 0x7f : s->p[1] & 0x1f;
		s->p += 2;
		return ESC_BYTE;
	} else if (c == 'c') {
		s->p++;
		if (*s->p && *s->p != '\'')
			s->p += s->p[0] == '\\' && s->p[1] ? 2 : 1;
		return ESC_UNKNOWN;
	}
	return ESC_LITERAL;
}

bool shell_ansi(struct shell *s, struct shell_word *b)
{
	const char *from = ++s->p;
	bool cut = false, ok = true;

	if (b)
		b->w->flags |= SH_W_QUOTED;
	ok = add(s, b, from, 0);
	while (ok && *s->p && *s->p != '\'') {
		const char *at = s->p;
		uint32_t v = 0;

		if (*at != '\\' || !at[1]) {
			while (*s->p && *s->p != '\'' && *s->p != '\\')
				s->p++;
			s->p += s->p == at;
			ok = cut || add(s, b, at, (size_t)(s->p - at));
			continue;
		}
		s->p++;
		switch (escape(s, &v)) {
		case ESC_BYTE:
			/* a NUL ends the text, not the quote */
			cut |= v == 0 && !SHELL_OFF(ANSI_NUL);
			ok = cut || !b || shell_lit_byte(s, b, (char)v, at);
			break;
		case ESC_LITERAL:
			ok = cut || add(s, b, at, 1);
			break;
		case ESC_UNKNOWN:
			ok = cut || !b || shell_seg(s, b, SH_ANY, NULL, 0);
			break;
		}
	}
	if (!ok)
		return false;
	if (!*s->p)
		return unclosed(s, from, "a $' quote is not closed");
	s->p++;
	return true;
}
