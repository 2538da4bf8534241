/* Reads the values of the manifest's one layout; knows no key. */
#include "runtime/bundle/canonical.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static bool peek(const struct canonical *c, const char *text)
{
	size_t len = strlen(text);

	return c->n - c->at >= len && memcmp(c->p + c->at, text, len) == 0;
}

bool canonical_take(struct canonical *c, const char *text)
{
	if (!peek(c, text))
		return false;
	c->at += strlen(text);
	return true;
}

int canonical_expect(struct canonical *c, const char *text)
{
	if (canonical_take(c, text))
		return 0;
	/* The first line of the text is enough. */
	text += strspn(text, ",\n ");
	return rt_fail(c->err, EBADMSG,
		       "manifest.json is not canonical at byte %zu: expected '%.*s'",
		       c->at, (int)strcspn(text, "\n"), text);
}

int canonical_bad(struct canonical *c, const char *what)
{
	return rt_fail(c->err, EBADMSG, "manifest.json has no valid %s at byte %zu",
		       what, c->at);
}

/* A decimal number without sign and leading zeros. */
int canonical_number(struct canonical *c, const char *what, uint64_t *ret)
{
	size_t start = c->at;
	uint64_t v = 0;

	while (c->at < c->n && c->p[c->at] >= '0' && c->p[c->at] <= '9') {
		uint64_t d = (uint64_t)(c->p[c->at] - '0');

		if (v > (UINT64_MAX - d) / 10)
			return canonical_bad(c, what);
		v = v * 10 + d;
		c->at++;
	}
	if (c->at == start || (c->p[start] == '0' && c->at != start + 1))
		return canonical_bad(c, what);
	*ret = v;
	return 0;
}

/* The length of the UTF-8 sequence at p; 0: there is none. */
static size_t utf8_len(const unsigned char *p, size_t n)
{
	static const uint32_t least[5] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t len = p[0] < 0x80           ? 1 :
		     (p[0] & 0xe0) == 0xc0 ? 2 :
		     (p[0] & 0xf0) == 0xe0 ? 3 :
		     (p[0] & 0xf8) == 0xf0 ? 4 :
					     0;
	uint32_t v;

	if (len <= 1 || len > n)
		return len > n ? 0 : len;
	v = p[0] & (0x7fu >> len);
	for (size_t i = 1; i < len; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		v = v << 6 | (p[i] & 0x3fu);
	}
	if (v < least[len] || v > 0x10ffff || (v >= 0xd800 && v <= 0xdfff))
		return 0;
	return len;
}

static bool hex_digit(char ch, unsigned *ret)
{
	if (ch >= '0' && ch <= '9')
		*ret = (unsigned)(ch - '0');
	else if (ch >= 'a' && ch <= 'f')
		*ret = (unsigned)(ch - 'a') + 10;
	else
		return false;
	return true;
}

/*
 * Reads one escape: \" or \\ or \u00XX, for a byte that may not occur unescaped (a
 * control byte, DEL, or one that is not UTF-8).
 */
static bool escape(struct canonical *c)
{
	unsigned hi, lo, v;

	if (canonical_take(c, "\\\"") || canonical_take(c, "\\\\"))
		return true;
	if (!canonical_take(c, "\\u00") || c->n - c->at < 2 || !hex_digit(c->p[c->at], &hi) ||
	    !hex_digit(c->p[c->at + 1], &lo))
		return false;
	v = hi << 4 | lo;
	if (v == 0 || (v >= 0x20 && v < 0x7f))
		return false;
	c->at += 2;
	return true;
}

/* Reads a string. *ret is the text between the quotes, with its escapes. */
int canonical_string(struct canonical *c, const char *what, const char **ret, size_t *ret_len)
{
	size_t start;

	if (!canonical_take(c, "\""))
		return canonical_bad(c, what);
	start = c->at;
	while (c->at < c->n && c->p[c->at] != '"') {
		const unsigned char *p = (const unsigned char *)c->p + c->at;
		size_t len;

		if (*p == '\\') {
			if (!escape(c))
				return canonical_bad(c, what);
			continue;
		}
		len = *p < 0x20 || *p == 0x7f ? 0 : utf8_len(p, c->n - c->at);
		if (len == 0)
			return canonical_bad(c, what);
		c->at += len;
	}
	*ret = c->p + start;
	*ret_len = c->at - start;
	return canonical_expect(c, "\"");
}

/* The value of a digit and 16; 0: it is none. */
static const uint8_t hex_values[256] = {
	['0'] = 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, ['a'] = 26, 27, 28, 29, 30, 31,
};

bool canonical_unhex(const char *hex, uint8_t out[32])
{
	unsigned all = 16;

	for (size_t i = 0; i < 32; i++) {
		uint8_t hi = hex_values[(unsigned char)hex[2 * i]];
		uint8_t lo = hex_values[(unsigned char)hex[2 * i + 1]];

		all &= hi & lo;
		out[i] = (uint8_t)(hi << 4 | (lo & 15));
	}
	return all != 0;
}

void canonical_hex(const uint8_t in[32], char out[65])
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < 32; i++) {
		out[2 * i] = digits[in[i] >> 4];
		out[2 * i + 1] = digits[in[i] & 15];
	}
	out[64] = '\0';
}

int canonical_digest(struct canonical *c, uint8_t out[32])
{
	if (!canonical_take(c, "\"") || c->n - c->at < 65 || !canonical_unhex(c->p + c->at, out))
		return canonical_bad(c, "digest");
	c->at += 64;
	return canonical_expect(c, "\"");
}

/* Goes past the line's end and its blanks, which stand before `text`. */
static int expect_line(struct canonical *c, int depth, const char *text)
{
	char line[32];

	(void)snprintf(line, sizeof(line), "\n%*s%s", depth, "", text);
	return canonical_expect(c, line);
}

int canonical_list(struct canonical *c, int depth, int (*one)(struct canonical *c, void *of),
		   void *of)
{
	int r;

	if (canonical_take(c, "[]"))
		return 0;
	r = canonical_expect(c, "[");
	if (r)
		return r;
	do {
		r = expect_line(c, depth, "");
		if (!r)
			r = one(c, of);
		if (r)
			return r;
	} while (canonical_take(c, ","));
	return expect_line(c, depth - 2, "]");
}
