/*
 * Scalars: bare if every reader of YAML takes the bare word for the same text, in
 * single quotes if nothing needs an escape, else in double quotes.
 */
#include "compiler/format/quote.h"

#include <strings.h>

#include "compiler/base/vec.h"
#include "compiler/diag/width.h"

#define MAX_KEY 96 /* YAML allows 1024 characters, and each may be an escape of ten */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Does YAML 1.1 or 1.2 read the word as something other than text? */
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

/* Escapes characters that YAML refuses or that a reader could not see. */
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

bool quote_is_visible(struct str s)
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

struct str quote_text(struct arena *a, struct str text)
{
	struct buf b;

	if (is_bare(text))
		return text;
	buf_init(&b, a);
	if (!quote_is_visible(text)) {
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

bool quote_is_utf8(struct str text)
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

bool quote_is_key(struct str text)
{
	return text.n <= MAX_KEY && quote_is_utf8(text);
}
