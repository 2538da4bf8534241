/*
 * Scalars: bare where every reader of YAML takes the bare word for the same
 * text, in single quotes where nothing needs an escape, else in double ones.
 */
#include <strings.h>

#include "compiler/diag/width.h"
#include "compiler/format/node.h"

#define MAX_KEY 96 /* YAML allows 1024 characters, each may be an escape of ten */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* What YAML 1.1 or 1.2 reads as something else than a text. */
static bool is_ambiguous(struct str s)
{
	static const char *const words[] = { "null", "true", "false", "yes", "no",
					     "on",   "off",  "y",     "n",   "~" };
	size_t sign = s.p[0] == '-' || s.p[0] == '+';

	for (size_t i = 0; i < POL_LEN(words); i++)
		if (s.n == strlen(words[i]) && strncasecmp(s.p, words[i], s.n) == 0)
			return true;
	if (sign < s.n && s.p[sign] == '.')
		sign++;
	if (sign < s.n && is_digit(s.p[sign]))
		return true;
	return str_starts(s, STR("---")) || str_starts(s, STR("...")) ||
	       (sign && s.n >= sign + 3 && (strncasecmp(s.p + sign, "inf", 3) == 0 ||
					    strncasecmp(s.p + sign, "nan", 3) == 0));
}

static bool is_bare(struct str s)
{
	static const char begins[] = "./_-", inside[] = "./_-+=^ ";

	if (!s.n || s.p[s.n - 1] == ' ' || (s.p[0] == '-' && (s.n == 1 || s.p[1] == ' ')))
		return false;
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];
		bool word = is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');

		if (!word && (c == '\0' || !strchr(i ? inside : begins, c)))
			return false;
	}
	return !is_ambiguous(s);
}

static bool is_visible(uint32_t c, bool valid)
{
	return valid && utf8_is_printable(c);
}

/* Characters that YAML, or a reader's eye, takes only as an escape. */
static void put_escape(struct buf *b, uint32_t c)
{
	if (c == '\n')
		buf_z(b, "\\n");
	else if (c == '\t')
		buf_z(b, "\\t");
	else if (c < 0x100)
		buf_printf(b, "\\x%02X", c);
	else if (c < 0x10000)
		buf_printf(b, "\\u%04X", c);
	else
		buf_printf(b, "\\U%08X", c);
}

static void put_double(struct buf *b, struct str s)
{
	uint32_t c;
	bool valid;

	buf_ch(b, '"');
	for (size_t i = 0, n; i < s.n; i += n) {
		n = utf8_next(s, i, &c, &valid);
		if (c == '"' || c == '\\') {
			buf_ch(b, '\\');
			buf_ch(b, (char)c);
		} else if (is_visible(c, valid)) {
			buf_add(b, s.p + i, n);
		} else {
			put_escape(b, c);
		}
	}
	buf_ch(b, '"');
}

static bool all_visible(struct str s)
{
	uint32_t c;
	bool valid;

	for (size_t i = 0, n; i < s.n; i += n) {
		n = utf8_next(s, i, &c, &valid);
		if (!is_visible(c, valid))
			return false;
	}
	return true;
}

struct str node_quote(struct arena *a, struct str text)
{
	struct buf b;

	if (is_bare(text))
		return text;
	buf_init(&b, a);
	if (!all_visible(text)) {
		put_double(&b, text);
		return buf_view(&b);
	}
	buf_ch(&b, '\'');
	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] == '\'')
			buf_ch(&b, '\'');
		buf_ch(&b, text.p[i]);
	}
	buf_ch(&b, '\'');
	return buf_view(&b);
}

struct node *node_lines(struct arena *a, struct str one_line, struct str lines)
{
	struct node *n = node_text(a, one_line);
	struct str rest = lines;

	while (rest.n) {
		const char *end = memchr(rest.p, '\n', rest.n);
		size_t line = end ? (size_t)(end - rest.p) : rest.n;

		if (!all_visible(str_sub(rest, 0, line)))
			return n;
		rest = str_sub(rest, line + 1, rest.n);
	}
	n->lines = lines;
	n->layout = NODE_BLOCK;
	return n;
}

bool node_is_utf8(struct str text)
{
	uint32_t c;
	bool valid;

	for (size_t i = 0, n; i < text.n; i += n) {
		n = utf8_next(text, i, &c, &valid);
		if (!valid)
			return false;
	}
	return true;
}

bool node_is_key(struct str text)
{
	return text.n <= MAX_KEY && node_is_utf8(text);
}
