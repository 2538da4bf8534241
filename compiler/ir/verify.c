/*
 * Checks each member by its row and each record by its table.  Decides nothing about
 * policies: an error found here is a bug in the compiler, which ends with status 70.
 */
#include "compiler/ir/fields.h"
#include "compiler/ir/value.h"

/* Conditions may nest 256 deep; few records surround them. */
#define MAX_DEPTH (256 + 8)

static void broken(struct ir_check *c, const char *key, const char *what)
{
	const char *name = key ? arena_printf(c->a, "'%s' ", key) : "";

	if (c->why)
		return;
	c->why = c->list ? arena_printf(c->a, "%s[%zu]: %s%s", c->list, c->at, name, what) :
			   arena_printf(c->a, "%s%s", name, what);
}

static const char *check_block(const struct num_cidr *b)
{
	if (b->bits > 128)
		return "has more than 128 bits";
	for (unsigned bit = b->bits; bit < 128; bit++)
		if (b->addr[bit / 8] & (0x80u >> (bit % 8)))
			return "has host bits";
	return NULL;
}

static const char *check_pattern(const struct ir_word *w)
{
	if (w->any_words && w->glob.n)
		return "is '**' and a glob";
	return ir_check_glob(&w->glob, false);
}

static const char *check_text(const struct ir_field *f, const struct str *s,
			      const char *before)
{
	if (f->is && !f->is(*s))
		return "is empty, or no such text";
	if ((f->flags & IR_FF_SORTED) && before &&
	    str_cmp(*(const struct str *)(before + f->at), *s) >= 0)
		return "is out of order";
	return NULL;
}

static const char *check_number(const struct ir_field *f, const void *p, const char *before)
{
	uint64_t n = ir_field_number(p, f->size);

	if (f->type == IR_FT_WORD ? !ir_word(f->words, n) : n < f->min || n > f->max)
		return "is out of range";
	if ((f->flags & IR_FF_RISING) && before && ir_field_number(before + f->at, f->size) > n)
		return "is out of order";
	return NULL;
}

static void check_fields(struct ir_check *c, const struct ir_record *of, const void *p,
			 const void *before);

/*
 * Checks one value.  `before` is the record before the one that has it, or the list's
 * previous value.
 */
static void check_value(struct ir_check *c, const struct ir_field *f, const void *p,
			const struct ir_record *of, const void *before)
{
	const char *why = NULL;

	switch (f->type) {
	case IR_FT_TEXT:
		why = check_text(f, p, before);
		break;
	case IR_FT_NUMBER:
	case IR_FT_WORD:
		why = check_number(f, p, before);
		break;
	case IR_FT_BITS:
		why = ir_field_number(p, f->size) >> f->words->n ? "has unknown bits" : NULL;
		break;
	case IR_FT_BLOCK:
		why = check_block(p);
		break;
	case IR_FT_GLOB:
		why = ir_check_glob(p, f->flags & IR_FF_PATH);
		break;
	case IR_FT_PATTERN:
		why = check_pattern(p);
		break;
	case IR_FT_VALUE:
		why = ir_value_verify(p);
		break;
	case IR_FT_INDEX:
		why = ir_field_number(p, f->size) != c->at ? "an index of another rule" : NULL;
		break;
	case IR_FT_RECORD:
	case IR_FT_OPTIONS:
		if (of)
			check_fields(c, of, p, f->list ? before : NULL);
		else
			why = "is of no kind";
		break;
	case IR_FT_END:
	case IR_FT_FLAG:
	case IR_FT_HEX:
	case IR_FT_ADDRESS:
	case IR_FT_OPERAND:
		break;
	}
	if (why)
		broken(c, f->key, why);
}

static void check_list(struct ir_check *c, const struct ir_field *f, const void *p)
{
	const struct ir_record *of = ir_field_record(f, p, c->at);
	const void *before = NULL;
	size_t n = ir_field_count(f, p);

	if (!n && (f->flags & IR_FF_NEEDED))
		broken(c, f->key, "is empty");
	if (f->flags & IR_FF_LINES)
		c->list = f->key;
	for (size_t i = 0; i < n && !c->why; i++) {
		const void *v = ir_field_value(f, p, i);

		if (f->flags & IR_FF_LINES)
			c->at = i;
		check_value(c, f, v, of, f->type == IR_FT_RECORD ? before : NULL);
		before = v;
	}
	if (f->flags & IR_FF_LINES)
		c->list = NULL;
}

static void check_field(struct ir_check *c, const struct ir_field *f, const void *p,
			const void *before)
{
	bool broad = c->broad;

	if (!ir_field_is_there(f, p, before)) {
		if (f->there == IR_OR_NULL && (f->flags & IR_FF_NEEDED))
			broken(c, f->key, "is nowhere");
		return;
	}
	if (f->flags & IR_FF_NOT)
		c->broad = !broad;
	if (f->list)
		check_list(c, f, p);
	else if (ir_field_value(f, p, 0))
		check_value(c, f, ir_field_value(f, p, 0), ir_field_record(f, p, c->at), before);
	else
		broken(c, f->key, "is missing");
	c->broad = broad;
}

static void check_fields(struct ir_check *c, const struct ir_record *of, const void *p,
			 const void *before)
{
	const char *why;

	c->of = p;
	c->before = before;
	why = ++c->depth > MAX_DEPTH ? "nests too deep" : of->check ? of->check(c) : NULL;
	if (why)
		broken(c, NULL, why);
	for (const struct ir_field *f = of->v; f->type && !c->why; f++)
		if (f->type != IR_FT_FLAG) /* a bool is never wrong */
			check_field(c, f, p, before);
	c->depth--;
}

const char *ir_verify(const struct ir *ir, struct arena *a)
{
	struct ir_check c = { .ir = ir, .a = a };

	check_fields(&c, &ir_record_whole, ir, NULL);
	return c.why;
}
