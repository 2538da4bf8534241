/* Growable bytes: text, little-endian numbers, quoting for the DSL. */
#include "compiler/base/buf.h"

#include <stdarg.h>
#include <stdio.h>

#include "runtime/base/utf8.h"

void buf_init(struct buf *b, struct arena *a)
{
	*b = (struct buf){ .a = a };
}

static void grow(struct buf *b, size_t n)
{
	size_t cap = b->cap ? b->cap * 2 : 256;
	unsigned char *p;

	while (cap < b->n + n)
		cap *= 2;
	if (!b->cap || !arena_extend(b->a, b->p, b->cap, cap)) {
		p = arena_alloc(b->a, cap);
		if (b->n)
			memcpy(p, b->p, b->n);
		b->p = p;
	}
	b->cap = cap;
}

static inline unsigned char *reserve(struct buf *b, size_t n)
{
	if (b->cap - b->n < n)
		grow(b, n);
	b->n += n;
	return b->p + b->n - n;
}

void buf_add(struct buf *b, const void *p, size_t n)
{
	if (n)
		memcpy(reserve(b, n), p, n);
}

void buf_str(struct buf *b, struct str s)
{
	buf_add(b, s.p, s.n);
}

void buf_z(struct buf *b, const char *z)
{
	buf_add(b, z, strlen(z));
}

void buf_ch(struct buf *b, char c)
{
	buf_add(b, &c, 1);
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list ap, again;
	char small[256];
	int n;

	va_start(ap, fmt);
	va_copy(again, ap);
	n = vsnprintf(small, sizeof(small), fmt, ap);
	va_end(ap);
	if (n > 0 && (size_t)n < sizeof(small)) {
		buf_add(b, small, (size_t)n);
	} else if (n > 0) {
		char *p = arena_alloc(b->a, (size_t)n + 1);

		vsnprintf(p, (size_t)n + 1, fmt, again);
		buf_add(b, p, (size_t)n);
	}
	va_end(again);
}

static inline void put_le(unsigned char *p, uint64_t v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		p[i] = (unsigned char)(v >> (8 * i));
}

void buf_u8(struct buf *b, uint8_t v)
{
	put_le(reserve(b, 1), v, 1);
}

void buf_u16(struct buf *b, uint16_t v)
{
	put_le(reserve(b, 2), v, 2);
}

void buf_u32(struct buf *b, uint32_t v)
{
	put_le(reserve(b, 4), v, 4);
}

void buf_u64(struct buf *b, uint64_t v)
{
	put_le(reserve(b, 8), v, 8);
}

void buf_patch_u32(struct buf *b, size_t at, uint32_t v)
{
	put_le(b->p + at, v, 4);
}

void buf_align(struct buf *b, size_t to)
{
	while (b->n % to)
		buf_u8(b, 0);
}

struct str buf_view(const struct buf *b)
{
	return (struct str){ (const char *)b->p, b->n };
}

void buf_quoted(struct buf *b, struct str s)
{
	buf_ch(b, '"');
	for (size_t i = 0; i < s.n;) {
		size_t len = utf8_length(s.p + i, s.n - i);
		unsigned char c = (unsigned char)s.p[i];

		if (c == '"' || c == '\\')
			buf_printf(b, "\\%c", c);
		else if (c == '\n')
			buf_z(b, "\\n");
		else if (c == '\t')
			buf_z(b, "\\t");
		else if (len == 0 || c < 0x20 || c == 0x7f)
			buf_printf(b, "\\x%02x", c);
		else
			buf_add(b, s.p + i, len);
		i += len ? len : 1;
	}
	buf_ch(b, '"');
}
