/*
 * The tree of a regular expression: regex_parse.c, regex_group.c and regex_class.c make
 * it, regex_graph.c turns it into an automaton.  Internal to sets/.
 */
#ifndef COMPILER_SETS_REGEX_TREE_H
#define COMPILER_SETS_REGEX_TREE_H

#include "compiler/base/vec.h"
#include "compiler/sets/regex.h"

enum rx_op { RX_EMPTY, RX_BYTES, RX_CAT, RX_OR, RX_REPEAT, RX_ASSERT };

/* Conditions on the bytes before and after a place in the text. */
enum rx_assert {
	RX_TEXT_START, /* ^ \A */
	RX_LINE_START, /* ^ under (?m) */
	RX_TEXT_END,   /* \z, and $ where it matches only at the very end */
	RX_LAST_LINE,  /* \Z, $: the end, or before a newline that is the last byte */
	RX_LINE_END,   /* $ under (?m) */
	RX_WORD_EDGE,  /* \b */
	RX_NO_EDGE,    /* \B */
	RX_NOT_LF,     /* no newline follows (\R does not split \r\n) */
	RX_NASSERTS
};

#define RX_UNLIMITED UINT32_MAX

struct rx {
	enum rx_op op;
	enum rx_assert assertion;
	struct set_bytes bytes;
	struct rx **kids; /* CAT, OR: nkids of them; REPEAT: one */
	size_t nkids;
	uint32_t min, max; /* for REPEAT; max may be RX_UNLIMITED */
};

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

/* The state of reading a pattern that PCRE2 has accepted. */
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

/* Reads the whole pattern; NULL with `why` and `where` if it is not regular. */
struct rx *rx_parse(struct rx_reader *r);

/* --- shared by the files of the reader ------------------------------------- */

/* Keeps the first reason and ends the reading.  Always returns NULL. */
struct rx *rx_opaque(struct rx_reader *r, size_t where, const char *why);
struct rx *rx_bytes(struct rx_reader *r, struct set_bytes b);
/* Adds the quantifier that follows the item, if there is one; NULL: opaque. */
struct rx *rx_quantified(struct rx_reader *r, struct rx *x);
/* Reads alternatives up to the end or a ')', which is left to the caller. */
struct rx *rx_alternatives(struct rx_reader *r, unsigned depth);
/*
 * Reads a parenthesis at '('.  NULL: it is opaque, or (*ret_none) it only changes
 * options and is not an item.
 */
struct rx *rx_parenthesis(struct rx_reader *r, unsigned depth, bool *ret_none);
/* Reads a bracketed class at '['; returns the set of its bytes. */
struct rx *rx_class(struct rx_reader *r);
/* The set for \d \D \s \S \w \W \h \H \v \V. */
bool rx_named_set(char name, struct set_bytes *ret);
/* The same, and notes in `seen` that the pattern has it. */
bool rx_read_set(struct rx_reader *r, struct set_bytes *ret);
/*
 * Reads a single byte after a backslash.  False if it is something else; then nothing
 * was read.
 */
bool rx_escaped_byte(struct rx_reader *r, uint8_t *ret);
struct set_bytes rx_folded(struct set_bytes b);

static inline int rx_peek(const struct rx_reader *r, size_t ahead)
{
	return r->at + ahead < r->text.n ? (uint8_t)r->text.p[r->at + ahead] : -1;
}

static inline void rx_add(struct set_bytes *b, unsigned from, unsigned to)
{
	for (; from <= to; from++)
		b->w[from >> 6] |= (uint64_t)1 << (from & 63);
}

static inline struct set_bytes rx_inverse(struct set_bytes b)
{
	return (struct set_bytes){ { ~b.w[0], ~b.w[1], ~b.w[2], ~b.w[3] } };
}

/* --- the automaton --------------------------------------------------------- */

/* The texts in which `x` is found; NULL past the limits of regex.h. */
struct set_re *rx_search(struct arena *a, const struct rx *x);

#endif
