/* Reads lines from a descriptor in bounded memory. */
#ifndef RUNTIME_POLQUERY_QUERY_INPUT_H
#define RUNTIME_POLQUERY_QUERY_INPUT_H

#include <stdbool.h>
#include <stddef.h>

struct query_input {
	int fd;
	size_t limit;        /* most bytes of a line, without its newline */
	char *buf;           /* malloc'ed; at most limit + 2 bytes */
	size_t cap, from, to; /* from..to: read, but not returned yet */
	size_t seen;         /* bytes after `from` that are known to contain no newline */
	bool skip;           /* skip the rest of a line that is too long */
	bool end;
};

/* WAIT: a non-blocking descriptor has no more input now. */
enum query_input_got { QUERY_LINE, QUERY_TOO_LONG, QUERY_END, QUERY_FAILED, QUERY_WAIT };

void query_input_init(struct query_input *in, int fd, size_t limit);
void query_input_release(struct query_input *in);
/*
 * Returns the next line without its newline, with a NUL after it, valid until the next
 * call.  The last line may lack the newline.  A line that is too long is reported once,
 * as soon as that is known, and never kept.  QUERY_FAILED: errno says why.
 */
enum query_input_got query_input_line(struct query_input *in, char **ret, size_t *ret_n);
/* True if query_input_line() can return a line without reading more. */
bool query_input_ready(const struct query_input *in);
/* Puts back the line of n bytes that the last call returned: the next call returns it
 * again. */
void query_input_back(struct query_input *in, size_t n);

#endif
