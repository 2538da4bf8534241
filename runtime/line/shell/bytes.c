/*
 * Which bytes a shell treats alike, and which bytes no line may have: control bytes other
 * than tab and newline, and characters that change the order in which text is shown.
 * Bytes that are not UTF-8 are plain bytes, as they are for the shells.
 */
#include "runtime/line/shell/bytes.h"

#define P (C_PLAIN | C_DPLAIN)
#define N (C_PLAIN | C_DPLAIN | C_NAME)
#define D (C_PLAIN | C_DPLAIN | C_NAME | C_DIGIT)
#define M (C_META | C_DPLAIN)
#define B (C_META | C_BLANK | C_DPLAIN)
#define Q C_DPLAIN /* special in a word, plain in double quotes */

/* '~' and '{' end a run of plain bytes, although they mostly stand for themselves. */
const uint8_t shell_class[256] = {
	[0] = C_META, [1 ... 8] = P, ['\t'] = B, ['\n'] = M, [11 ... 31] = P,
	[' '] = B, ['!'] = P | C_SPECIAL, ['"'] = 0, ['#'] = P | C_SPECIAL,
	['$'] = C_SPECIAL, ['%'] = P, ['&'] = M, ['\''] = Q, ['('] = M, [')'] = M,
	['*'] = Q | C_SPECIAL, ['+'] = P, [','] = P, ['-'] = P | C_SPECIAL, ['.'] = P,
	['/'] = P, ['0' ... '9'] = D, [':'] = P, [';'] = M, ['<'] = M, ['='] = P,
	['>'] = M, ['?'] = Q | C_SPECIAL, ['@'] = P | C_SPECIAL, ['A' ... 'Z'] = N,
	['['] = Q, ['\\'] = 0, [']'] = P, ['^'] = P, ['_'] = N, ['`'] = 0,
	['a' ... 'z'] = N, ['{'] = Q, ['|'] = M, ['}'] = P, ['~'] = Q,
	[127 ... 255] = P,
};

#undef P
#undef N
#undef D
#undef M
#undef B
#undef Q

bool sh_is_name(const char *p, size_t n)
{
	size_t i;

	if (!n || shell_is(p[0], C_DIGIT))
		return false;
	for (i = 0; i < n; i++)
		if (!shell_is(p[i], C_NAME))
			return false;
	return true;
}

/* Controls that change the order in which a text is shown. */
static bool is_bidi(const unsigned char *p)
{
	if (p[0] == 0xd8)
		return p[1] == 0x9c; /* U+061C */
	if (p[1] == 0x80) /* U+200E, U+200F, U+202A to U+202E */
		return p[2] == 0x8e || p[2] == 0x8f || (p[2] >= 0xaa && p[2] <= 0xae);
	return p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9; /* U+2066 to U+2069 */
}

/* 1: a control byte, 2: may begin a character that changes direction. */
static const uint8_t suspect[256] = {
	[0 ... 8] = 1, [11 ... 31] = 1, [127] = 1, [0xd8] = 2, [0xe2] = 2,
};

static void check(struct shell *s, char *p)
{
	unsigned char c = (unsigned char)*p;

	if (suspect[c] == 1) {
		shell_fail(s, p, c ? "a control byte" : "a NUL");
		/* shells do not see what follows a NUL: judge it as a line of its own */
		if (!c)
			*p = '\n';
	} else if (is_bidi((const unsigned char *)p)) {
		shell_fail(s, p, "a character that changes the direction of text");
	}
}

bool shell_copy(struct shell *s, const char *text, size_t n)
{
	unsigned all = 0;
	char *to, *end;

	if (n > SH_MAX_BYTES)
		return shell_limit(s, "the line is too long");
	to = shell_bytes(s, n + 4);
	s->src.out = shell_bytes(s, n + 1);
	if (!to || !s->src.out)
		return false;
	memcpy(to, text, n);
	memset(to + n, 0, 4);
	s->src.text = to;
	s->src.n = (uint32_t)n;
	s->src.line = true;
	s->p = to;
	for (end = to + n; to < end; to++) {
		all |= (unsigned char)*to;
		if (__builtin_expect(suspect[(unsigned char)*to], 0))
			check(s, to);
	}
	s->high = all >= 0x80;
	return true;
}

void shell_blanks(struct shell *s)
{
	while (shell_is(shell_at(s), C_BLANK))
		s->p++;
	if (*s->p == '#' && !SHELL_OFF(COMMENT))
		while (*s->p && *s->p != '\n')
			s->p++;
}
