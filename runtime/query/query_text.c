/*
 * Decides which texts are refused before json-c reads them.  This file only finds
 * positions; json-c finds out what the text says.
 */
#include "runtime/query/query_text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/io.h"
#include "runtime/base/utf8.h"

struct scan {
	const char *p;
	size_t n, i;
	size_t depth, values;
	bool want_key; /* at depth 1, after '{' or ',' */
	struct query_text *t;
	struct rt_err *err;
};

const char *query_text_key(const struct query_text *t, size_t i, char out[QUERY_SHOWN_CAP])
{
	char key[QUERY_SHOWN_CAP - 6];

	out[0] = '\0';
	if (i >= t->n)
		return out;
	io_escape(key, sizeof(key), t->p + t->m[i].key, t->m[i].key_n);
	(void)snprintf(out, QUERY_SHOWN_CAP, "'%s': ", key);
	return out;
}

static bool fail(const struct scan *s, const char *what)
{
	char key[QUERY_SHOWN_CAP];

	(void)rt_fail(s->err, EINVAL, "%s%s", query_text_key(s->t, s->t->n - 1, key), what);
	return false;
}

/* --- strings ------------------------------------------------------------------ */

/* The value of the four hexadecimal digits at `at`, or -1. */
static int hex4(const struct scan *s, size_t at)
{
	int v = 0;

	if (at > s->n || s->n - at < 4)
		return -1;
	for (size_t i = at; i < at + 4; i++) {
		char c = s->p[i];

		if (c >= '0' && c <= '9')
			v = v * 16 + (c - '0');
		else if ((c | 32) >= 'a' && (c | 32) <= 'f')
			v = v * 16 + ((c | 32) - 'a' + 10);
		else
			return -1;
	}
	return v;
}

/* True inside the value of the outermost key "line": questions about any text are
 * allowed. */
static bool is_shell_line(const struct scan *s)
{
	const struct query_member *m = s->t->n ? &s->t->m[s->t->n - 1] : NULL;

	return m && m->value && m->key_n == 4 && memcmp(s->p + m->key, "line", 4) == 0 &&
	       s->p[m->value] == '"' && !m->value_n;
}

/* Called at the backslash; moves to after the escape. */
static bool take_escape(struct scan *s)
{
	int v, low;

	if (s->i + 1 >= s->n || s->p[s->i + 1] != 'u') {
		s->i += 2;
		return true;
	}
	v = hex4(s, s->i + 2);
	if (v < 0)
		return fail(s, "an escape \\u has no four hexadecimal digits");
	if (v == 0 && !is_shell_line(s))
		return fail(s, "a text may not hold NUL (\\u0000)");
	s->i += 6;
	if (v < 0xd800 || v > 0xdfff)
		return true;
	/* json-c would replace half a pair by another character */
	low = s->n - s->i >= 2 && s->p[s->i] == '\\' && s->p[s->i + 1] == 'u' ?
		      hex4(s, s->i + 2) : -1;
	if (v > 0xdbff || low < 0xdc00 || low > 0xdfff)
		return fail(s, "an escape \\u is half of a surrogate pair");
	s->i += 6;
	return true;
}

/* Called at the opening quote; moves to after the closing one. */
static bool take_string(struct scan *s)
{
	for (s->i++; s->i < s->n && s->p[s->i] != '"';) {
		unsigned char c = (unsigned char)s->p[s->i];
		size_t k;

		if (c == '\\') {
			if (!take_escape(s))
				return false;
			continue;
		}
		if (c < 0x20)
			return fail(s, "a text may not hold a control byte as it is");
		k = c < 0x80 ? 1 : utf8_length(s->p + s->i, s->n - s->i);
		if (k == 0)
			return fail(s, "a text is not UTF-8");
		s->i += k;
	}
	if (s->i >= s->n)
		return fail(s, "a text is not ended by a quote");
	s->i++;
	return true;
}

/* --- other values ----------------------------------------------------------------- */

static size_t digits(const char *p, size_t n, size_t i)
{
	while (i < n && p[i] >= '0' && p[i] <= '9')
		i++;
	return i;
}

/* RFC 8259, section 6. */
static bool is_number(const char *p, size_t n)
{
	size_t i = n && p[0] == '-', from = i;

	i = digits(p, n, i);
	if (i == from || (p[from] == '0' && i > from + 1))
		return false;
	if (i < n && p[i] == '.') {
		from = ++i;
		i = digits(p, n, i);
		if (i == from)
			return false;
	}
	if (i < n && (p[i] | 32) == 'e') {
		i++;
		if (i < n && (p[i] == '+' || p[i] == '-'))
			i++;
		from = i;
		i = digits(p, n, i);
		if (i == from)
			return false;
	}
	return i == n;
}

static bool is_word(const char *p, size_t n, const char *word)
{
	return strlen(word) == n && memcmp(p, word, n) == 0;
}

/* Takes a number, true, false or null, up to a byte that may follow one. */
static bool take_plain(struct scan *s)
{
	const char *from = s->p + s->i;
	size_t k = 0;

	while (s->i + k < s->n && !memchr(" \t\r\n,:[]{}\"", from[k], 11))
		k++;
	s->i += k;
	if (is_number(from, k) || is_word(from, k, "true") || is_word(from, k, "false") ||
	    is_word(from, k, "null"))
		return true;
	return fail(s, "something is no JSON: texts stand in double quotes");
}

/* --- the whole ---------------------------------------------------------------------- */

static struct query_member *last(struct scan *s)
{
	return s->t->n ? &s->t->m[s->t->n - 1] : NULL;
}

static bool take_key(struct scan *s)
{
	struct query_member *m;
	size_t from = s->i + 1;

	if (s->t->n == QUERY_MAX_KEYS)
		return fail(s, "there are too many keys behind this one");
	/* if the key is malformed, the message shows the part that was read */
	m = &s->t->m[s->t->n++];
	*m = (struct query_member){ .key = from,
				    .key_n = s->n - from < 24 ? s->n - from : 24 };
	if (!take_string(s))
		return false;
	m->key_n = s->i - 1 - from;
	s->want_key = false;
	return true;
}

static void end_value(struct scan *s)
{
	struct query_member *m = last(s);

	if (!m || m->value == 0 || m->value_n)
		return;
	m->value_n = s->i - m->value;
	while (m->value_n && strchr(" \t\r\n", s->p[m->value + m->value_n - 1]))
		m->value_n--;
}

static void begin_value(struct scan *s)
{
	struct query_member *m = last(s);
	size_t i = s->i + 1;

	while (i < s->n && strchr(" \t\r\n", s->p[i]))
		i++;
	if (m && m->value == 0)
		m->value = i;
}

static bool take_mark(struct scan *s, char c)
{
	struct query_member *m = last(s);

	switch (c) {
	case '{':
	case '[':
		s->want_key = s->depth == 0;
		if (++s->depth > QUERY_MAX_DEPTH)
			return fail(s, "lists and objects are nested too deep");
		break;
	case '}':
	case ']':
		if (s->depth == 1)
			end_value(s);
		s->depth -= s->depth > 0;
		break;
	case ',':
		if (s->depth == 1) {
			end_value(s);
			s->want_key = true;
		}
		break;
	case ':':
		if (s->depth == 1)
			begin_value(s);
		else if (m)
			m->members++;
		break;
	default:
		break;
	}
	if (++s->values > QUERY_MAX_VALUES)
		return fail(s, "there are too many values");
	s->i++;
	return true;
}

bool query_text_scan(const char *p, size_t n, struct query_text *ret, struct rt_err *err)
{
	struct scan s = { .p = p, .n = n, .t = ret, .err = err };

	ret->p = p;
	ret->n = 0;
	while (s.i < n) {
		char c = p[s.i];
		bool ok = true;

		if (c == ' ' || c == '\t' || c == '\r' || c == '\n')
			s.i++;
		else if (c == '"')
			ok = s.depth == 1 && s.want_key ? take_key(&s) : take_string(&s);
		else if (c && strchr("{}[],:", c))
			ok = take_mark(&s, c);
		else
			ok = take_plain(&s);
		if (!ok)
			return false;
	}
	return true;
}
