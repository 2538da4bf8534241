/*
 * The IR said once: of each struct of ir.h, set.h and facts.h the members that ir.json
 * has, in the order in which it has them.  The same rows write the canonical JSON (json.c),
 * read it (read.c) and verify what can be said of one member by itself (verify.c).  What
 * holds between several members is the `check` of their record.
 *
 * Tables: fields_whole.c (the whole, rules, settings, tests), fields_facts.c, fields_set.c.
 */
#ifndef COMPILER_IR_FIELDS_H
#define COMPILER_IR_FIELDS_H

#include <assert.h>

#include "compiler/ir/ir.h"
#include "compiler/ir/words.h"

#define IR_FORMAT 1 /* the first member of ir.json */

enum ir_field_type {
	IR_FT_END,     /* behind the last row */
	IR_FT_FLAG,    /* bool: true, or left out */
	IR_FT_BITS,    /* unsigned: each bit is a flag, its key the word of the bit's number */
	IR_FT_TEXT,    /* struct str */
	IR_FT_NUMBER,  /* unsigned, from `min` to `max` */
	IR_FT_HEX,     /* uint64_t, as text: readers that use doubles lose bits of it */
	IR_FT_WORD,    /* an enumeration: the word of its number */
	IR_FT_ADDRESS, /* 16 bytes: 32 hexadecimal digits */
	IR_FT_BLOCK,   /* struct num_cidr: the same, and "/bits" */
	IR_FT_GLOB,    /* struct ir_glob */
	IR_FT_PATTERN, /* struct ir_word: a glob, null for "**" */
	IR_FT_VALUE,   /* struct ir_value: any JSON value */
	IR_FT_RECORD,  /* another struct; without a key its members stand among ours */
	/* What no row can say: */
	IR_FT_INDEX,   /* uint32_t: the record's number in its list; not in the JSON */
	IR_FT_OPERAND, /* the operand of struct ir_code_place: one of several keys */
	IR_FT_OPTIONS, /* list of struct ir_optspec: a record for those that differ by name only */
};

/* When a member is there: its tag, another member of the struct, has one of some values. */
enum ir_field_there {
	IR_ALWAYS,
	IR_WHEN,   /* else left out; a row before this one reads the tag */
	IR_SAYS,   /* else left out; reading learns it from the key, and sets a tag that is a bool */
	IR_OR_NULL /* else null */
};

enum ir_field_flag {
	IR_FF_LINES = 1,     /* each record begins a line; a list of the whole */
	IR_FF_VECTOR = 2,    /* VEC(): its capacity is behind the count */
	IR_FF_POINTER = 4,   /* the value, or each value of the list, lies behind a pointer */
	IR_FF_NEEDED = 8,    /* not null, not an empty list */
	IR_FF_SORTED = 16,   /* text: above that of the record before */
	IR_FF_RISING = 32,   /* word: not below that of the record before */
	IR_FF_REPEATED = 64, /* text: left out where the record before has the same */
	IR_FF_NOT = 128,     /* sets: what they match is taken away from the rule's */
	IR_FF_PATH = 256     /* glob: may hold "**" */
};

struct ir_record;

struct ir_field {
	const char *key;
	enum ir_field_type type;
	unsigned flags;       /* enum ir_field_flag */
	size_t at, size;      /* of one value: where in the struct, bytes */
	bool list;
	size_t count;         /* list: where the number of values is, a size_t */
	size_t fixed;         /* list: or that many, in the struct itself */
	enum ir_field_there there;
	size_t tag, tag_size;
	unsigned values;      /* a bit for each; numbers from 31 on are the last bit */
	const struct ir_words *words;
	uint64_t min, max;
	bool (*is)(struct str s); /* text: may it be? NULL: any */
	const struct ir_record *of;
	/* or the one that the struct says; `at` is the number of the record of the whole that
	   it is in */
	const struct ir_record *(*pick)(const void *of, size_t at);
};

struct ir_check;

struct ir_record {
	const struct ir_field *v;
	const void *blank; /* what a reader begins with; NULL: zeros */
	/* NULL, or what is broken of c->of.  It comes before the rows: no range is
	   checked yet. */
	const char *(*check)(struct ir_check *c);
};

struct ir_check {
	const struct ir *ir;
	struct arena *a;
	const void *of, *before; /* the record, and that before it in its list or NULL */
	const char *why;  /* the first thing that is broken, or NULL */
	const char *list; /* the list of the whole that is looked at, and its record */
	size_t at;
	bool broad;       /* sets match as deny, ask and hide do; set by the rule's check */
	unsigned depth;
};

extern const struct ir_record ir_record_whole;  /* struct ir */
extern const struct ir_record ir_record_option; /* struct ir_optspec but for its name */
extern const struct ir_record ir_record_place, ir_record_risk, ir_record_fact,
	ir_record_program, ir_record_var, ir_record_inert, ir_record_pin, ir_record_shell;
extern const struct ir_record ir_record_command; /* struct ir_command: a set of that kind */
/* The rows of a set; NULL: of no kind. */
const struct ir_record *ir_record_set(enum ir_kind kind);

/* Here, since the verifier asks them some 300,000 times for a policy on std/base. */

/* An unsigned number of 1, 2, 4 or 8 bytes; a pointer is 8. */
static inline uint64_t ir_field_number(const void *p, size_t size)
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

static inline bool ir_field_is_repeated(const struct ir_field *f, const char *of,
					const char *before)
{
	return (f->flags & IR_FF_REPEATED) && before &&
	       str_eq(*(const struct str *)(of + f->at), *(const struct str *)(before + f->at));
}

/* By the tag, or the record before. */
static inline bool ir_field_is_there(const struct ir_field *f, const void *of,
				     const void *before)
{
	uint64_t tag;

	if (f->there == IR_ALWAYS)
		return !ir_field_is_repeated(f, of, before);
	tag = ir_field_number((const char *)of + f->tag, f->tag_size);
	return f->values >> (tag < 31 ? tag : 31) & 1;
}

static inline size_t ir_field_count(const struct ir_field *f, const void *of)
{
	return f->fixed ? f->fixed : *(const size_t *)((const char *)of + f->count);
}

/* Value `i` of the list, or the value. */
static inline const void *ir_field_value(const struct ir_field *f, const void *of, size_t i)
{
	const char *p = (const char *)of + f->at;

	if (f->list && !f->fixed)
		p = *(const char *const *)p;
	return f->flags & IR_FF_POINTER ? ((const void *const *)p)[i] : p + i * f->size;
}

static inline const struct ir_record *ir_field_record(const struct ir_field *f, const void *of,
						      size_t at)
{
	return f->pick ? f->pick(of, at) : f->of;
}

/* NULL, or what is broken in a glob; `path`: "**" may be there. */
const char *ir_check_glob(const struct ir_glob *g, bool path);
bool ir_is_placed(const struct ir_place *p);

/* For `is`. */
bool ir_is_some(struct str s); /* not empty */
bool ir_has_no_nul(struct str s);
bool ir_is_text(struct str s); /* not empty, no NUL */
bool ir_is_path(struct str s); /* which begins with '/' */

#endif
