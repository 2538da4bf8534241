/*
 * A place in a pattern that PCRE2 has accepted, and what the reading has met so far.
 * Internal to sets/.
 */
#ifndef COMPILER_SETS_REGEX_READER_H
#define COMPILER_SETS_REGEX_READER_H

#include "compiler/base/arena.h"
#include "compiler/base/str.h"

enum rx_option {
	RX_CASELESS = 1,
	RX_EXTENDED = 2,
	RX_EXTENDED_MORE = 4,
	RX_MULTILINE = 8,
	RX_DOTALL = 16,
	RX_DOLLAR_END = 32
};

/* Items that matter to their neighbours (regex_parse.c, is_misread). */
enum rx_item {
	RX_SEEN_REPEAT = 1,
	RX_SEEN_ANY_NEWLINE = 2, /* \R */
	RX_SEEN_NOT_LF = 4,      /* . \N */
	RX_SEEN_SPACE = 8,       /* \s */
	RX_SEEN_NOT_SPACE = 16,  /* \S */
	RX_SEEN_BLANK = 32       /* \h \v */
};

struct rx_reader {
	struct arena *a;
	struct str text;
	size_t at;
	unsigned options;
	bool quoted;     /* between \Q and \E */
	unsigned seen;   /* bits of enum rx_item */
	const char *why; /* why the pattern is not regular, and where */
	size_t where;
};

/* Keeps the first reason why the pattern is not regular, and ends the reading.
 * Always returns false. */
bool rx_opaque(struct rx_reader *r, size_t where, const char *why);
/* Skips white space, comments, \Q and \E, also between an item and its quantifier. */
void rx_skip(struct rx_reader *r);

/* The byte that is `ahead` of the place, or -1 past the end. */
static inline int rx_peek(const struct rx_reader *r, size_t ahead)
{
	return r->at + ahead < r->text.n ? (uint8_t)r->text.p[r->at + ahead] : -1;
}

#endif
