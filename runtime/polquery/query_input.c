/* Decides where lines end, and which lines are too long to be kept. */
#include "runtime/polquery/query_input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FIRST = 64 * 1024 };

void query_input_init(struct query_input *in, int fd, size_t limit)
{
	*in = (struct query_input){ .fd = fd, .limit = limit };
}

void query_input_release(struct query_input *in)
{
	free(in->buf);
	in->buf = NULL;
	in->cap = in->from = in->to = in->seen = 0;
}

/* Makes room for more bytes and a NUL. */
static bool make_room(struct query_input *in)
{
	size_t cap = in->cap ? in->cap * 2 : FIRST;
	char *p;

	if (in->from) {
		memmove(in->buf, in->buf + in->from, in->to - in->from);
		in->to -= in->from;
		in->from = 0;
	}
	if (in->cap && in->to + 1 < in->cap)
		return true;
	if (cap > in->limit + 2)
		cap = in->limit + 2;
	p = realloc(in->buf, cap);
	if (!p)
		return false;
	in->buf = p;
	in->cap = cap;
	return true;
}

/* Returns 1, 0 at the end, or -1 with errno. */
static int read_more(struct query_input *in)
{
	ssize_t n;

	if ((!in->cap || in->to + 1 >= in->cap) && !make_room(in))
		return -1;
	do {
		n = read(in->fd, in->buf + in->to, in->cap - 1 - in->to);
	} while (n < 0 && errno == EINTR);
	if (n > 0)
		in->to += (size_t)n;
	return n > 0 ? 1 : (int)n;
}

static enum query_input_got last_line(struct query_input *in, char **ret, size_t *ret_n)
{
	in->end = true;
	if (in->skip || in->from == in->to)
		return QUERY_END;
	*ret = in->buf + in->from;
	*ret_n = in->to - in->from;
	in->buf[in->to] = '\0';
	in->from = in->to;
	return QUERY_LINE;
}

/* Returns the complete line in the buffer. */
static void give_line(struct query_input *in, char *end, char **ret, size_t *ret_n)
{
	*end = '\0';
	*ret = in->buf + in->from;
	*ret_n = (size_t)(end - *ret);
	in->from += *ret_n + 1;
	in->seen = 0;
}

enum query_input_got query_input_line(struct query_input *in, char **ret, size_t *ret_n)
{
	while (!in->end) {
		char *start = in->buf + in->from;
		size_t have = in->to - in->from;
		char *end = have > in->seen ?
				    memchr(start + in->seen, '\n', have - in->seen) :
				    NULL;
		int r;

		if (end && in->skip) {
			in->skip = false;
			in->from = (size_t)(end - in->buf) + 1;
			in->seen = 0;
			continue;
		}
		if (end) {
			give_line(in, end, ret, ret_n);
			return QUERY_LINE;
		}
		in->seen = have;
		if (in->skip || have > in->limit) {
			bool told = in->skip;

			in->skip = true;
			in->from = in->to = in->seen = 0;
			if (!told)
				return QUERY_TOO_LONG;
		}
		r = read_more(in);
		if (r < 0)
			return errno == EAGAIN ? QUERY_WAIT : QUERY_FAILED;
		if (r == 0)
			return last_line(in, ret, ret_n);
	}
	return QUERY_END;
}

bool query_input_ready(const struct query_input *in)
{
	size_t have = in->to - in->from;

	return have > in->seen &&
	       memchr(in->buf + in->from + in->seen, '\n', have - in->seen);
}

void query_input_back(struct query_input *in, size_t n)
{
	if (in->end) { /* the line had no newline */
		in->end = false;
		in->from -= n;
		return;
	}
	in->from -= n + 1;
	in->buf[in->from + n] = '\n';
}
