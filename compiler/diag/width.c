/*
 * Which characters are wide, which have no width, and which are never printed.  The
 * ranges are those of Unicode's East Asian Width and combining marks, as far as
 * terminals follow them.  A mistake only moves a caret.
 */
#include "compiler/diag/width.h"

#include "compiler/base/vec.h"

struct range {
	uint32_t lo, hi;
};

static const struct range none[] = {
	{ 0x0300, 0x036f }, { 0x0483, 0x0489 }, { 0x0591, 0x05bd }, { 0x0610, 0x061a },
	{ 0x064b, 0x065f }, { 0x0e34, 0x0e3a }, { 0x0e47, 0x0e4e }, { 0x1ab0, 0x1aff },
	{ 0x1dc0, 0x1dff }, { 0x200b, 0x200d }, { 0x20d0, 0x20ff }, { 0x3099, 0x309a },
	{ 0xfe00, 0xfe0f }, { 0xfe20, 0xfe2f }, { 0xe0100, 0xe01ef },
};

static const struct range wide[] = {
	{ 0x1100, 0x115f },   { 0x2e80, 0x303e },   { 0x3041, 0x33ff },
	{ 0x3400, 0x4dbf },   { 0x4e00, 0x9fff },   { 0xa000, 0xa4cf },
	{ 0xa960, 0xa97c },   { 0xac00, 0xd7a3 },   { 0xf900, 0xfaff },
	{ 0xfe30, 0xfe6f },   { 0xff00, 0xff60 },   { 0xffe0, 0xffe6 },
	{ 0x1f300, 0x1f64f }, { 0x1f680, 0x1f6ff }, { 0x1f900, 0x1f9ff },
	{ 0x20000, 0x3fffd },
};

static bool is_in(uint32_t c, const struct range *r, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (c >= r[i].lo && c <= r[i].hi)
			return true;
	return false;
}

static unsigned lead_length(unsigned char c)
{
	if (c < 0x80)
		return 1;
	if (c >= 0xc2 && c <= 0xdf)
		return 2;
	if ((c & 0xf0) == 0xe0)
		return 3;
	if (c >= 0xf0 && c <= 0xf4)
		return 4;
	return 0;
}

size_t utf8_next(struct str s, size_t at, uint32_t *ret_c, bool *ret_valid)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *p = (const unsigned char *)s.p + at;
	unsigned n = lead_length(p[0]);
	uint32_t c;

	*ret_valid = true;
	*ret_c = p[0];
	if (n == 1)
		return 1;
	*ret_valid = false;
	*ret_c = 0xfffd;
	if (n == 0 || n > s.n - at)
		return 1;
	c = p[0] & (0xffu >> (n + 1));
	for (unsigned i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 1;
		c = c << 6 | (p[i] & 0x3f);
	}
	if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return 1;
	*ret_valid = true;
	*ret_c = c;
	return n;
}

bool utf8_is_bidi(uint32_t c)
{
	return c == 0x061c || c == 0x200e || c == 0x200f ||
	       (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

bool utf8_is_hidden(uint32_t c)
{
	static const struct range hidden[] = {
		{0x00ad, 0x00ad},   {0x034f, 0x034f},   {0x115f, 0x1160},
		{0x17b4, 0x17b5},   {0x180b, 0x180f},   {0x200b, 0x200b},
		{0x2060, 0x2065},   {0x206a, 0x206f},   {0x3164, 0x3164},
		{0xfeff, 0xfeff},   {0xffa0, 0xffa0},   {0xfff0, 0xfffb},
		{0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe00ff},
		{0xe01f0, 0xe0fff},
	};

	return is_in(c, hidden, POL_LEN(hidden));
}

bool utf8_is_printable(uint32_t c)
{
	return c >= 0x20 && !(c >= 0x7f && c < 0xa0) && c != 0x2028 && c != 0x2029 &&
	       !utf8_is_bidi(c) && !utf8_is_hidden(c);
}

unsigned utf8_width(uint32_t c)
{
	if (!utf8_is_printable(c))
		return 1;
	if (is_in(c, none, POL_LEN(none)))
		return 0;
	return is_in(c, wide, POL_LEN(wide)) ? 2 : 1;
}
