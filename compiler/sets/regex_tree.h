/*
 * The tree of a regular expression: regex_parse.c makes it, regex_graph.c turns it into
 * an automaton.  Internal to sets/.
 */
#ifndef COMPILER_SETS_REGEX_TREE_H
#define COMPILER_SETS_REGEX_TREE_H

#include <stddef.h>

#include "compiler/sets/bytes.h"

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

#endif
