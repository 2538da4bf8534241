/*
 * Writes the canonical JSON of the IR (doc/ir.md): every part, with keys in the order
 * of the field tables and no white space except a newline between records.  Equal
 * policies give equal bytes.
 */
#include <inttypes.h>

#include "compiler/ir/fields.h"
#include "compiler/ir/value.h"

static void put_fields(struct buf *b, const struct ir_record *of, const void *p,
		       const void *before, size_t at);

/* Writes `"k":`, with a comma before it if another member precedes. */
static void put_key(struct buf *b, const char *k)
{
	if (b->n && b->p[b->n - 1] != '{' && b->p[b->n - 1] != '[')
		buf_ch(b, ',');
	buf_printf(b, "\"%s\":", k);
}

static void put_flag(struct buf *b, const char *k, bool v)
{
	if (!v)
		return;
	put_key(b, k);
	buf_z(b, "true");
}

static void put_comma(struct buf *b, size_t i)
{
	if (i)
		buf_ch(b, ',');
}

/* --- what has a form of its own -------------------------------------------- */

static void put_run(struct buf *b, const struct ir_glob *g, size_t *i)
{
	struct buf run;

	buf_init(&run, b->a);
	for (; *i < g->n && g->v[*i].op == IR_G_BYTE; (*i)++)
		buf_ch(&run, (char)g->v[*i].byte);
	buf_json(b, buf_view(&run));
}

/* A run of literal bytes becomes a string, everything else an object. */
static void put_glob(struct buf *b, const struct ir_glob *g)
{
	size_t i = 0, k;

	buf_ch(b, '[');
	while (i < g->n) {
		const struct ir_glob_item *it = &g->v[i];

		put_comma(b, i);
		if (it->op == IR_G_BYTE) {
			put_run(b, g, &i);
			continue;
		}
		i++;
		if (it->op != IR_G_ALT) {
			buf_printf(b, "{\"op\":\"%s\"}", ir_word(&ir_words_glob, it->op));
			continue;
		}
		buf_z(b, "{\"op\":\"alt\",\"of\":[");
		for (k = 0; k < it->nalts; k++) {
			put_comma(b, k);
			put_glob(b, &it->alts[k]);
		}
		buf_z(b, "]}");
	}
	buf_ch(b, ']');
}

static void put_address(struct buf *b, const uint8_t addr[16])
{
	for (unsigned i = 0; i < 16; i++)
		buf_printf(b, "%02x", addr[i]);
}

static void put_operand(struct buf *b, uint32_t n)
{
	put_flag(b, "any", n == LINE_ANY_OPERAND);
	put_flag(b, "last", n == LINE_LAST_OPERAND);
	put_flag(b, "rest", n == LINE_REST_OPERAND);
	if (n >= LINE_REST_OPERAND)
		return;
	put_key(b, "operand");
	buf_printf(b, "%u", n & UINT8_MAX);
	put_flag(b, "on", n >= LINE_FROM_OPERAND);
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

/* Writes one record for options that differ only by name; names with the same number
 * are grouped. */
static void put_options(struct buf *b, const struct ir_optspec *v, size_t n)
{
	buf_ch(b, '[');
	for (size_t i = 0; i < n; i++) {
		bool more = i > 0 && goes_on(&v[i], &v[i - 1]);

		if (more) {
			buf_z(b, v[i].same == v[i - 1].same ? "," : "],[");
		} else {
			buf_z(b, i ? "]]},{" : "{");
			put_fields(b, &ir_record_option, &v[i], NULL, 0);
			put_key(b, "names");
			buf_z(b, "[[");
		}
		buf_json(b, v[i].name);
	}
	buf_z(b, n ? "]]}]" : "]");
}

/* --- by the tables --------------------------------------------------------- */

static void put_value(struct buf *b, const struct ir_field *f, const void *p,
		      const struct ir_record *of, const void *before, size_t at)
{
	switch (f->type) {
	case IR_FT_FLAG:
		buf_z(b, "true");
		break;
	case IR_FT_TEXT:
		buf_json(b, *(const struct str *)p);
		break;
	case IR_FT_NUMBER:
		buf_printf(b, "%" PRIu64, ir_field_number(p, f->size));
		break;
	case IR_FT_HEX:
		buf_printf(b, "\"0x%" PRIx64 "\"", ir_field_number(p, f->size));
		break;
	case IR_FT_WORD:
		buf_json(b, str_from(ir_word(f->words, ir_field_number(p, f->size))));
		break;
	case IR_FT_ADDRESS:
		buf_ch(b, '"');
		put_address(b, p);
		buf_ch(b, '"');
		break;
	case IR_FT_BLOCK:
		buf_ch(b, '"');
		put_address(b, ((const struct num_cidr *)p)->addr);
		buf_printf(b, "/%u\"", ((const struct num_cidr *)p)->bits);
		break;
	case IR_FT_GLOB:
		put_glob(b, p);
		break;
	case IR_FT_PATTERN:
		if (((const struct ir_word *)p)->any_words)
			buf_z(b, "null");
		else
			put_glob(b, &((const struct ir_word *)p)->glob);
		break;
	case IR_FT_VALUE:
		ir_value_json(b, p);
		break;
	case IR_FT_RECORD:
		buf_ch(b, '{');
		put_fields(b, of, p, before, at);
		buf_ch(b, '}');
		break;
	case IR_FT_END:
	case IR_FT_BITS:
	case IR_FT_INDEX:
	case IR_FT_OPERAND:
	case IR_FT_OPTIONS:
		break; /* not the value of a single key */
	}
}

static void put_list(struct buf *b, const struct ir_field *f, const void *p, size_t at)
{
	bool lines = f->flags & IR_FF_LINES;
	const struct ir_record *of = ir_field_record(f, p, at);
	const void *before = NULL;

	buf_ch(b, '[');
	for (size_t i = 0, n = ir_field_count(f, p); i < n; i++) {
		const void *v = ir_field_value(f, p, i);

		put_comma(b, i);
		if (lines)
			buf_ch(b, '\n');
		put_value(b, f, v, of, before, lines ? i : at);
		before = v;
	}
	buf_ch(b, ']');
}

static void put_bits(struct buf *b, const struct ir_field *f, const void *p)
{
	uint64_t bits = ir_field_number(p, f->size);

	for (unsigned i = 0; i < f->words->n; i++)
		put_flag(b, f->words->v[i], bits >> i & 1);
}

static void put_field(struct buf *b, const struct ir_field *f, const void *p,
		      const void *before, size_t at)
{
	const void *v = (const char *)p + f->at;

	if (!ir_field_is_there(f, p, before)) {
		if (f->there != IR_OR_NULL)
			return;
		put_key(b, f->key);
		buf_z(b, "null");
		return;
	}
	if (f->type == IR_FT_BITS) {
		put_bits(b, f, v);
	} else if (f->type == IR_FT_OPERAND) {
		put_operand(b, *(const uint32_t *)v);
	} else if (f->key) {
		put_key(b, f->key);
		if (f->type == IR_FT_OPTIONS)
			put_options(b, ir_field_value(f, p, 0), ir_field_count(f, p));
		else if (f->list)
			put_list(b, f, p, at);
		else
			put_value(b, f, ir_field_value(f, p, 0), ir_field_record(f, p, at),
				  NULL, at);
	} else if (f->type == IR_FT_RECORD) {
		put_fields(b, ir_field_record(f, p, at), v, NULL, at);
	}
}

static void put_fields(struct buf *b, const struct ir_record *of, const void *p,
		       const void *before, size_t at)
{
	for (const struct ir_field *f = of->v; f->type; f++)
		put_field(b, f, p, before, at);
}

void ir_json_set(struct buf *out, enum ir_kind kind, const struct ir_set *s)
{
	buf_ch(out, '{');
	put_fields(out, ir_record_set(kind), s, NULL, 0);
	buf_ch(out, '}');
}

void ir_json(struct buf *out, const struct ir *ir)
{
	buf_printf(out, "{\"format\":%u", IR_FORMAT);
	put_fields(out, &ir_record_whole, ir, NULL, 0);
	buf_z(out, "}\n");
}
