/*
 * What a scalar is: decided by the type that its key wants, never by its look.
 * `{pol: TEXT}` is any value, in the language's own spelling.
 */
#include <assert.h>

#include "compiler/base/buf.h"
#include "compiler/base/num.h"
#include "compiler/frontend/yaml_internal.h"

#define B (y->b)

/* How each type is called, and read where it is written in the language. */
static const struct {
	const char *wanted;
	enum dsl_start start;
	bool many; /* a list of them may stand there */
} types[YML_TYPES] = {
	[YML_T_TEXT] = { "a text", DSL_TEXT, false },
	[YML_T_TEXTS] = { "texts", DSL_TEXT, true },
	[YML_T_PATTERNS] = { "patterns", DSL_PATTERN, true },
	[YML_T_PATHS] = { "paths", DSL_PATH, true },
	[YML_T_HOSTS] = { "hosts", DSL_HOST, true },
	[YML_T_PORTS] = { "ports", DSL_PORT, true },
	[YML_T_NAMES] = { "names", DSL_NAME, true },
	[YML_T_OPTIONS] = { "options", DSL_OPTION, true },
	[YML_T_CALLS] = { "system calls", DSL_CALL, true },
	[YML_T_IMPORTS] = { "files", DSL_IMPORT, true },
	[YML_T_ELEMENTS] = { "elements", DSL_ELEMENT, true },
	[YML_T_REGEXES] = { "regexes", DSL_VALUE, true },
	[YML_T_WORD] = { "a word", DSL_VALUE, false },
	[YML_T_WORDS] = { "words", DSL_VALUE, true },
	[YML_T_NUMBER] = { "a number", DSL_VALUE, false },
	[YML_T_DATE] = { "a date", DSL_VALUE, false },
	[YML_T_ANY] = { "a value", DSL_VALUE, false },
};

const char *yml_shape(const struct yml_node *n)
{
	if (yml_is_nothing(n))
		return "nothing";
	return n->kind == YML_SCALAR ? "a text"
	       : n->kind == YML_LIST ? "a list"
				     : "a mapping";
}

bool yml_is_nothing(const struct yml_node *n)
{
	return n->kind == YML_SCALAR && n->plain && !n->text.n;
}

/* A long value is shown by where it begins. */
static struct span head(struct yml *y, struct span at)
{
	const char *p = y->map->files.v[at.file].text.p + at.off;
	const char *line = at.len ? memchr(p, '\n', at.len) : NULL;

	if (line)
		at.len = (uint32_t)(line - p);
	return at;
}

struct diag *yml_wrong_shape(struct yml *y, const struct yml_node *n,
			     const char *wanted)
{
	if (yml_is_nothing(n))
		return diag_add(y->sink, DIAG_YAML_EMPTY, n->at,
				"nothing stands here, wanted: %s", wanted);
	return diag_add(y->sink, DIAG_YAML_SHAPE, head(y, n->at),
			"%s stands here, wanted: %s", yml_shape(n), wanted);
}

bool yml_text(struct yml *y, const struct yml_node *n, const char *wanted,
	      struct str *ret)
{
	if (n->kind != YML_SCALAR || yml_is_nothing(n)) {
		yml_wrong_shape(y, n, wanted);
		return false;
	}
	*ret = n->text;
	return true;
}

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

bool yml_dsl(struct yml *y, enum dsl_start start, const struct yml_node *n,
	     struct dsl_result *ret)
{
	struct span at = n->inner.len == n->text.n ? n->inner : n->at;
	struct str text;

	return yml_text(y, n, "a text of the language", &text) &&
	       dsl_piece(y->dsl, start, text, at, ret);
}

/* --- strings --------------------------------------------------------- */

/* What is decoded already, but \$, and where two readings are none. */
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
	/* the language ends a regex with a slash */
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

/* --- what the scanner would read ------------------------------------- */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* A decimal number with one of the units, or hexadecimal; no sign. */
static bool is_number(struct str s)
{
	static const char *const units[] = { "",  "K", "M",  "G", "T", "k", "m",
					     "g", "t", "ms", "s", "h", "d", "%" };
	size_t i = 0;
	uint64_t v;

	if (str_starts(s, STR("0x")))
		return num_u64(s, &v);
	while (i < s.n && is_digit(s.p[i]))
		i++;
	if (!i || (i > 1 && s.p[0] == '0'))
		return false;
	if (i + 1 < s.n && s.p[i] == '.' && is_digit(s.p[i + 1]))
		for (i++; i < s.n && is_digit(s.p[i]);)
			i++;
	for (size_t u = 0; u < POL_LEN(units); u++)
		if (str_eqz(str_sub(s, i, s.n - i), units[u]))
			return true;
	return false;
}

static bool is_integer(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!is_digit(s.p[i]))
			return false;
	return s.n > 0;
}

static bool is_range(struct str s)
{
	const char *dash = s.n ? memchr(s.p, '-', s.n) : NULL;
	size_t n = dash ? (size_t)(dash - s.p) : 0;

	return dash && is_integer(str_sub(s, 0, n)) &&
	       is_integer(str_sub(s, n + 1, s.n - n - 1));
}

static bool is_negative(struct str s)
{
	return s.n > 1 && s.p[0] == '-' && is_integer(str_sub(s, 1, s.n - 1));
}

static bool is_date(struct str s)
{
	int64_t days;

	return s.n == 10 && s.p[4] == '-' && s.p[7] == '-' && num_date(s, &days);
}

/* As the language spells them: digits, colons, dots, a mask. */
static bool is_address(struct str s)
{
	struct num_cidr c;
	bool host_bits = false;

	return (num_cidr(s, &c, &host_bits) || host_bits) && s.n &&
	       (memchr(s.p, ':', s.n) || memchr(s.p, '.', s.n));
}

bool yml_is_free_name(struct str s)
{
	static const char *const words[] = {
#define KW(token, spelling, class, group, doc) spelling,
#include "grammar/keywords.def"
#undef KW
	};

	for (size_t i = 0; i < POL_LEN(words); i++)
		if (str_eqz(s, words[i]))
			return false;
	return ast_is_word(s);
}

/* std/dev/git, ./x: segments between slashes, the first a word or dots. */
static bool is_import_path(struct str s)
{
	const char *slash = s.n ? memchr(s.p, '/', s.n) : NULL;
	size_t n = slash ? (size_t)(slash - s.p) : 0;
	struct str first = str_sub(s, 0, n);

	if (!slash ||
	    !(ast_is_word(first) || str_eqz(first, ".") || str_eqz(first, "..")))
		return false;
	for (size_t i = n, last = n; i < s.n; i++) {
		char c = s.p[i];
		bool seg = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			   is_digit(c) || c == '_' || c == '-' || c == '.';

		if (!seg && (c != '/' || (i > n && last == i - 1)))
			return false;
		if (c == '/')
			last = i;
	}
	return s.p[s.n - 1] != '/';
}

/* --- scalars --------------------------------------------------------- */

static struct ast_value *wrong(struct yml *y, const struct yml_node *n,
			       const char *wanted, const char *example)
{
	struct diag *d = diag_add(y->sink, DIAG_YAML_VALUE, n->at, "'%.*s' is no %s",
				  STR_ARG(n->text), wanted);

	diag_help(y->sink, d, "%s", example);
	return NULL;
}

/* In quotes a text; else what the language would read, and a text. */
static struct ast_value *any_scalar(struct yml *y, const struct yml_node *n)
{
	enum ast_value_kind kind = AST_V_STRING;

	if (!n->plain)
		return string(y, n);
	if (str_eqz(n->text, "true") || str_eqz(n->text, "false"))
		kind = AST_V_NAME;
	else if (is_number(n->text) || is_negative(n->text))
		kind = AST_V_NUMBER;
	else if (is_date(n->text))
		kind = AST_V_DATE;
	else if (is_range(n->text))
		kind = AST_V_RANGE;
	else if (is_address(n->text))
		kind = AST_V_ADDR;
	else
		return string(y, n);
	return ast_value(
		B, (struct ast_value){ .kind = kind, .at = n->at, .text = n->text });
}

/* No system call has a dot in its name, and few hosts have none. */
static struct ast_value *element(struct yml *y, const struct yml_node *n)
{
	if (ast_is_name(n->text) && !memchr(n->text.p, '.', n->text.n))
		return AST_VALUE(B, AST_V_NAME, n->at, .text = n->text);
	if (is_address(n->text))
		return AST_VALUE(B, AST_V_ADDR, n->at, .text = n->text);
	return string(y, n);
}

static struct ast_value *host(struct yml *y, const struct yml_node *n)
{
	if (str_eqz(n->text, "any") || str_eqz(n->text, "*"))
		return AST_VALUE(B, AST_V_ANY, n->at, .text = STR("any"));
	if (is_address(n->text))
		return AST_VALUE(B, AST_V_ADDR, n->at, .text = n->text);
	return string(y, n);
}

static struct ast_value *import(struct yml *y, const struct yml_node *n)
{
	if (is_import_path(n->text))
		return AST_VALUE(B, AST_V_PATH, n->at, .text = n->text);
	if (yml_is_free_name(n->text))
		return AST_VALUE(B, AST_V_NAME, n->at, .text = n->text);
	return string(y, n);
}

static struct ast_value *dsl_value(struct yml *y, enum yml_type type,
				   const struct yml_node *n)
{
	struct dsl_result r = { 0 };

	return yml_dsl(y, types[type].start, n, &r) ? r.values : NULL;
}

/* A block's newlines would be bytes of a name, or join two patterns to one. */
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

static struct ast_value *scalar(struct yml *y, enum yml_type type,
				const struct yml_node *n)
{
	struct str word;

	switch ((int)type) {
	case YML_T_TEXT:
	case YML_T_TEXTS:
		return string(y, n);
	case YML_T_PATTERNS:
		return one_line(y, n, "pattern");
	case YML_T_PATHS:
		return one_line(y, n, "path");
	case YML_T_HOSTS:
		return host(y, n);
	case YML_T_PORTS:
		if (is_integer(n->text) && is_number(n->text))
			return AST_VALUE(B, AST_V_NUMBER, n->at, .text = n->text);
		if (is_range(n->text))
			return AST_VALUE(B, AST_V_RANGE, n->at, .text = n->text);
		return wrong(y, n, "port", "ports are written 443 or 8000-8080");
	case YML_T_NAMES:
		return ast_is_name(n->text)
			       ? AST_VALUE(B, AST_V_NAME, n->at, .text = n->text)
			       : string(y, n);
	case YML_T_OPTIONS:
		return n->text.n && n->text.p[0] == '-' ? dsl_value(y, type, n)
							: string(y, n);
	case YML_T_CALLS:
		return dsl_value(y, type, n);
	case YML_T_IMPORTS:
		return import(y, n);
	case YML_T_ELEMENTS:
		return element(y, n);
	case YML_T_REGEXES:
		return regex(y, n);
	case YML_T_WORD:
	case YML_T_WORDS:
		return yml_word(y, n, &word)
			       ? AST_VALUE(B, AST_V_NAME, n->at, .text = word)
			       : NULL;
	case YML_T_NUMBER:
		if (is_number(n->text))
			return AST_VALUE(B, AST_V_NUMBER, n->at, .text = n->text);
		return wrong(
			y, n, "number",
			"sizes are written 4G (K M G T), durations 60s (ms s m h d), "
			"counts 100");
	case YML_T_DATE:
		if (is_date(n->text))
			return AST_VALUE(B, AST_V_DATE, n->at, .text = n->text);
		return wrong(y, n, "date", "days are written 2027-06-30");
	default: /* YML_T_ANY */
		return any_scalar(y, n);
	}
}

/* --- values ---------------------------------------------------------- */

/* `{pol: TEXT}`, or NULL. */
static const struct yml_node *pol_text(const struct yml_node *n)
{
	if (n->kind != YML_MAP || n->n != 1 || !str_eqz(n->items->key->text, "pol"))
		return NULL;
	return n->items->value;
}

/* A list or mapping that is a value itself. */
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
	if (n->kind != YML_LIST || !types[type].many)
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
