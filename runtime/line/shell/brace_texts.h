/*
 * The lists of texts that braces expand to, for brace.c and sequence.c. Their memory
 * comes from the far end of the block and is released when the word is done.
 */
#ifndef RUNTIME_LINE_SHELL_BRACE_TEXTS_H
#define RUNTIME_LINE_SHELL_BRACE_TEXTS_H

#include "runtime/line/shell/state.h"

/* Texts from one pair of braces. If there are more, the rest is "any number of words". */
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

/* Takes n steps from the line's budget. false: the budget is used up. */
bool shell_brace_work(struct shell *s, size_t n);
void *shell_brace_scratch(struct shell *s, size_t n);
/* An empty list with room for n texts, but at most for MAX_WORDS. */
bool shell_brace_make(struct shell *s, size_t n, struct texts *ret);

#endif
