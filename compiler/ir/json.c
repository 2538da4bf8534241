/*
 * Writes the canonical JSON of the IR (doc/ir.md): every part, with keys in the order
 * of the field tables and no white space except a newline between records.  Equal
 * policies give equal bytes.
 */
#include <inttypes.h>
#include <stdio.h>

#include "compiler/base/json_buf.h"
#include "compiler/ir/fields.h"
#include "compiler/ir/value.h"

struct out {
	struct json j;
	struct buf run; /* the literal bytes of a pattern, while they are collected */
};

static void put_fields(struct out *o, const struct ir_record *of, const void *p,
		       const void *before, size_t at);

/* A flag that is not set has no member. */
static void put_flag(struct out *o, const char *key, bool v)
{
	if (v)
		json_bool(&o->j, key, true);
}

/* --- what has a form of its own -------------------------------------------- */

static void put_run(struct out *o, const struct ir_glob *g, size_t *i)
{
	o->run.n = 0;
	for (; *i < g->n && g->v[*i].op == IR_G_BYTE; (*i)++)
		buf_ch(&o->run, (char)g->v[*i].byte);
	json_buf_str(&o->j, NULL, buf_view(&o->run));
}

/* A run of literal bytes becomes a string, everything else an object. */
static void put_glob(struct out *o, const char *key, const struct ir_glob *g)
{
	size_t i = 0;

	json_array(&o->j, key);
	while (i < g->n) {
		const struct ir_glob_item *it = &g->v[i];

		if (it->op == IR_G_BYTE) {
			put_run(o, g, &i);
			continue;
		}
		i++;
		json_object(&o->j, NULL);
		json_cstr(&o->j, "op", ir_word(&ir_words_glob, it->op));
		if (it->op == IR_G_ALT) {
			json_array(&o->j, "of");
			for (size_t k = 0; k < it->nalts; k++)
				put_glob(o, NULL, &it->alts[k]);
			json_array_end(&o->j);
		}
		json_object_end(&o->j);
	}
	json_array_end(&o->j);
}

/* `bits`: -1 for an address alone. */
static void put_address(struct out *o, const char *key, const uint8_t addr[16], int bits)
{
	char text[48];
	size_t n = 0;

	for (unsigned i = 0; i < 16; i++, n += 2)
		(void)snprintf(text + n, sizeof(text) - n, "%02x", addr[i]);
	if (bits >= 0)
		(void)snprintf(text + n, sizeof(text) - n, "/%d", bits);
	json_cstr(&o->j, key, text);
}

static void put_operand(struct out *o, uint32_t n)
{
	put_flag(o, "any", n == LINE_ANY_OPERAND);
	put_flag(o, "last", n == LINE_LAST_OPERAND);
	put_flag(o, "rest", n == LINE_REST_OPERAND);
	if (n >= LINE_REST_OPERAND)
		return;
	json_uint(&o->j, "operand", n & UINT8_MAX);
	put_flag(o, "on", n >= LINE_FROM_OPERAND);
}

static bool same_when(const struct ir_when *x, const struct ir_when *y)
{
	return x->is == y->is && x->i == y->i && x->x == y->x && str_eq(x->text, y->text);
}

/* May the option share a record with the one before it?  It may if only the name
 * differs and its number is the same or the next. */
static bool goes_on(const struct ir_optspec *o, const struct ir_optspec *before)
{
	return o->takes == before->takes && o->says_takes == before->says_takes &&
	       o->flags == before->flags && same_when(&o->when, &before->when) &&
	       (o->same == before->same || o->same == before->same + 1);
}

static void end_names(struct out *o)
{
	json_array_end(&o->j);
	json_array_end(&o->j);
	json_object_end(&o->j);
}

/* Writes one record for options that differ only by name; names with the same number
 * are grouped. */
static void put_options(struct out *o, const char *key, const struct ir_optspec *v,
			size_t n)
{
	json_array(&o->j, key);
	for (size_t i = 0; i < n; i++) {
		if (i == 0 || !goes_on(&v[i], &v[i - 1])) {
			if (i > 0)
				end_names(o);
			json_object(&o->j, NULL);
			put_fields(o, &ir_record_option, &v[i], NULL, 0);
			json_array(&o->j, "names");
			json_array(&o->j, NULL);
		} else if (v[i].same != v[i - 1].same) {
			json_array_end(&o->j);
			json_array(&o->j, NULL);
		}
		json_buf_str(&o->j, NULL, v[i].name);
	}
	if (n)
		end_names(o);
	json_array_end(&o->j);
}

/* --- by the tables --------------------------------------------------------- */

static void put_hex(struct out *o, const char *key, uint64_t n)
{
	char text[24];

	(void)snprintf(text, sizeof(text), "0x%" PRIx64, n);
	json_cstr(&o->j, key, text);
}

static void put_value(struct out *o, const char *key, const struct ir_field *f,
		      const void *p, const struct ir_record *of, const void *before,
		      size_t at)
{
	const struct num_cidr *block = p;
	const struct ir_word *word = p;

	switch (f->type) {
	case IR_FT_FLAG:
		json_bool(&o->j, key, true);
		break;
	case IR_FT_TEXT:
		json_buf_str(&o->j, key, *(const struct str *)p);
		break;
	case IR_FT_NUMBER:
		json_uint(&o->j, key, ir_field_number(p, f->size));
		break;
	case IR_FT_HEX:
		put_hex(o, key, ir_field_number(p, f->size));
		break;
	case IR_FT_WORD:
		json_cstr(&o->j, key, ir_word(f->words, ir_field_number(p, f->size)));
		break;
	case IR_FT_ADDRESS:
		put_address(o, key, p, -1);
		break;
	case IR_FT_BLOCK:
		put_address(o, key, block->addr, (int)block->bits);
		break;
	case IR_FT_GLOB:
		put_glob(o, key, p);
		break;
	case IR_FT_PATTERN:
		if (word->any_words)
			json_null(&o->j, key);
		else
			put_glob(o, key, &word->glob);
		break;
	case IR_FT_VALUE:
		ir_value_put(&o->j, key, p);
		break;
	case IR_FT_RECORD:
		json_object(&o->j, key);
		put_fields(o, of, p, before, at);
		json_object_end(&o->j);
		break;
	case IR_FT_END:
	case IR_FT_BITS:
	case IR_FT_INDEX:
	case IR_FT_OPERAND:
	case IR_FT_OPTIONS:
		break; /* not the value of a single key */
	}
}

static void put_list(struct out *o, const struct ir_field *f, const void *p, size_t at)
{
	bool lines = f->flags & IR_FF_LINES;
	const struct ir_record *of = ir_field_record(f, p, at);
	const void *before = NULL;

	json_array(&o->j, f->key);
	for (size_t i = 0, n = ir_field_count(f, p); i < n; i++) {
		const void *v = ir_field_value(f, p, i);

		if (lines)
			json_line(&o->j);
		put_value(o, NULL, f, v, of, before, lines ? i : at);
		before = v;
	}
	json_array_end(&o->j);
}

static void put_bits(struct out *o, const struct ir_field *f, const void *p)
{
	uint64_t bits = ir_field_number(p, f->size);

	for (unsigned i = 0; i < f->words->n; i++)
		put_flag(o, f->words->v[i], bits >> i & 1);
}

static void put_field(struct out *o, const struct ir_field *f, const void *p,
		      const void *before, size_t at)
{
	const void *v = (const char *)p + f->at;

	if (!ir_field_is_there(f, p, before)) {
		if (f->there == IR_OR_NULL)
			json_null(&o->j, f->key);
		return;
	}
	if (f->type == IR_FT_BITS) {
		put_bits(o, f, v);
	} else if (f->type == IR_FT_OPERAND) {
		put_operand(o, *(const uint32_t *)v);
	} else if (f->key && f->type == IR_FT_OPTIONS) {
		put_options(o, f->key, ir_field_value(f, p, 0), ir_field_count(f, p));
	} else if (f->key && f->list) {
		put_list(o, f, p, at);
	} else if (f->key) {
		put_value(o, f->key, f, ir_field_value(f, p, 0), ir_field_record(f, p, at),
			  NULL, at);
	} else if (f->type == IR_FT_RECORD) {
		put_fields(o, ir_field_record(f, p, at), v, NULL, at);
	}
}

static void put_fields(struct out *o, const struct ir_record *of, const void *p,
		       const void *before, size_t at)
{
	for (const struct ir_field *f = of->v; f->type; f++)
		put_field(o, f, p, before, at);
}

static void begin(struct out *o, struct buf *b)
{
	json_buf_init(&o->j, b);
	buf_init(&o->run, b->a);
	json_object(&o->j, NULL);
}

void ir_json_set(struct buf *out, enum ir_kind kind, const struct ir_set *s)
{
	struct out o;

	begin(&o, out);
	put_fields(&o, ir_record_set(kind), s, NULL, 0);
	json_object_end(&o.j);
}

void ir_json_record(struct buf *out, const struct ir_record *of, const void *p)
{
	struct out o;

	begin(&o, out);
	put_fields(&o, of, p, NULL, 0);
	json_object_end(&o.j);
}

void ir_json(struct buf *out, const struct ir *ir)
{
	struct out o;

	begin(&o, out);
	json_uint(&o.j, "format", IR_FORMAT);
	put_fields(&o, &ir_record_whole, ir, NULL, 0);
	json_object_end(&o.j);
	buf_ch(out, '\n');
}
