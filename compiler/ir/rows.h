/* Macros for the rows of the field tables; only for fields*.c. */
#ifndef COMPILER_IR_ROWS_H
#define COMPILER_IR_ROWS_H

#include "compiler/ir/fields.h"

#define MEMBER(s, m) .at = offsetof(struct s, m), .size = sizeof(((struct s *)0)->m)
#define MEMBERS(s, m, n)                                                       \
	.at = offsetof(struct s, m), .size = sizeof(*((struct s *)0)->m),      \
	.count = offsetof(struct s, n), .list = true
#define TAG(s, m, set) \
	.tag = offsetof(struct s, m), .tag_size = sizeof(((struct s *)0)->m), .values = (set)

/* Sets of tag values. */
#define ONLY(value) (1u << (value))
#define NONE ONLY(0)
#define SOME (~NONE)

/* Conditions; they follow a row. */
#define WHEN(s, m, set) .there = IR_WHEN, TAG(s, m, set)
#define SAYS(s, m, set) .there = IR_SAYS, TAG(s, m, set)
#define OR_NULL(s, m) .there = IR_OR_NULL, TAG(s, m, SOME)
#define UNLESS_EMPTY(s, n) .there = IR_SAYS, TAG(s, n, SOME)

#define FLAG(s, k, m) { .key = (k), .type = IR_FT_FLAG, MEMBER(s, m), SAYS(s, m, SOME) }
#define BITS(s, m, w) { .type = IR_FT_BITS, MEMBER(s, m), .words = &(w) }
#define TEXT(s, k, m, ...) { .key = (k), .type = IR_FT_TEXT, MEMBER(s, m), __VA_ARGS__ }
#define OPT_TEXT(s, k, m, ...) TEXT(s, k, m, UNLESS_EMPTY(s, m.n), __VA_ARGS__)
#define NUMBER(s, k, m, lo, hi, ...)                                           \
	{ .key = (k), .type = IR_FT_NUMBER, MEMBER(s, m), .min = (lo), .max = (hi), __VA_ARGS__ }
#define OPT_NUMBER(s, k, m, hi) NUMBER(s, k, m, 1, hi, UNLESS_EMPTY(s, m))
#define WORD(s, k, m, w, ...) \
	{ .key = (k), .type = IR_FT_WORD, MEMBER(s, m), .words = &(w), __VA_ARGS__ }
#define VALUE(s, k, m, t, ...) { .key = (k), .type = (t), MEMBER(s, m), __VA_ARGS__ }
#define LIST(s, k, m, n, t, ...) { .key = (k), .type = (t), MEMBERS(s, m, n), __VA_ARGS__ }
#define OPT_LIST(s, k, m, n, t, ...) LIST(s, k, m, n, t, UNLESS_EMPTY(s, n), __VA_ARGS__)
/* For values behind a pointer. */
#define BEHIND(s, k, m, t, ...)                                                \
	{ .key = (k), .type = (t), .at = offsetof(struct s, m),                \
	  .size = sizeof(*((struct s *)0)->m), .flags = IR_FF_POINTER, __VA_ARGS__ }
#define RECORD(s, k, m, r, ...) VALUE(s, k, m, IR_FT_RECORD, .of = &(r), __VA_ARGS__)
#define RECORDS(s, k, m, n, r, ...) LIST(s, k, m, n, IR_FT_RECORD, .of = &(r), __VA_ARGS__)
/*
 * A member of the whole: struct ir has vectors, and each record stands on its own line.
 */
#define VECTOR(k, m, r) \
	RECORDS(ir, k, m.v, m.n, r, .flags = IR_FF_LINES | IR_FF_VECTOR)

/* The level and place of a statement; a place that nobody wrote has line 0. */
#define LEVEL(s) WORD(s, "level", level, ir_words_level)
#define PLACE(s, k, m, ...) RECORD(s, k, m, ir_record_place, OR_NULL(s, m.line), __VA_ARGS__)
#define AT(s) PLACE(s, "at", at, .flags = IR_FF_NEEDED)
#define SAID(s) LEVEL(s), TEXT(s, "id", id, .is = ir_is_some), AT(s)
#define SETS(s, ...)                                                           \
	VALUE(s, "set", set, IR_FT_RECORD, __VA_ARGS__),                       \
	OPT_LIST(s, "except", except, nexcept, IR_FT_RECORD, .flags = IR_FF_NOT, __VA_ARGS__)

/* One record: its check, and the reader's initial value or NULL. */
#define TABLE(name, fn, first, ...)                                            \
	const struct ir_record name = {                                        \
		.check = (fn), .blank = (first),                               \
		.v = (const struct ir_field[]){ __VA_ARGS__, { .type = IR_FT_END } } \
	}

#endif
