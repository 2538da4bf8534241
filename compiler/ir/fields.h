/*
 * The one description of the IR: for each struct of ir.h, set.h and facts.h, the
 * members that ir.json has, in their order.  The same rows write the canonical JSON
 * (json.c), read it (read.c), and check each member by itself (verify.c).  Conditions
 * between several members are checked by their record's `check`.
 *
 * Tables: fields_whole.c (the whole, rules, settings, tests), fields_facts.c,
 * fields_set.c.
 */
#ifndef COMPILER_IR_FIELDS_H
#define COMPILER_IR_FIELDS_H

#include <assert.h>

#include "compiler/ir/ir.h"
#include "compiler/ir/words.h"

#define IR_FORMAT 1 /* the first member of ir.json */

enum ir_field_type {
	IR_FT_END,     /* ends a table */
	IR_FT_FLAG,    /* bool: true, or left out */
	IR_FT_BITS,    /* unsigned: each bit is a flag; its key is the word for the
	                  bit's number */
	IR_FT_TEXT,    /* struct str */
	IR_FT_NUMBER,  /* unsigned, from `min` to `max` */
	IR_FT_HEX,     /* uint64_t, as text: readers that use doubles would lose bits */
	IR_FT_WORD,    /* an enumeration, as the word for its number */
	IR_FT_ADDRESS, /* 16 bytes: 32 hexadecimal digits */
	IR_FT_BLOCK,   /* struct num_cidr: 32 hexadecimal digits and "/bits" */
	IR_FT_GLOB,    /* struct ir_glob */
	IR_FT_PATTERN, /* struct ir_word: a glob, or null for "**" */
	IR_FT_VALUE,   /* struct ir_value: any JSON value */
	IR_FT_RECORD,  /* another struct; without a key, its members stand among ours */
	/* What no row can describe: */
	IR_FT_INDEX,   /* uint32_t: the record's index in its list; not in the JSON */
	IR_FT_OPERAND, /* the operand of struct ir_code_place: written under one of
	                  several keys */
	IR_FT_OPTIONS, /* list of struct ir_optspec: one record for options that differ
	                  only by name */
};

/*
 * When a member is present.  It depends on its tag, which is another member of the
 * struct.
 */
enum ir_field_there {
	IR_ALWAYS,
	IR_WHEN,   /* only if the tag has one of `values`; an earlier row reads the tag */
	IR_SAYS,   /* the same, but the reader takes the key's presence for the tag,
	              and sets a tag that is a bool */
	IR_OR_NULL /* else it is null */
};

enum ir_field_flag {
	IR_FF_LINES = 1,     /* each record begins on a new line; a list of the whole */
	IR_FF_VECTOR = 2,    /* VEC(): the capacity follows the count */
	IR_FF_POINTER = 4,   /* the struct has a pointer to the value (or to each value
	                        of the list) */
	IR_FF_NEEDED = 8,    /* neither null nor an empty list */
	IR_FF_SORTED = 16,   /* text: greater than in the record before */
	IR_FF_RISING = 32,   /* word: not below that in the record before */
	IR_FF_REPEATED = 64, /* text: left out if the record before has the same */
	IR_FF_NOT = 128,     /* sets: exceptions, subtracted from the rule's set */
	IR_FF_PATH = 256     /* glob: may contain "**" */
};

struct ir_record;

struct ir_field {
	const char *key;
	enum ir_field_type type;
	unsigned flags;       /* enum ir_field_flag */
	size_t at, size;      /* offset and size of the value, in bytes */
	bool list;
	size_t count;         /* list: offset of the number of values, a size_t */
	size_t fixed;         /* list in the struct itself: its fixed length */
	enum ir_field_there there;
	size_t tag, tag_size;
	unsigned values;      /* one bit for each value; the last: 31 and above */
	const struct ir_words *words;
	uint64_t min, max;
	bool (*is)(struct str s); /* text: is it valid?  NULL: any text is */
	const struct ir_record *of;
	/* chooses the record by the struct, instead of `of`; `at` is the index of the
	   record of the whole that contains it */
	const struct ir_record *(*pick)(const void *of, size_t at);
};

struct ir_check;

struct ir_record {
	const struct ir_field *v;
	const void *blank; /* the reader's initial value; NULL: zeros */
	/* Returns NULL, or what is wrong in c->of.  It runs before the rows, so no
	   range has been checked yet. */
	const char *(*check)(struct ir_check *c);
};

struct ir_check {
	const struct ir *ir;
	struct arena *a;
	const void *of, *before; /* the record, and the one before it or NULL */
	const char *why;  /* the first error, or NULL */
	const char *list; /* the list of the whole that is being checked, and the index
	                     of its record */
	size_t at;
	bool broad;       /* sets match as for deny, ask and hide; the rule's check
	                     sets this */
	unsigned depth;
};

extern const struct ir_record ir_record_whole;  /* struct ir */
extern const struct ir_record ir_record_option; /* struct ir_optspec without its name */
extern const struct ir_record ir_record_place, ir_record_risk, ir_record_fact,
	ir_record_program, ir_record_var, ir_record_inert, ir_record_pin, ir_record_shell;
extern const struct ir_record ir_record_command; /* struct ir_command: a set of it */
/* The rows of a set; NULL for an invalid kind. */
const struct ir_record *ir_record_set(enum ir_kind kind);
/* One record (`p`), as it appears in ir.json. */
void ir_json_record(struct buf *out, const struct ir_record *of, const void *p);

/* Inline, because the verifier calls them some 300,000 times for a policy on std/base. */

/* Reads an unsigned number of 1, 2, 4 or 8 bytes; a pointer counts as 8. */
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

/* Is the member present, by its tag or by the record before? */
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

/* Value `i` of a list, or the single value. */
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

/* Returns NULL, or what is wrong in a glob; `path`: "**" is allowed. */
const char *ir_check_glob(const struct ir_glob *g, bool path);
bool ir_is_placed(const struct ir_place *p);

/* Functions for `is`. */
bool ir_is_some(struct str s); /* not empty */
bool ir_has_no_nul(struct str s);
bool ir_is_text(struct str s); /* not empty, no NUL */
bool ir_is_path(struct str s); /* a text that begins with '/' */

#endif
