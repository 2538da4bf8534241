/* The bytes of shell text, and where tokens end. For the files of this folder only. */
#ifndef RUNTIME_LINE_SHELL_BYTES_H
#define RUNTIME_LINE_SHELL_BYTES_H

#include "runtime/line/shell/production.h"
#include "runtime/line/shell/state.h"

enum {
	C_PLAIN = 1,   /* stands for itself everywhere in an unquoted word */
	C_BLANK = 2,
	C_META = 4,    /* ends a word: blanks, newline, NUL, | & ; ( ) < > */
	C_NAME = 8,    /* may occur in a name */
	C_DIGIT = 16,
	C_DPLAIN = 32, /* stands for itself in double quotes */
	C_SPECIAL = 64, /* $* $@ $# $? $- $$ $! */
};
extern const uint8_t shell_class[256];

static inline unsigned shell_is(char c, unsigned mask)
{
	return shell_class[(unsigned char)c] & mask;
}

/* Copies the line. Reports bytes that no line may have. */
bool shell_copy(struct shell *s, const char *text, size_t n);

/* The next byte, after any broken line ends. */
static inline char shell_at(struct shell *s)
{
	while (__builtin_expect(s->p[0] == '\\' && s->p[1] == '\n', 0) &&
	       !SHELL_OFF(CONTINUATION))
		s->p += 2;
	return *s->p;
}

static inline char shell_next(struct shell *s)
{
	s->p++;
	return shell_at(s);
}

/* The byte after the next one, as shell_next would return it. */
static inline char shell_peek(const struct shell *s)
{
	const char *p = s->p + 1;

	while (__builtin_expect(p[0] == '\\' && p[1] == '\n', 0))
		p += 2;
	return *p;
}

/* Does a word begin at p? "<(" begins one. */
static inline bool shell_starts_word(struct shell *s)
{
	return !shell_is(shell_at(s), C_META) ||
	       ((*s->p == '<' || *s->p == '>') && !s->posix && shell_peek(s) == '(');
}

/* Skips blanks and a comment, where a token may begin. */
void shell_blanks(struct shell *s);

#endif
