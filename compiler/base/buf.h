/* Growable bytes in an arena; little-endian writers for the bundle and BPF. */
#ifndef COMPILER_BASE_BUF_H
#define COMPILER_BASE_BUF_H

#include "compiler/base/arena.h"
#include "compiler/base/str.h"

struct buf {
	struct arena *a;
	unsigned char *p;
	size_t n, cap;
};

void buf_init(struct buf *b, struct arena *a);
void buf_add(struct buf *b, const void *p, size_t n);
void buf_str(struct buf *b, struct str s);
void buf_z(struct buf *b, const char *z);
void buf_ch(struct buf *b, char c);
void buf_printf(struct buf *b, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void buf_u8(struct buf *b, uint8_t v);
void buf_u16(struct buf *b, uint16_t v);
void buf_u32(struct buf *b, uint32_t v);
void buf_u64(struct buf *b, uint64_t v);
void buf_patch_u32(struct buf *b, size_t at, uint32_t v);
/* Adds zero bytes up to the next multiple of `to`. */
void buf_align(struct buf *b, size_t to);
struct str buf_view(const struct buf *b);
/* Adds `s` in double quotes as the DSL writes it. */
void buf_quoted(struct buf *b, struct str s);

#endif
