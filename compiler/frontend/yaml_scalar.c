/* Reads scalars as the scanner of the language would, given the wanted type. */
#include "compiler/frontend/yaml_scalar.h"

#include "compiler/ast/build.h"
#include "compiler/base/num.h"

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* A decimal number with or without a unit, or a hexadecimal one; no sign. */
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

/* An address as the language spells it: digits, colons, dots, a mask. */
static bool is_address(struct str s)
{
	struct num_cidr c;
	bool host_bits = false;

	return s.n && (num_cidr(s, &c, &host_bits) || host_bits) &&
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

/* std/dev/git, ./x: segments between slashes; the first is a word or dots. */
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

/* What the language can read without quotes. */
static enum ast_value_kind any(struct str s)
{
	if (str_eqz(s, "true") || str_eqz(s, "false"))
		return AST_V_NAME;
	if (is_number(s) || is_negative(s))
		return AST_V_NUMBER;
	if (is_date(s))
		return AST_V_DATE;
	if (is_range(s))
		return AST_V_RANGE;
	return is_address(s) ? AST_V_ADDR : AST_V_STRING;
}

static enum ast_value_kind import(struct str s)
{
	if (is_import_path(s))
		return AST_V_PATH;
	return yml_is_free_name(s) ? AST_V_NAME : AST_V_STRING;
}

static enum ast_value_kind host(struct str s)
{
	if (str_eqz(s, "any") || str_eqz(s, "*"))
		return AST_V_ANY;
	return is_address(s) ? AST_V_ADDR : AST_V_STRING;
}

/* Names of system calls never have a dot, and hosts nearly always have one. */
static enum ast_value_kind element(struct str s)
{
	if (ast_is_name(s) && !memchr(s.p, '.', s.n))
		return AST_V_NAME;
	return is_address(s) ? AST_V_ADDR : AST_V_STRING;
}

bool yml_scalar(enum yml_type type, struct str text, enum ast_value_kind *ret)
{
	switch ((int)type) {
	case YML_T_HOSTS:
		*ret = host(text);
		return true;
	case YML_T_PORTS:
		*ret = is_range(text) ? AST_V_RANGE : AST_V_NUMBER;
		return is_range(text) || (is_integer(text) && is_number(text));
	case YML_T_NAMES:
		*ret = ast_is_name(text) ? AST_V_NAME : AST_V_STRING;
		return true;
	case YML_T_OPTIONS:
		*ret = str_starts(text, STR("-")) ? AST_V_OPTION : AST_V_STRING;
		return true;
	case YML_T_CALLS:
		*ret = AST_V_CALL;
		return true;
	case YML_T_IMPORTS:
		*ret = import(text);
		return true;
	case YML_T_ELEMENTS:
		*ret = element(text);
		return true;
	case YML_T_REGEXES:
		*ret = AST_V_REGEX;
		return true;
	case YML_T_WORD:
	case YML_T_WORDS:
		*ret = AST_V_NAME;
		return ast_is_name(text);
	case YML_T_NUMBER:
		*ret = AST_V_NUMBER;
		return is_number(text);
	case YML_T_DATE:
		*ret = AST_V_DATE;
		return is_date(text);
	case YML_T_ANY:
		*ret = any(text);
		return true;
	default: /* texts, patterns, paths */
		*ret = AST_V_STRING;
		return true;
	}
}
