/*
 * Finds the end of a request's body (http_body.h): counted bytes, or chunks up to the
 * empty line behind the last one and its trailer.
 */
#include "runtime/egress/http_body.h"

#include <string.h>

#define SIZE_DIGITS 15 /* below 2^60 */

/* In the order of the bytes. */
enum step {
	B_SIZE,
	B_EXTENSION,
	B_SIZE_LF,
	B_DATA,
	B_DATA_CR,
	B_DATA_LF,
	B_LINE,
	B_NAME,
	B_VALUE,
	B_LINE_LF,
	B_END_LF
};

void http_body_init(struct http_body *b, const struct http_head *h)
{
	memset(b, 0, sizeof(*b));
	b->kind = h->body;
	b->left = h->body == HTTP_BODY_LENGTH ? h->length : 0;
	b->verdict = h->body == HTTP_BODY_NONE ? HTTP_END : HTTP_MORE;
	b->step = B_SIZE;
}

static int hex(uint8_t c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool is_text(uint8_t c)
{
	return c == '\t' || (c >= ' ' && c != 0x7f);
}

static enum http_verdict go(struct http_body *b, enum step step)
{
	b->step = (uint8_t)step;
	return HTTP_MORE;
}

static enum http_verdict size_byte(struct http_body *b, uint8_t c)
{
	int v = hex(c);

	if (v >= 0) {
		if (b->digits++ == SIZE_DIGITS)
			return HTTP_MALFORMED;
		b->left = b->left << 4 | (uint64_t)v;
		return HTTP_MORE;
	}
	b->line_n = 0;
	if (b->digits == 0 || (c != ';' && c != '\r'))
		return HTTP_MALFORMED;
	return go(b, c == ';' ? B_EXTENSION : B_SIZE_LF);
}

/* What the head said is final: a trailer must not say it again. */
static enum http_verdict name_end(struct http_body *b)
{
	static const char *const closed[] = { "host", "content-length",
					      "transfer-encoding" };

	for (size_t i = 0; i < sizeof(closed) / sizeof(*closed); i++) {
		size_t n = strlen(closed[i]);

		if (http_same_field(b->name, b->name_n, closed[i], n))
			return HTTP_MALFORMED;
	}
	if (b->closed && http_same_field(b->name, b->name_n, b->closed, b->closed_n))
		return HTTP_MALFORMED;
	return go(b, B_VALUE);
}

static enum http_verdict trailer_byte(struct http_body *b, uint8_t c)
{
	if (++b->trailer_n > HTTP_TRAILER_MAX)
		return HTTP_MALFORMED;
	if ((enum step)b->step == B_VALUE) {
		if (c == '\r')
			return go(b, B_LINE_LF);
		return is_text(c) ? HTTP_MORE : HTTP_MALFORMED;
	}
	if ((enum step)b->step == B_LINE) {
		if (c == '\r')
			return go(b, B_END_LF);
		b->name_n = 0;
		b->step = B_NAME;
	}
	if (c == ':' && b->name_n)
		return name_end(b);
	if (!http_is_token(c))
		return HTTP_MALFORMED;
	/* a longer name is none of those that matter */
	if (b->name_n < sizeof(b->name))
		b->name[b->name_n++] = (char)c;
	return HTTP_MORE;
}

static enum http_verdict chunked_byte(struct http_body *b, uint8_t c)
{
	switch ((enum step)b->step) {
	case B_SIZE:
		return size_byte(b, c);
	case B_EXTENSION:
		if (c == '\r')
			return go(b, B_SIZE_LF);
		return is_text(c) && ++b->line_n <= HTTP_EXTENSION_MAX ? HTTP_MORE
								       : HTTP_MALFORMED;
	case B_SIZE_LF:
		b->digits = 0;
		return c == '\n' ? go(b, b->left ? B_DATA : B_LINE) : HTTP_MALFORMED;
	case B_DATA:
		return --b->left ? HTTP_MORE : go(b, B_DATA_CR);
	case B_DATA_CR:
		return c == '\r' ? go(b, B_DATA_LF) : HTTP_MALFORMED;
	case B_DATA_LF:
		return c == '\n' ? go(b, B_SIZE) : HTTP_MALFORMED;
	case B_LINE:
	case B_NAME:
	case B_VALUE:
		return trailer_byte(b, c);
	case B_LINE_LF:
		return c == '\n' ? go(b, B_LINE) : HTTP_MALFORMED;
	case B_END_LF:
		return c == '\n' ? HTTP_END : HTTP_MALFORMED;
	}
	return HTTP_MALFORMED;
}

/* Takes counted bytes at once; the last one of a chunk is chunked_byte()'s. */
static size_t skip(struct http_body *b, size_t n)
{
	uint64_t most = b->left;

	if (b->kind == HTTP_BODY_CHUNKED)
		most = (enum step)b->step == B_DATA ? b->left - 1 : 0;
	if (n > most)
		n = (size_t)most;
	b->left -= n;
	return n;
}

enum http_verdict http_body_read(struct http_body *b, const uint8_t *p, size_t n,
				 size_t *ret_used)
{
	size_t used = 0;

	while (b->verdict == HTTP_MORE && used < n) {
		used += skip(b, n - used);
		if (b->kind == HTTP_BODY_LENGTH) {
			if (b->left == 0)
				b->verdict = HTTP_END;
		} else if (used < n) {
			b->verdict = chunked_byte(b, p[used]);
			used += b->verdict != HTTP_MALFORMED;
		}
	}
	*ret_used = used;
	return b->verdict;
}
