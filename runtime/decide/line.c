/*
 * Splits a line that is one simple command of literal words, exactly as bash
 * reads it.  What a shell would do anything else with than split and unquote
 * makes the line unparsed; nothing is guessed.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/decide/line.h"

struct scan {
	const char *p, *end;
	char *out;          /* next byte of the word */
	struct line_words *w;
	size_t max;         /* words that argv has room for */
};

static bool unparsed(struct scan *s, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static bool unparsed(struct scan *s, const char *fmt, ...)
{
	va_list ap;
	char *c;

	va_start(ap, fmt);
	vsnprintf(s->w->why, sizeof(s->w->why), fmt, ap);
	va_end(ap);
	/* the reason goes to terminals */
	for (c = s->w->why; *c; c++)
		if ((unsigned char)*c < ' ' || (unsigned char)*c > '~')
			*c = '?';
	s->w->unparsed = true;
	return false;
}

/* --- the bytes of the line ------------------------------------------------ */

/* Controls that change the order in which a text is shown. */
static bool is_bidi(const unsigned char *p, size_t n)
{
	if (n >= 2 && p[0] == 0xd8 && p[1] == 0x9c)
		return true; /* U+061C */
	if (n < 3 || p[0] != 0xe2)
		return false;
	if (p[1] == 0x80) /* U+200E, U+200F, U+202A to U+202E */
		return p[2] == 0x8e || p[2] == 0x8f || (p[2] >= 0xaa && p[2] <= 0xae);
	return p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9; /* U+2066 to U+2069 */
}

static bool check_bytes(struct scan *s)
{
	const unsigned char *p = (const unsigned char *)s->p;
	size_t n = (size_t)(s->end - s->p), i;

	for (i = 0; i < n; i++) {
		if ((p[i] < ' ' && p[i] != '\t' && p[i] != '\n') || p[i] == 0x7f)
			return unparsed(s, "the byte 0x%02x is a control byte", p[i]);
		if (is_bidi(p + i, n - i))
			return unparsed(s, "a character changes the direction of text");
	}
	return true;
}

/* --- quoting ----------------------------------------------------------------- */

static void put(struct scan *s, char c)
{
	*s->out++ = c;
}

static bool is_name_start(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* A '$' stands for itself before anything else than these. */
static bool expands(const struct scan *s, bool in_quotes)
{
	char c;

	if (s->p + 1 >= s->end)
		return false;
	c = s->p[1];
	if (is_name_start(c) || is_digit(c) || strchr("{([*@#?-$!", c))
		return true;
	return !in_quotes && (c == '\'' || c == '"');
}

static bool take_single(struct scan *s)
{
	const char *close = memchr(s->p + 1, '\'', (size_t)(s->end - s->p) - 1);

	if (!close)
		return unparsed(s, "a single quote is not closed");
	for (s->p++; s->p < close; s->p++)
		put(s, *s->p);
	s->p++;
	return true;
}

static bool take_double(struct scan *s)
{
	for (s->p++; s->p < s->end && *s->p != '"'; s->p++) {
		char next = s->p + 1 < s->end ? s->p[1] : '\0';

		if (*s->p == '`' || (*s->p == '$' && expands(s, true)))
			return unparsed(s, "a word has an expansion in double quotes");
		if (*s->p == '\\' && next == '\n') {
			s->p++;
			continue;
		}
		if (*s->p == '\\' && next && strchr("$`\"\\", next))
			s->p++;
		put(s, *s->p);
	}
	if (s->p == s->end)
		return unparsed(s, "a double quote is not closed");
	s->p++;
	return true;
}

static int hex_of(char c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Up to `max` digits of a base at s->p; false when there is none. */
static bool take_number(struct scan *s, unsigned base, int max, unsigned *ret)
{
	unsigned v = 0;
	int n;

	for (n = 0; n < max && s->p < s->end; n++, s->p++) {
		int d = hex_of(*s->p);

		if (d < 0 || (unsigned)d >= base)
			break;
		v = v * base + (unsigned)d;
	}
	*ret = v;
	return n > 0;
}

/* One escape of $'…', s->p behind its backslash. */
static bool take_escape(struct scan *s)
{
	static const char from[] = "abeEfnrtv\\'\"?";
	static const char to[] = "\a\b\033\033\f\n\r\t\v\\'\"?";
	char c = *s->p;
	const char *at = c ? strchr(from, c) : NULL;
	unsigned v;

	if (at) {
		put(s, to[at - from]);
		s->p++;
		return true;
	}
	if (c >= '0' && c <= '7') {
		take_number(s, 8, 3, &v);
	} else if (c == 'x') {
		s->p++;
		if (!take_number(s, 16, 2, &v))
			return unparsed(s, "an escape of $'...' is not understood");
	} else if (c == 'u' || c == 'U' || c == 'c') {
		/* what these give depends on the locale, or on what follows */
		return unparsed(s, "an escape of $'...' is not understood");
	} else {
		put(s, '\\');
		return true;
	}
	if ((v & 0xff) == 0)
		return unparsed(s, "an escape of $'...' is NUL");
	put(s, (char)(v & 0xff));
	return true;
}

static bool take_ansi(struct scan *s)
{
	for (s->p += 2; s->p < s->end && *s->p != '\'';) {
		if (*s->p != '\\') {
			put(s, *s->p++);
			continue;
		}
		if (++s->p == s->end)
			break;
		if (!take_escape(s))
			return false;
	}
	if (s->p == s->end)
		return unparsed(s, "a $' quote is not closed");
	s->p++;
	return true;
}

/* --- words ------------------------------------------------------------------------ */

struct word {
	const char *start; /* in the line */
	char *text;
	bool quoted;       /* some part of it is */
	bool quoted_name;  /* … before its first '=' */
	bool has_equals;
};

/* Bytes that a shell does not take as they stand, outside of quotes. */
static bool take_special(struct scan *s, const struct word *w)
{
	bool first = s->p == w->start;
	char c = *s->p;

	if (strchr("|&;()<>\n", c))
		return unparsed(s, "'%c' joins, groups or redirects commands",
				c == '\n' ? ' ' : c);
	if (c == '`' || (c == '$' && expands(s, false)))
		return unparsed(s, "a word has an expansion");
	if (strchr("*?[", c))
		return unparsed(s, "the unquoted '%c' is a glob", c);
	if (c == '{' || c == '}') {
		/* a word {} alone is what find takes */
		bool pair = s->end - w->start >= 2 && w->start[0] == '{' &&
			    w->start[1] == '}' &&
			    (s->end - w->start == 2 || strchr(" \t\n", w->start[2]));
		if (!pair)
			return unparsed(s, "the unquoted '%c' groups or expands", c);
	}
	if (c == '#' && first)
		return unparsed(s, "there is a comment");
	if (c == '~' && (first || s->p[-1] == '=' || s->p[-1] == ':'))
		return unparsed(s, "the unquoted '~' is a home directory");
	put(s, c);
	s->p++;
	return true;
}

static bool take_part(struct scan *s, struct word *w)
{
	bool quote = strchr("'\"\\", *s->p) ||
		     (*s->p == '$' && s->p + 1 < s->end && s->p[1] == '\'');

	if (quote) {
		w->quoted = true;
		w->quoted_name |= !w->has_equals;
	}
	if (*s->p == '\'')
		return take_single(s);
	if (*s->p == '"')
		return take_double(s);
	if (*s->p == '$' && quote)
		return take_ansi(s);
	if (*s->p == '\\') {
		if (s->p + 1 == s->end)
			return unparsed(s, "there is a backslash at the end");
		put(s, s->p[1]);
		s->p += 2;
		return true;
	}
	w->has_equals |= *s->p == '=';
	return take_special(s, w);
}

/* NAME=, NAME+= and NAME[…]= with no quote before the '='. */
static bool is_assignment(const struct word *w)
{
	const char *c = w->text;

	if (w->quoted_name || !is_name_start(*c))
		return false;
	while (is_name_start(*c) || is_digit(*c))
		c++;
	return *c == '=' || (c[0] == '+' && c[1] == '=');
}

static bool is_one_of(const char *word, const char *const *list)
{
	for (; *list; list++)
		if (strcmp(word, *list) == 0)
			return true;
	return false;
}

/* The first word: what a shell would do itself instead of starting a program. */
static bool check_program(struct scan *s, const struct word *w)
{
	static const char *const reserved[] = {
		"!", "[[", "]]", "{", "}", "case", "coproc", "do", "done", "elif",
		"else", "esac", "fi", "for", "function", "if", "in", "select", "then",
		"time", "until", "while", NULL
	};
	static const char *const builtins[] = {
		".", ":", "[", "alias", "bg", "bind", "break", "builtin", "caller",
		"cd", "command", "compgen", "complete", "compopt", "continue",
		"declare", "dirs", "disown", "echo", "enable", "eval", "exec", "exit",
		"export", "false", "fc", "fg", "getopts", "hash", "help", "history",
		"jobs", "kill", "let", "local", "logout", "mapfile", "popd", "printf",
		"pushd", "pwd", "read", "readarray", "readonly", "return", "set",
		"shift", "shopt", "source", "suspend", "test", "times", "trap",
		"true", "type", "typeset", "ulimit", "umask", "unalias", "unset",
		"wait", NULL
	};

	if (is_assignment(w))
		return unparsed(s, "the word '%.40s' is an assignment", w->text);
	if (!w->quoted && is_one_of(w->text, reserved))
		return unparsed(s, "'%s' is a reserved word", w->text);
	if (is_one_of(w->text, builtins))
		return unparsed(s, "'%s' is a builtin of the shell", w->text);
	return true;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool take_word(struct scan *s)
{
	struct word w = { .start = s->p, .text = s->out };

	while (s->p < s->end && !is_blank(*s->p) && *s->p != '\n')
		if (!take_part(s, &w))
			return false;
	put(s, '\0');
	if (s->w->argc == 0 && !check_program(s, &w))
		return false;
	if (s->w->argc >= s->max)
		return unparsed(s, "there are too many words");
	s->w->argv[s->w->argc++] = w.text;
	return true;
}

static bool is_rest_blank(const struct scan *s)
{
	const char *p;

	for (p = s->p; p < s->end; p++)
		if (!is_blank(*p) && *p != '\n')
			return false;
	return true;
}

static bool take_line(struct scan *s)
{
	while (s->p < s->end) {
		if (is_blank(*s->p) || (*s->p == '\n' && !s->w->argc)) {
			s->p++;
		} else if (*s->p == '\n') {
			/* newlines may stand before and behind the command */
			if (!is_rest_blank(s))
				return unparsed(s, "there is more than one line");
			break;
		} else if (!take_word(s)) {
			return false;
		}
	}
	return s->w->argc ? true : unparsed(s, "there is no command");
}

/*
 * A backslash before a newline is nothing at all, wherever no single quotes
 * are, even inside of other tokens: taken out first, as the shell does.
 */
static size_t join_lines(const char *line, size_t n, char *out)
{
	enum { PLAIN, SINGLE, DOUBLE, ANSI } in = PLAIN;
	bool dollar = false;
	size_t i, o = 0;

	for (i = 0; i < n; i++) {
		char c = line[i];

		if (c == '\\' && in != SINGLE && i + 1 < n) {
			if (line[++i] == '\n' && in != ANSI)
				continue;
			out[o++] = c;
			out[o++] = line[i];
			dollar = false;
			continue;
		}
		if (c == '\'' && in == PLAIN)
			in = dollar ? ANSI : SINGLE;
		else if (c == '\'' && (in == SINGLE || in == ANSI))
			in = PLAIN;
		else if (c == '"' && (in == PLAIN || in == DOUBLE))
			in = in == PLAIN ? DOUBLE : PLAIN;
		dollar = in == PLAIN && c == '$' && !dollar;
		out[o++] = c;
	}
	return o;
}

int line_split(const char *line, size_t len, struct line_words *ret)
{
	struct line_words w = { .argc = 0 };
	struct scan s = { .p = line, .end = line + len, .w = &w };
	char *joined;

	if (len > LINE_MAX_BYTES) {
		unparsed(&s, "the line has more than %zu bytes", LINE_MAX_BYTES);
		*ret = w;
		return -E2BIG;
	}
	s.max = len / 2 + 1;
	joined = malloc(len + 1);
	w.buf = malloc(len + s.max + 1);
	w.argv = calloc(s.max + 1, sizeof(*w.argv));
	if (!joined || !w.buf || !w.argv) {
		free(joined);
		line_release(&w);
		return -ENOMEM;
	}
	s.out = w.buf;
	if (check_bytes(&s)) {
		s.end = joined + join_lines(line, len, joined);
		s.p = joined;
		take_line(&s);
	}
	if (w.unparsed) {
		w.argc = 0;
		w.argv[0] = NULL;
	}
	free(joined);
	*ret = w;
	return 0;
}

void line_release(struct line_words *w)
{
	free(w->buf);
	free(w->argv);
	*w = (struct line_words){ .argc = 0 };
}
