/*
 * Reads the records of ir.json by the field tables.  ir_verify() checks words and
 * ranges; the comparison of bytes in read.c finds other spellings.
 */
#include "compiler/ir/read_fields.h"

#include <assert.h>
#include <json-c/json.h>

#include "compiler/ir/fields.h"
#include "compiler/ir/value.h"

struct reader {
	struct arena *a;
	const char *why;  /* the first error, or NULL */
	const char *list; /* the list of the whole that is being read, and the index of
	                     its record */
	size_t at;
	size_t nglob;     /* number of glob items so far */
	size_t noptions;  /* number of options of all programs so far */
};

static void fail(struct reader *r, const char *key, const char *what)
{
	if (r->why)
		return;
	r->why = r->list ? arena_printf(r->a, "%s[%zu]: '%s' %s", r->list, r->at, key, what) :
			   arena_printf(r->a, "'%s' %s", key, what);
}

/* --- plain values ---------------------------------------------------------- */

static struct str read_text(struct reader *r, const char *key, struct json_object *v)
{
	struct str s;

	if (!json_object_is_type(v, json_type_string)) {
		fail(r, key, "is no text");
		return STR("");
	}
	s = (struct str){ json_object_get_string(v), (size_t)json_object_get_string_len(v) };
	return str_dup(r->a, s);
}

static uint64_t read_number(struct reader *r, const char *key, uint64_t max,
			    struct json_object *v)
{
	uint64_t n = json_object_is_type(v, json_type_int) ? json_object_get_uint64(v) : 0;

	if (!json_object_is_type(v, json_type_int) || n > max)
		fail(r, key, "is no number, or too large");
	return n <= max ? n : 0;
}

static uint64_t read_hex(struct reader *r, const char *key, struct json_object *v)
{
	struct str s = read_text(r, key, v);
	uint64_t n = 0;

	if (!str_starts(s, STR("0x")) || !num_u64(s, &n))
		fail(r, key, "is no hexadecimal number");
	return n;
}

static unsigned read_word(struct reader *r, const char *key, const struct ir_words *words,
			  struct json_object *v)
{
	struct str s = read_text(r, key, v);

	for (unsigned i = 0; i < words->n; i++)
		if (words->v[i] && str_eqz(s, words->v[i]))
			return i;
	fail(r, key, "is an unknown word");
	return 0;
}

static bool read_flag(struct reader *r, struct json_object *o, const char *key)
{
	struct json_object *v = NULL;

	if (!json_object_object_get_ex(o, key, &v))
		return false;
	if (!json_object_is_type(v, json_type_boolean))
		fail(r, key, "is no flag");
	return json_object_get_boolean(v);
}

unsigned ir_nibble(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : 0x1000;
}

/* Reads 32 hexadecimal digits, followed by "/bits" if `ret_bits` is not NULL. */
static void read_address(struct reader *r, const char *key, struct json_object *v,
			 uint8_t addr[16], uint8_t *ret_bits)
{
	struct str s = read_text(r, key, v);
	uint64_t bits = 0;
	bool good = ret_bits ? s.n > 33 && s.p[32] == '/' &&
				       num_u64(str_sub(s, 33, s.n - 33), &bits) && bits <= 128 :
			       s.n == 32;

	for (size_t i = 0; good && i < 16; i++) {
		unsigned byte = ir_nibble(s.p[2 * i]) << 4 | ir_nibble(s.p[2 * i + 1]);

		good = byte <= 0xff;
		addr[i] = (uint8_t)byte;
	}
	if (!good)
		fail(r, key, "is no address");
	else if (ret_bits)
		*ret_bits = (uint8_t)bits;
}

/* --- what has a form of its own -------------------------------------------- */

static void read_glob(struct reader *r, const char *key, struct json_object *list,
		      struct ir_glob *ret, unsigned depth);

static void read_item(struct reader *r, const char *key, struct json_object *o,
		      struct ir_glob_item *ret, unsigned depth)
{
	struct json_object *op = NULL, *of = NULL;

	(void)json_object_object_get_ex(o, "op", &op);
	ret->op = (enum ir_glob_op)read_word(r, "op", &ir_words_glob, op);
	if (r->why || ret->op != IR_G_ALT)
		return;
	if (!json_object_object_get_ex(o, "of", &of) ||
	    !json_object_is_type(of, json_type_array)) {
		fail(r, key, "has no alternatives");
		return;
	}
	ret->nalts = json_object_array_length(of);
	ret->alts = arena_array(r->a, ret->nalts + 1, sizeof(*ret->alts));
	for (size_t i = 0; i < ret->nalts && !r->why; i++)
		read_glob(r, key, json_object_array_get_idx(of, i), &ret->alts[i], depth + 1);
}

/*
 * The number of items that the list stands for: a text counts as many items as it has
 * bytes.
 */
static size_t glob_size(struct json_object *list)
{
	size_t i, n = json_object_array_length(list), sum = 0;

	for (i = 0; i < n; i++) {
		struct json_object *v = json_object_array_get_idx(list, i);

		sum += json_object_is_type(v, json_type_string)
			       ? (size_t)json_object_get_string_len(v)
			       : 1;
	}
	return sum;
}

static void read_glob(struct reader *r, const char *key, struct json_object *list,
		      struct ir_glob *ret, unsigned depth)
{
	size_t n;

	/* ir_verify() has the exact limit; this one protects our own stack */
	if (depth > IR_READ_MAX_DEPTH || !json_object_is_type(list, json_type_array)) {
		fail(r, key, "is no list, or nests too deep");
		return;
	}
	n = glob_size(list);
	r->nglob += n;
	if (r->nglob > IR_READ_MAX_GLOB) {
		fail(r, key, "is one too many: the patterns are too long");
		return;
	}
	ret->v = arena_array(r->a, n + 1, sizeof(*ret->v));
	for (size_t i = 0; i < json_object_array_length(list) && !r->why; i++) {
		struct json_object *v = json_object_array_get_idx(list, i);
		struct str text;

		if (!json_object_is_type(v, json_type_string)) {
			read_item(r, key, v, &ret->v[ret->n++], depth);
			continue;
		}
		text = read_text(r, key, v);
		for (size_t k = 0; k < text.n; k++)
			ret->v[ret->n++] = (struct ir_glob_item){ .op = IR_G_BYTE,
								  .byte = (uint8_t)text.p[k] };
	}
}

static void read_any(struct reader *r, struct json_object *v, struct ir_value *ret,
		     unsigned depth);

static void read_items(struct reader *r, struct json_object *v, struct ir_value *ret,
		       unsigned depth)
{
	size_t i;

	ret->type = IR_V_LIST;
	ret->nitems = json_object_array_length(v);
	ret->items = arena_array(r->a, ret->nitems + 1, sizeof(*ret->items));
	for (i = 0; i < ret->nitems && !r->why; i++)
		read_any(r, json_object_array_get_idx(v, i), &ret->items[i], depth + 1);
}

static void read_map(struct reader *r, struct json_object *v, struct ir_value *ret,
		     unsigned depth)
{
	size_t n = (size_t)json_object_object_length(v);

	ret->type = IR_V_MAP;
	ret->items = arena_array(r->a, n + 1, sizeof(*ret->items));
	json_object_object_foreach(v, key, item)
	{
		struct ir_value *to = &ret->items[ret->nitems++];

		read_any(r, item, to, depth + 1);
		to->key = str_dup(r->a, str_from(key));
	}
}

static void read_any(struct reader *r, struct json_object *v, struct ir_value *ret,
		     unsigned depth)
{
	*ret = (struct ir_value){ .type = IR_V_BOOL };
	if (depth > IR_VALUE_DEPTH) {
		fail(r, "value", "is nested too deeply");
		return;
	}
	switch (json_object_get_type(v)) {
	case json_type_boolean:
		ret->yes = json_object_get_boolean(v);
		break;
	case json_type_int:
	case json_type_double: /* json-c keeps the spelling */
		ret->type = IR_V_NUMBER;
		ret->text = str_dup(r->a, str_from(json_object_get_string(v)));
		break;
	case json_type_string:
		ret->type = IR_V_TEXT;
		ret->text = read_text(r, "value", v);
		break;
	case json_type_array:
		read_items(r, v, ret, depth);
		break;
	case json_type_object:
		read_map(r, v, ret, depth);
		break;
	case json_type_null:
	default:
		fail(r, "value", "is of no type that a value has");
		break;
	}
}

static uint32_t read_operand(struct reader *r, struct json_object *o)
{
	struct json_object *v = NULL;
	uint32_t n;

	if (read_flag(r, o, "any"))
		return LINE_ANY_OPERAND;
	if (read_flag(r, o, "last"))
		return LINE_LAST_OPERAND;
	if (read_flag(r, o, "rest"))
		return LINE_REST_OPERAND;
	(void)json_object_object_get_ex(o, "operand", &v);
	n = (uint32_t)read_number(r, "operand", UINT8_MAX, v);
	return read_flag(r, o, "on") ? n + LINE_FROM_OPERAND : n;
}

/* --- by the tables --------------------------------------------------------- */

static void read_fields(struct reader *r, struct json_object *o, const struct ir_record *of,
			void *ret, const void *before);

struct options {
	VEC(struct ir_optspec) list;
};

/* Reads one record: options that differ only by name. */
static void read_options(struct reader *r, struct json_object *o, struct options *ret)
{
	struct ir_optspec s = { .same = 0 };
	struct json_object *groups = NULL, *names;

	read_fields(r, o, &ir_record_option, &s, NULL);
	if (r->why || !json_object_object_get_ex(o, "names", &groups) ||
	    !json_object_is_type(groups, json_type_array)) {
		fail(r, "names", "is missing");
		return;
	}
	for (size_t i = 0; i < json_object_array_length(groups); i++, s.same++) {
		names = json_object_array_get_idx(groups, i);
		if (!json_object_is_type(names, json_type_array)) {
			fail(r, "names", "holds what is no list");
			return;
		}
		for (size_t k = 0; k < json_object_array_length(names) && !r->why; k++) {
			if (r->noptions++ >= IR_READ_MAX_OPTIONS)
				fail(r, "options", "are too many");
			s.name = read_text(r, "names", json_object_array_get_idx(names, k));
			VEC_PUSH(r->a, &ret->list, s);
		}
	}
}

static void store(void *p, size_t size, uint64_t n)
{
	switch (size) {
	case sizeof(uint8_t):
		*(uint8_t *)p = (uint8_t)n;
		break;
	case sizeof(uint16_t):
		*(uint16_t *)p = (uint16_t)n;
		break;
	case sizeof(uint32_t):
		*(uint32_t *)p = (uint32_t)n;
		break;
	default:
		assert(size == sizeof(uint64_t));
		*(uint64_t *)p = n;
		break;
	}
}

static void read_value(struct reader *r, const struct ir_field *f, struct json_object *v,
		       void *p, const struct ir_record *of, const void *before)
{
	switch (f->type) {
	case IR_FT_FLAG:
		if (!json_object_is_type(v, json_type_boolean))
			fail(r, f->key, "is no flag");
		*(bool *)p = json_object_get_boolean(v);
		break;
	case IR_FT_TEXT:
		*(struct str *)p = read_text(r, f->key, v);
		break;
	case IR_FT_NUMBER:
		store(p, f->size, read_number(r, f->key, f->max, v));
		break;
	case IR_FT_HEX:
		store(p, f->size, read_hex(r, f->key, v));
		break;
	case IR_FT_WORD:
		store(p, f->size, read_word(r, f->key, f->words, v));
		break;
	case IR_FT_ADDRESS:
		read_address(r, f->key, v, p, NULL);
		break;
	case IR_FT_BLOCK:
		read_address(r, f->key, v, ((struct num_cidr *)p)->addr,
			     &((struct num_cidr *)p)->bits);
		break;
	case IR_FT_GLOB:
		read_glob(r, f->key, v, p, 0);
		break;
	case IR_FT_PATTERN:
		((struct ir_word *)p)->any_words = !v;
		if (v)
			read_glob(r, f->key, v, &((struct ir_word *)p)->glob, 0);
		break;
	case IR_FT_VALUE:
		read_any(r, v, p, 0);
		break;
	case IR_FT_RECORD:
		if (!json_object_is_type(v, json_type_object)) {
			fail(r, f->key, "is no record");
			break;
		}
		if (of->blank)
			memcpy(p, of->blank, f->size);
		read_fields(r, v, of, p, before);
		break;
	case IR_FT_END:
	case IR_FT_BITS:
	case IR_FT_INDEX:
	case IR_FT_OPERAND:
	case IR_FT_OPTIONS:
		break; /* not the value of a single key */
	}
}

/* Where to store value `i`. */
static void *room_for(struct reader *r, const struct ir_field *f, void *of, size_t i)
{
	void *p = (char *)of + f->at;

	if (f->list && !f->fixed)
		p = *(void **)p;
	if (!(f->flags & IR_FF_POINTER))
		return (char *)p + i * f->size;
	((void **)p)[i] = arena_alloc(r->a, f->size);
	return ((void **)p)[i];
}

static void set_list(const struct ir_field *f, void *of, void *v, size_t n)
{
	size_t *count = (void *)((char *)of + f->count);

	*(void **)(void *)((char *)of + f->at) = v;
	count[0] = n;
	if (f->flags & IR_FF_VECTOR)
		count[1] = n;
}

static void read_list(struct reader *r, const struct ir_field *f, struct json_object *list,
		      void *ret)
{
	const struct ir_record *of = ir_field_record(f, ret, r->at);
	size_t n = json_object_array_length(list);
	bool lines = f->flags & IR_FF_LINES;
	const void *before = NULL;

	if (f->fixed ? n != f->fixed : lines && n > IR_READ_MAX_RULES) {
		fail(r, f->key, f->fixed ? "are not those of this version" :
					   "has too many records");
		return;
	}
	if (!f->fixed)
		set_list(f, ret, arena_array(r->a, n + 1, f->flags & IR_FF_POINTER ?
							  sizeof(void *) : f->size), n);
	if (lines)
		r->list = f->key;
	for (size_t i = 0; i < n && !r->why; i++) {
		void *v = room_for(r, f, ret, i);

		if (lines)
			r->at = i;
		read_value(r, f, json_object_array_get_idx(list, i), v, of, before);
		before = v;
	}
	if (lines)
		r->list = NULL;
}

static void read_list_of_options(struct reader *r, const struct ir_field *f,
				 struct json_object *list, void *ret)
{
	struct options all = { { NULL, 0, 0 } };

	for (size_t i = 0; i < json_object_array_length(list) && !r->why; i++)
		read_options(r, json_object_array_get_idx(list, i), &all);
	set_list(f, ret, all.list.v, all.list.n);
}

/* Reads a member that has one key. */
static void read_member(struct reader *r, const struct ir_field *f, struct json_object *o,
			void *ret, const void *before)
{
	struct json_object *v = NULL;
	bool there = json_object_object_get_ex(o, f->key, &v);
	char *p = ret;

	if (f->there == IR_WHEN && !ir_field_is_there(f, ret, NULL))
		return;
	if (f->there == IR_SAYS && f->tag_size == sizeof(bool))
		store(p + f->tag, sizeof(bool), there);
	if (f->there == IR_SAYS && !there)
		return;
	if ((f->flags & IR_FF_REPEATED) && !there && before) {
		memcpy(p + f->at, (const char *)before + f->at, f->size);
		return;
	}
	if (f->there == IR_OR_NULL && there && !v) {
		if (f->of->blank)
			memcpy(p + f->at, f->of->blank, f->size);
		return;
	}
	if (!there || (f->list && !json_object_is_type(v, json_type_array)))
		fail(r, f->key, there ? "is no list" : "is missing");
	else if (f->type == IR_FT_OPTIONS)
		read_list_of_options(r, f, v, ret);
	else if (f->list)
		read_list(r, f, v, ret);
	else
		read_value(r, f, v, room_for(r, f, ret, 0), ir_field_record(f, ret, r->at),
			   NULL);
}

static void read_fields(struct reader *r, struct json_object *o, const struct ir_record *of,
			void *ret, const void *before)
{
	for (const struct ir_field *f = of->v; f->type && !r->why; f++) {
		void *p = (char *)ret + f->at;
		unsigned bits = 0;

		if (f->key) {
			read_member(r, f, o, ret, before);
		} else if (f->type == IR_FT_RECORD) {
			read_fields(r, o, ir_field_record(f, ret, r->at), p, NULL);
		} else if (f->type == IR_FT_OPERAND) {
			*(uint32_t *)p = read_operand(r, o);
		} else if (f->type == IR_FT_INDEX) {
			*(uint32_t *)p = (uint32_t)r->at;
		} else {
			for (unsigned k = 0; k < f->words->n; k++)
				bits |= read_flag(r, o, f->words->v[k]) ? 1u << k : 0;
			*(unsigned *)p = bits;
		}
	}
}

const char *ir_read_whole(struct arena *a, struct json_object *o, struct ir *ret)
{
	struct reader r = { .a = a };
	struct json_object *format = NULL;

	(void)json_object_object_get_ex(o, "format", &format);
	if (read_number(&r, "format", UINT64_MAX, format) != IR_FORMAT)
		fail(&r, "format", "is not that of this version");
	read_fields(&r, o, &ir_record_whole, ret, NULL);
	return r.why;
}
