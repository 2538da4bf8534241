/*
 * Lists of texts that braces make, for brace.c and sequence.c.  Their memory
 * comes from the far end of the block and is free again when the word is done.
 */
#ifndef RUNTIME_LINE_SHELL_BRACE_H
#define RUNTIME_LINE_SHELL_BRACE_H

#include "runtime/line/shell/parse.h"

/* Of one pair of braces; what comes behind them is any number of words. */
#define MAX_WORDS 256

struct text {
	const char *p;
	size_t n;
};

struct texts {
	struct text *v;
	size_t n;
	bool cut; /* there are more */
};

enum sequence { SEQ_NONE, SEQ_UNKNOWN, SEQ_NUMBERS, SEQ_LETTERS };

/* Takes n steps from the budget of the line; false past its end. */
bool shell_brace_work(struct shell *s, size_t n);
void *shell_brace_scratch(struct shell *s, size_t n);
/* An empty list with room for n texts, or for MAX_WORDS. */
bool shell_brace_make(struct shell *s, size_t n, struct texts *ret);

/* What t, the text between two braces, counts; *ret is set unless *ret_is is SEQ_NONE. */
bool shell_sequence(struct shell *s, struct text t, enum sequence *ret_is,
		    struct texts *ret);

#endif
