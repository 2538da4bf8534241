/* Lines from a descriptor, in bounded memory. */
#ifndef RUNTIME_POLQUERY_QUERY_INPUT_H
#define RUNTIME_POLQUERY_QUERY_INPUT_H

#include <stdbool.h>
#include <stddef.h>

struct query_input {
	int fd;
	size_t limit;        /* bytes of a line, its newline aside */
	char *buf;           /* malloc'ed; at most limit + 2 bytes */
	size_t cap, from, to; /* what is read and not given out */
	size_t seen;         /* bytes from `from` on that hold no newline */
	bool skip;           /* the rest of a line that is too long */
	bool end;
};

/* WAIT: a descriptor that does not block has no more now. */
enum query_input_got { QUERY_LINE, QUERY_TOO_LONG, QUERY_END, QUERY_FAILED, QUERY_WAIT };

void query_input_init(struct query_input *in, int fd, size_t limit);
void query_input_release(struct query_input *in);
/*
 * The next line, without its newline and with a NUL behind it, until the next
 * call; the last one may lack the newline.  A line that is too long is told
 * once, as soon as that is known, and never kept.  QUERY_FAILED: errno.
 */
enum query_input_got query_input_line(struct query_input *in, char **ret, size_t *ret_n);
/* Gives back the line of n bytes that the last call gave: the next one gives it. */
void query_input_back(struct query_input *in, size_t n);

#endif
