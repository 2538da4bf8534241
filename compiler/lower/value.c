/*
 * Values of settings and carried keys: turns the text into a bool, number, text, list
 * or map, and checks it by its row of settings.def, if there is one.  Sizes become
 * bytes and durations milliseconds, so that equal values are equal.
 */
#include "compiler/lower/value.h"

#include <stdlib.h>

#include <inttypes.h>

#include "compiler/ir/value.h"

static bool bad(struct lower *l, const struct ast_value *v, struct str key,
		const char *wants)
{
	struct diag *d = diag_add(l->sink, DIAG_SETTING_VALUE, v->at,
				  "this is no value of '%.*s'", STR_ARG(key));

	diag_help(l->sink, d, "%s", wants);
	return false;
}

static bool is_string(const struct ast_value *v)
{
	return v->kind == AST_V_STRING || v->kind == AST_V_RAW;
}

/* --- by the syntax alone ------------------------------------------------------ */

static struct str canonical_number(struct lower *l, struct str text)
{
	uint64_t n;

	if (num_u64(text, &n)) /* also hexadecimal */
		return str_printf(l->a, "%" PRIu64, n);
	return text;
}

static bool any_value(struct lower *l, const struct ast_value *v, unsigned depth,
		      struct ir_value *ret);

static int by_key(const void *x, const void *y)
{
	const struct ir_value *a = x, *b = y;

	return str_cmp(a->key, b->key);
}

static bool sort_map(struct lower *l, struct ir_value *map, struct span at)
{
	if (map->nitems > 1)
		qsort(map->items, map->nitems, sizeof(*map->items), by_key);
	for (size_t i = 1; i < map->nitems; i++)
		if (str_eq(map->items[i - 1].key, map->items[i].key)) {
			diag_add(l->sink, DIAG_DUPLICATE_NAME, at,
				 "the key '%.*s' stands twice",
				 STR_ARG(map->items[i].key));
			return false;
		}
	return true;
}

static bool items_of(struct lower *l, const struct ast_value *v, unsigned depth,
		     struct ir_value *ret)
{
	bool ok = true;
	size_t n = 0;

	for (const struct ast_value *i = v->items; i; i = i->next)
		n++;
	ret->items = arena_array(l->a, n + 1, sizeof(*ret->items));
	for (const struct ast_value *i = v->items; i; i = i->next) {
		struct ir_value *to = &ret->items[ret->nitems];

		if (!any_value(l, i, depth + 1, to)) {
			ok = false;
			continue;
		}
		to->key = v->kind == AST_V_MAP ? i->key : STR_NULL;
		if (v->kind == AST_V_MAP &&
		    (!i->key.n || memchr(i->key.p, 0, i->key.n))) {
			diag_add(l->sink, DIAG_SETTING_VALUE, i->at,
				 "a key of a map is a text without NUL");
			ok = false;
		}
		ret->nitems++;
	}
	return ok && (v->kind == AST_V_LIST || sort_map(l, ret, v->at));
}

static bool any_value(struct lower *l, const struct ast_value *v, unsigned depth,
		      struct ir_value *ret)
{
	struct diag *d;

	*ret = (struct ir_value){ .type = IR_V_TEXT, .text = v->text };
	if (depth > IR_VALUE_DEPTH) {
		diag_add(l->sink, DIAG_SETTING_VALUE, v->at,
			 "a value is nested more than %u deep", IR_VALUE_DEPTH);
		return false;
	}
	switch (v->kind) {
	case AST_V_STRING:
	case AST_V_RAW:
		return lower_text(l, v, &ret->text);
	case AST_V_NUMBER:
		ret->text = canonical_number(l, v->text);
		if (ir_value_is_number(ret->text)) /* otherwise it has a unit */
			ret->type = IR_V_NUMBER;
		return true;
	case AST_V_DATE:
	case AST_V_ADDR:
	case AST_V_RANGE:
		return true;
	case AST_V_NAME:
		ret->yes = str_eqz(v->text, "true");
		if (!ret->yes && !str_eqz(v->text, "false"))
			break;
		*ret = (struct ir_value){ .type = IR_V_BOOL, .yes = ret->yes };
		return true;
	case AST_V_LIST:
	case AST_V_MAP:
		ret->type = v->kind == AST_V_LIST ? IR_V_LIST : IR_V_MAP;
		ret->text = STR_NULL;
		return items_of(l, v, depth, ret);
	case AST_V_REGEX:
	case AST_V_GROUP:
	case AST_V_OPTION:
	case AST_V_OPTSPEC:
	case AST_V_PATH:
	case AST_V_ANY:
	case AST_V_CALL:
		break;
	}
	d = diag_add(l->sink, DIAG_SETTING_VALUE, v->at,
		     v->kind == AST_V_NAME ? "'%.*s' is no 'let', and neither true nor "
					     "false" :
					     "'%.*s' is no value of a setting",
		     STR_ARG(v->text));
	diag_help(l->sink, d, "a text stands in double quotes: \"%.*s\"",
		  STR_ARG(v->text));
	return false;
}

/* --- by the row ----------------------------------------------------------------- */

int lower_word(const char *words, struct str word)
{
	for (int n = 0; *words; n++) {
		size_t len = strcspn(words, "|");

		if (word.n == len && memcmp(word.p, words, len) == 0)
			return n;
		words += len + (words[len] == '|');
	}
	return -1;
}

void lower_suggest(struct lower *l, struct diag *d, struct str word, const char *words)
{
	const char *list[16];
	size_t n = 0;

	for (const char *w = words; *w && n < POL_LEN(list);) {
		size_t len = strcspn(w, "|");

		list[n++] = str_z(l->a, (struct str){ w, len });
		w += len + (w[len] == '|');
	}
	if (!diag_did_you_mean(l->sink, d, word, list, n))
		diag_help(l->sink, d, "it is one of %s", words);
}

static bool word_value(struct lower *l, const struct lower_spec *spec, struct str key,
		       const struct ast_value *v, struct ir_value *ret)
{
	struct diag *d;

	ret->text = v->text;
	if ((is_string(v) || v->kind == AST_V_NAME) &&
	    lower_word(spec->words, v->text) >= 0)
		return true;
	d = diag_add(l->sink, DIAG_SETTING_VALUE, v->at, "'%.*s' is no value of '%.*s'",
		     STR_ARG(v->text), STR_ARG(key));
	lower_suggest(l, d, v->text, spec->words);
	return false;
}

static bool number_value(struct lower *l, enum ir_scalar_type type, struct str key,
			 const struct ast_value *v, struct ir_value *ret)
{
	uint64_t n = 0;

	if ((v->kind != AST_V_NUMBER && !is_string(v)) ||
	    !lower_number(type, v->text, &n) || n > INT64_MAX)
		return bad(l, v, key, lower_number_help(type));
	ret->type = IR_V_NUMBER;
	ret->text = str_printf(l->a, "%" PRIu64, n);
	return true;
}

static bool names_value(struct lower *l, struct str key, const struct ast_value *v,
			struct ir_value *ret)
{
	static const char wants[] = "it is a list of texts: [ \"a\", \"b\" ]";

	if (v->kind != AST_V_LIST)
		return bad(l, v, key, wants);
	for (const struct ast_value *i = v->items; i; i = i->next)
		if (!is_string(i))
			return bad(l, i, key, wants);
	return any_value(l, v, 0, ret);
}

/* Reads one regex or a list of them; a text is taken as the text of a regex. */
static bool regexes_value(struct lower *l, struct str key, const struct ast_value *v,
			  struct ir_value *ret)
{
	const struct ast_value *i = v->kind == AST_V_LIST ? v->items : v;
	size_t n = 1;

	for (const struct ast_value *k = i; k; k = k->next)
		n++;
	*ret = (struct ir_value){ .type = IR_V_LIST };
	ret->items = arena_array(l->a, n, sizeof(*ret->items));
	for (; i; i = v->kind == AST_V_LIST ? i->next : NULL) {
		struct ir_value *to = &ret->items[ret->nitems++];

		if (i->kind != AST_V_REGEX && !is_string(i))
			return bad(l, i, key, "it is a regular expression: /sk-[a-z]+/");
		if (i->text.n && memchr(i->text.p, 0, i->text.n))
			return bad(l, i, key, "no value can hold a NUL byte");
		*to = (struct ir_value){ .type = IR_V_TEXT };
		to->text = i->kind == AST_V_REGEX ?
			str_printf(l->a, "/%.*s/%.*s", STR_ARG(i->text), STR_ARG(i->flags)) :
			str_printf(l->a, "/%.*s/", STR_ARG(i->text));
	}
	return true;
}

/* Reads numbers from 0 to 1 under known keys. */
static bool fractions_value(struct lower *l, const struct lower_spec *spec,
			    struct str key, const struct ast_value *v,
			    struct ir_value *ret)
{
	uint64_t milli;

	if (v->kind != AST_V_MAP)
		return bad(l, v, key, "it is a map: { warning = 0.9 }");
	for (const struct ast_value *i = v->items; i; i = i->next) {
		if (lower_word(spec->words, i->key) < 0)
			return bad(l, i, key,
				   arena_printf(l->a, "its keys are %s", spec->words));
		if (i->kind != AST_V_NUMBER || !num_milli(i->text, &milli) || milli > 1000)
			return bad(l, i, key, "write a number from 0 to 1: 0.75");
	}
	return any_value(l, v, 0, ret);
}

static bool text_value(struct lower *l, const struct lower_spec *spec, struct str key,
		       const struct ast_value *v, struct ir_value *ret)
{
	if (!is_string(v))
		return bad(l, v, key,
			   v->kind == AST_V_NAME ?
				   "a text stands in double quotes, a 'let' in \"${…}\"" :
				   "write a text in double quotes");
	if (v->kind == AST_V_STRING && sema_has_root(v->text) &&
	    spec->type != LOWER_T_PATH) {
		diag_add(l->sink, DIAG_ROOT_PLACE, v->at,
			 "a root has no value in '%.*s'", STR_ARG(v->text));
		return false;
	}
	if (!lower_text(l, v, &ret->text))
		return false;
	return ret->text.n ? true : bad(l, v, key, "an empty text says nothing");
}

bool lower_value(struct lower *l, const struct lower_spec *spec, struct str key,
		 const struct ast_value *v, struct ir_value *ret)
{
	*ret = (struct ir_value){ .type = IR_V_TEXT };
	switch (spec->type) {
	case LOWER_T_ANY:
		return any_value(l, v, 0, ret);
	case LOWER_T_TEXT:
	case LOWER_T_PATH:
		return text_value(l, spec, key, v, ret);
	case LOWER_T_BOOL:
		if (v->kind != AST_V_NAME ||
		    (!str_eqz(v->text, "true") && !str_eqz(v->text, "false")))
			return bad(l, v, key, "it is true or false");
		return any_value(l, v, 0, ret);
	case LOWER_T_SIZE:
		return number_value(l, IR_T_SIZE, key, v, ret);
	case LOWER_T_DURATION:
		return number_value(l, IR_T_DURATION, key, v, ret);
	case LOWER_T_WORD:
		return word_value(l, spec, key, v, ret);
	case LOWER_T_NAMES:
		return names_value(l, key, v, ret);
	case LOWER_T_REGEXES:
		return regexes_value(l, key, v, ret);
	case LOWER_T_LIST:
		return v->kind == AST_V_LIST ? any_value(l, v, 0, ret) :
					       bad(l, v, key, "it is a list: [ … ]");
	case LOWER_T_FRACTIONS:
		return fractions_value(l, spec, key, v, ret);
	}
	return false;
}

/* --- what is tighter ------------------------------------------------------------- */

bool lower_has(const struct ir_value *list, const struct ir_value *x)
{
	for (size_t i = 0; i < list->nitems; i++)
		if (ir_value_equal(&list->items[i], x))
			return true;
	return false;
}

bool lower_is_tighter(const struct lower_spec *spec, const struct ir_value *x,
		      const struct ir_value *y)
{
	uint64_t a, b;

	switch (spec->order) {
	case LOWER_O_NONE:
		break;
	case LOWER_O_SMALLER:
		return num_u64(x->text, &a) && num_u64(y->text, &b) && a <= b;
	case LOWER_O_SUBSET:
		for (size_t i = 0; i < x->nitems; i++)
			if (!lower_has(y, &x->items[i]))
				return false;
		return true;
	case LOWER_O_LATER:
		return lower_word(spec->words, x->text) >=
		       lower_word(spec->words, y->text);
	}
	return ir_value_equal(x, y);
}
