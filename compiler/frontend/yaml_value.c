/*
 * Decides what a scalar is: by the type that its key wants, never by how it looks.
 * `{pol: TEXT}` is any value, in the spelling of the language.
 */
#include "compiler/frontend/yaml_value.h"

#include <assert.h>

#include "compiler/base/buf.h"
#include "compiler/frontend/yaml_scalar.h"

#define B (y->b)

/* The name of each type, and how it is read when written in the language. */
static const struct {
	const char *wanted;
	enum dsl_start start;
} types[YML_TYPES] = {
	[YML_T_TEXT] = { "a text", DSL_TEXT },
	[YML_T_TEXTS] = { "texts", DSL_TEXT },
	[YML_T_PATTERNS] = { "patterns", DSL_PATTERN },
	[YML_T_PATHS] = { "paths", DSL_PATH },
	[YML_T_HOSTS] = { "hosts", DSL_HOST },
	[YML_T_PORTS] = { "ports", DSL_PORT },
	[YML_T_NAMES] = { "names", DSL_NAME },
	[YML_T_OPTIONS] = { "options", DSL_OPTION },
	[YML_T_CALLS] = { "system calls", DSL_CALL },
	[YML_T_IMPORTS] = { "files", DSL_IMPORT },
	[YML_T_ELEMENTS] = { "elements", DSL_ELEMENT },
	[YML_T_REGEXES] = { "regexes", DSL_VALUE },
	[YML_T_WORD] = { "a word", DSL_VALUE },
	[YML_T_WORDS] = { "words", DSL_VALUE },
	[YML_T_NUMBER] = { "a number", DSL_VALUE },
	[YML_T_DATE] = { "a date", DSL_VALUE },
	[YML_T_ANY] = { "a value", DSL_VALUE },
};

bool yml_word(struct yml *y, const struct yml_node *n, struct str *ret)
{
	struct diag *d;

	if (!yml_text(y, n, "a word", ret))
		return false;
	if (ast_is_name(*ret))
		return true;
	d = diag_add(y->sink, DIAG_YAML_VALUE, n->at, "'%.*s' is no name",
		     STR_ARG(*ret));
	diag_help(y->sink, d,
		  "a name has letters, digits, '_', '-' and '.', does not begin with a "
		  "digit, and is no reserved word of the language");
	return false;
}

static bool one_of(struct yml *y, const struct yml_node *n, const char *wanted,
		   const char *const *words, size_t count, size_t *ret)
{
	struct str text;
	const char *near;
	struct diag *d;

	if (!yml_text(y, n, wanted, &text))
		return false;
	for (*ret = 0; *ret < count; ++*ret)
		if (str_eqz(text, words[*ret]))
			return true;
	d = diag_add(y->sink, DIAG_YAML_VALUE, n->at, "'%.*s' is not %s", STR_ARG(text),
		     wanted);
	near = diag_suggest(text, words, count);
	if (near)
		diag_help(y->sink, d, "did you mean '%s'?", near);
	return false;
}

bool yml_bool(struct yml *y, const struct yml_node *n, bool *ret)
{
	static const char *const words[] = { "false", "true" };
	size_t i;

	if (!one_of(y, n, "true or false", words, POL_LEN(words), &i))
		return false;
	*ret = i == 1;
	return true;
}

bool yml_effect(struct yml *y, const struct yml_node *n, enum ast_effect *ret)
{
	static const char *const words[] = { "allow", "ask", "deny" };
	size_t i;

	if (!one_of(y, n, "allow, ask or deny", words, POL_LEN(words), &i))
		return false;
	*ret = (enum ast_effect)i;
	return true;
}

bool yml_ops(struct yml *y, const struct yml_node *n, unsigned *ret)
{
	static const char *const words[] = { "read", "write", "exec" };
	bool ok = true;
	size_t i;

	*ret = 0;
	if (n->kind == YML_SCALAR) {
		if (!one_of(y, n, "read, write or exec", words, POL_LEN(words), &i))
			return false;
		*ret = 1u << i;
		return true;
	}
	if (n->kind != YML_LIST || !n->items) {
		yml_wrong_shape(y, n, "a list of read, write, exec");
		return false;
	}
	for (const struct yml_item *k = n->items; k; k = k->next) {
		if (one_of(y, k->value, "read, write or exec", words, POL_LEN(words),
			   &i))
			*ret |= 1u << i;
		else
			ok = false;
	}
	return ok;
}

const char *yml_meaning(struct yml *y, const struct yml_node *n, enum yml_word_set set)
{
	for (size_t i = 0; n && n->kind == YML_SCALAR && i < yml_nwords; i++)
		if (yml_words[i].set == set &&
		    (str_eqz(n->text, yml_words[i].word) ||
		     str_eqz(n->text, yml_camel(y->a, yml_words[i].word)) ||
		     str_eqz(n->text, yml_snake(y->a, yml_words[i].word))))
			return yml_words[i].meaning;
	return NULL;
}

const char *yml_choice(struct yml *y, const struct yml_node *n, enum yml_word_set set)
{
	const char **known = arena_array(y->a, yml_nwords, sizeof(*known)), *near;
	const char *all = "", *ret;
	struct str text;
	size_t count = 0;
	struct diag *d;

	if (!yml_text(y, n, "a word", &text))
		return NULL;
	ret = yml_meaning(y, n, set);
	if (ret)
		return ret;
	for (size_t i = 0; i < yml_nwords; i++)
		if (yml_words[i].set == set)
			known[count++] = yml_words[i].word;
	d = diag_add(y->sink, DIAG_YAML_VALUE, n->at, "'%.*s' is no value of this key",
		     STR_ARG(text));
	near = diag_suggest(text, known, count);
	for (size_t i = 0; i < count; i++)
		all = arena_printf(y->a, "%s%s%s", all, i ? ", " : "", known[i]);
	if (near)
		diag_help(y->sink, d, "did you mean '%s'?", near);
	else
		diag_help(y->sink, d, "it is one of %s", all);
	return NULL;
}

bool yml_dsl(struct yml *y, enum dsl_start start, const struct yml_node *n,
	     struct dsl_result *ret)
{
	struct span at = n->inner.len == n->text.n ? n->inner : n->at;
	struct str text;

	return yml_text(y, n, "a text of the language", &text) &&
	       dsl_piece(y->dsl, start, text, at, ret);
}

/* --- strings --------------------------------------------------------- */

/* YAML has decoded the text, except for \$.  A text with two readings is refused. */
static struct ast_value *string(struct yml *y, const struct yml_node *n)
{
	struct diag *d;

	for (size_t i = 2; i < n->text.n; i++) {
		if (n->text.p[i] != '$' || n->text.p[i - 1] != '\\' ||
		    n->text.p[i - 2] != '\\')
			continue;
		d = diag_add(y->sink, DIAG_AMBIGUOUS_DOLLAR, n->at,
			     "'$' behind two backslashes could be a dollar sign or an "
			     "expansion");
		diag_help(y->sink, d,
			  "write \\$ for a dollar sign; the language's own string "
			  "knows more: {pol: '\"\\\\\\$\"'}");
		return NULL;
	}
	return AST_VALUE(B, AST_V_STRING, n->at, .text = n->text);
}

static struct ast_value *regex(struct yml *y, const struct yml_node *n)
{
	struct buf b;

	if (!n->text.n || memchr(n->text.p, '\n', n->text.n)) {
		diag_add(y->sink, DIAG_BAD_REGEX, n->at,
			 n->text.n ? "a regex stands on one line" : "an empty regex");
		return NULL;
	}
	/* a slash ends a regex of the language, so escape it */
	buf_init(&b, y->a);
	for (size_t i = 0; i < n->text.n; i++) {
		if (n->text.p[i] == '\\' && i + 1 < n->text.n)
			buf_ch(&b, n->text.p[i++]);
		else if (n->text.p[i] == '/')
			buf_ch(&b, '\\');
		buf_ch(&b, n->text.p[i]);
	}
	return AST_VALUE(B, AST_V_REGEX, n->at, .text = str_dup(y->a, buf_view(&b)));
}

/* --- scalars --------------------------------------------------------- */

static struct ast_value *dsl_value(struct yml *y, enum yml_type type,
				   const struct yml_node *n)
{
	struct dsl_result r = { 0 };

	return yml_dsl(y, types[type].start, n, &r) ? r.values : NULL;
}

/* A newline in a block would be a byte of a name, or join two patterns to one. */
static struct ast_value *one_line(struct yml *y, const struct yml_node *n,
				  const char *what)
{
	struct diag *d;

	if (!n->block || !memchr(n->text.p, '\n', n->text.n))
		return string(y, n);
	d = diag_add(y->sink, DIAG_YAML_VALUE, n->at,
		     "a newline of this block would belong to the %s", what);
	diag_help(y->sink, d,
		  "write it behind the key or in quotes, and several as a list");
	return NULL;
}

static struct ast_value *wrong(struct yml *y, enum yml_type type,
			       const struct yml_node *n)
{
	static const char *const examples[][2] = {
		[YML_T_PORTS] = { "port", "ports are written 443 or 8000-8080" },
		[YML_T_NUMBER] = { "number",
				   "sizes are written 4G (K M G T), durations 60s (ms s "
				   "m h d), counts 100" },
		[YML_T_DATE] = { "date", "days are written 2027-06-30" },
	};
	struct diag *d = diag_add(y->sink, DIAG_YAML_VALUE, n->at, "'%.*s' is no %s",
				  STR_ARG(n->text), examples[type][0]);

	diag_help(y->sink, d, "%s", examples[type][1]);
	return NULL;
}

static struct ast_value *scalar(struct yml *y, enum yml_type type,
				const struct yml_node *n)
{
	enum ast_value_kind kind;
	struct str word;

	if (type == YML_T_WORD || type == YML_T_WORDS)
		return yml_word(y, n, &word)
			       ? AST_VALUE(B, AST_V_NAME, n->at, .text = word)
			       : NULL;
	if (!yml_scalar(type, n->text, &kind))
		return wrong(y, type, n);
	if (type == YML_T_PATTERNS || type == YML_T_PATHS)
		return one_line(y, n, type == YML_T_PATHS ? "path" : "pattern");
	if (kind == AST_V_OPTION || kind == AST_V_CALL)
		return dsl_value(y, type, n);
	if (kind == AST_V_REGEX)
		return regex(y, n);
	/* quoted text is a string; other text is what the language would read */
	if (kind == AST_V_STRING || (type == YML_T_ANY && !n->plain))
		return string(y, n);
	return ast_value(
		B, (struct ast_value){
			   .kind = kind,
			   .at = n->at,
			   .text = kind == AST_V_ANY ? STR("any") : n->text });
}

/* --- values ---------------------------------------------------------- */

/* The TEXT of `{pol: TEXT}`, or NULL. */
static const struct yml_node *pol_text(const struct yml_node *n)
{
	if (n->kind != YML_MAP || n->n != 1 || !str_eqz(n->items->key->text, "pol"))
		return NULL;
	return n->items->value;
}

/* A list or mapping that is itself a value. */
static struct ast_value *collection(struct yml *y, const struct yml_node *n)
{
	struct ast_values items = { 0 };
	struct map seen;

	map_init(&seen, y->a);
	for (const struct yml_item *i = n->items; i && !yml_stop(y); i = i->next) {
		struct ast_value *v = yml_values(y, YML_T_ANY, i->value);

		if (v && i->key && !yml_is_second(y, &seen, i->key))
			ast_keyed(v, i->key->text);
		items = ast_values_add(items, v);
	}
	return n->kind == YML_LIST
		       ? AST_VALUE(B, AST_V_LIST, n->at, .items = items.head)
		       : AST_VALUE(B, AST_V_MAP, n->at, .items = items.head);
}

static struct ast_value *one_value(struct yml *y, enum yml_type type,
				   const struct yml_node *n)
{
	const struct yml_node *pol = pol_text(n);

	if (pol)
		return dsl_value(y, type, pol);
	if (n->kind == YML_SCALAR && !yml_is_nothing(n))
		return scalar(y, type, n);
	if (type == YML_T_ANY && !yml_is_nothing(n))
		return collection(y, n);
	yml_wrong_shape(y, n, types[type].wanted);
	return NULL;
}

struct ast_value *yml_values(struct yml *y, enum yml_type type,
			     const struct yml_node *n)
{
	struct ast_values all = { 0 };

	assert(types[type].wanted);
	if (n->kind != YML_LIST || !yml_is_plural(type))
		return one_value(y, type, n);
	if (!n->items) {
		diag_add(y->sink, DIAG_YAML_EMPTY, n->at, "an empty list, wanted: %s",
			 types[type].wanted);
		return NULL;
	}
	for (const struct yml_item *i = n->items; i && !yml_stop(y); i = i->next)
		all = ast_values_add(all, one_value(y, type, i->value));
	return all.head;
}

static struct ast_value *truth(struct yml *y, const struct yml_node *n)
{
	bool yes;

	if (!yml_bool(y, n, &yes))
		return NULL;
	return AST_VALUE(B, AST_V_NAME, n->at,
			 .text = yes ? STR("true") : STR("false"));
}

struct ast_value *yml_value_of(struct yml *y, const struct yml_entry *e)
{
	const struct yml_node *n = e->value;
	const char *word;

	if (e->key->type == YML_T_BOOL)
		return truth(y, n);
	if (e->key->type != YML_T_CHOICE)
		return yml_values(y, e->key->type, n);
	word = yml_choice(y, n, (enum yml_word_set)e->key->arg);
	return word ? AST_VALUE(B, AST_V_NAME, n->at, .text = str_from(word)) : NULL;
}
