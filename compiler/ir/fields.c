/*
 * What a row of the field tables says of a struct: whether the member is there, where, how
 * many; and texts that a member may hold.
 */
#include "compiler/ir/fields.h"

#include <assert.h>

uint64_t ir_field_number(const void *p, size_t size)
{
	switch (size) {
	case sizeof(uint8_t):
		return *(const uint8_t *)p;
	case sizeof(uint16_t):
		return *(const uint16_t *)p;
	case sizeof(uint32_t):
		return *(const uint32_t *)p;
	default:
		assert(size == sizeof(uint64_t));
		return *(const uint64_t *)p;
	}
}

static bool is_repeated(const struct ir_field *f, const char *of, const char *before)
{
	return (f->flags & IR_FF_REPEATED) && before &&
	       str_eq(*(const struct str *)(of + f->at), *(const struct str *)(before + f->at));
}

bool ir_field_is_there(const struct ir_field *f, const void *of, const void *before)
{
	uint64_t tag;

	if (f->there == IR_ALWAYS)
		return !is_repeated(f, of, before);
	tag = ir_field_number((const char *)of + f->tag, f->tag_size);
	return f->values >> (tag < 31 ? tag : 31) & 1;
}

size_t ir_field_count(const struct ir_field *f, const void *of)
{
	return f->fixed ? f->fixed : *(const size_t *)((const char *)of + f->count);
}

const void *ir_field_value(const struct ir_field *f, const void *of, size_t i)
{
	const char *p = (const char *)of + f->at;

	if (f->list && !f->fixed)
		p = *(const char *const *)p;
	return f->flags & IR_FF_POINTER ? ((const void *const *)p)[i] : p + i * f->size;
}

const struct ir_record *ir_field_record(const struct ir_field *f, const void *of, size_t at)
{
	return f->pick ? f->pick(of, at) : f->of;
}

bool ir_is_placed(const struct ir_place *p)
{
	return p->file.n && p->line >= 1 && p->col >= 1;
}

bool ir_is_some(struct str s)
{
	return s.n > 0;
}

bool ir_has_no_nul(struct str s)
{
	return !s.n || !memchr(s.p, 0, s.n);
}

bool ir_is_text(struct str s)
{
	return s.n && ir_has_no_nul(s);
}

bool ir_is_path(struct str s)
{
	return ir_is_text(s) && s.p[0] == '/';
}
