/* {1..9} and the like. For brace.c only. */
#ifndef RUNTIME_LINE_SHELL_SEQUENCE_H
#define RUNTIME_LINE_SHELL_SEQUENCE_H

#include "runtime/line/shell/brace_texts.h"

enum sequence { SEQ_NONE, SEQ_UNKNOWN, SEQ_NUMBERS, SEQ_LETTERS };

/* The texts of the sequence t, which stood between two braces. *ret is set unless *ret_is
 * is SEQ_NONE. */
bool shell_sequence(struct shell *s, struct text t, enum sequence *ret_is,
		    struct texts *ret);

#endif
