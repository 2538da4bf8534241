/*
 * Regular expressions as languages.  PCRE2 decides whether a pattern is valid, our
 * reader (regex_parse.c) whether it is regular, and regex_graph.c what it accepts.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "compiler/sets/regex.h"
#include "compiler/sets/regex_graph.h"
#include "compiler/sets/regex_parse.h"

static const struct {
	unsigned flag;
	uint32_t pcre2;
	unsigned option;
} flag_table[] = {
	{ SET_REGEX_I, PCRE2_CASELESS, RX_CASELESS },
	{ SET_REGEX_X, PCRE2_EXTENDED, RX_EXTENDED },
	{ SET_REGEX_DOLLAR_END, PCRE2_DOLLAR_ENDONLY, RX_DOLLAR_END },
};

static enum set_regex_status status_of(int error)
{
	switch (error) {
	case PCRE2_ERROR_PARENTHESES_NEST_TOO_DEEP:
	case PCRE2_ERROR_PATTERN_TOO_LARGE:
	case PCRE2_ERROR_HEAP_FAILED:
	case PCRE2_ERROR_PATTERN_TOO_COMPLICATED:
	case PCRE2_ERROR_PATTERN_STRING_TOO_LONG:
		return SET_REGEX_LARGE;
	default:
		return SET_REGEX_SYNTAX;
	}
}

/* PCRE2's verdict on the pattern: OK, or an error with its place and text. */
static enum set_regex_status check(struct arena *a, struct str pattern, unsigned flags,
				   size_t *ret_offset, const char **ret_why)
{
	pcre2_compile_context *ctx = pcre2_compile_context_create(NULL);
	uint32_t options = PCRE2_NEVER_UTF | PCRE2_NEVER_UCP;
	pcre2_code *code = NULL;
	PCRE2_SIZE offset = 0;
	int error = PCRE2_ERROR_HEAP_FAILED;
	char text[256];
	size_t i;

	for (i = 0; i < POL_LEN(flag_table); i++)
		if (flags & flag_table[i].flag)
			options |= flag_table[i].pcre2;
	if (ctx) {
		pcre2_set_newline(ctx, PCRE2_NEWLINE_LF);
		pcre2_set_bsr(ctx, PCRE2_BSR_UNICODE);
		pcre2_set_parens_nest_limit(ctx, SET_REGEX_MAX_NEST);
		pcre2_set_max_pattern_length(ctx, SET_REGEX_MAX_PATTERN);
		code = pcre2_compile((PCRE2_SPTR)(pattern.n ? pattern.p : ""),
				     pattern.n, options, &error, &offset, ctx);
	}
	pcre2_compile_context_free(ctx);
	if (code) {
		pcre2_code_free(code);
		return SET_REGEX_OK;
	}
	if (pcre2_get_error_message(error, (PCRE2_UCHAR *)text, sizeof(text)) < 0)
		text[0] = '\0';
	*ret_offset = offset < pattern.n ? offset : pattern.n;
	*ret_why = arena_printf(a, "%s", text);
	return status_of(error);
}

enum set_regex_status set_from_regex(struct arena *a, struct str pattern,
				     unsigned flags, struct set_re **ret_re,
				     size_t *ret_offset, const char **ret_why)
{
	enum set_regex_status s = check(a, pattern, flags, ret_offset, ret_why);
	struct rx_reader r = { .text = pattern };
	struct set_re *re = NULL;
	struct arena tmp;
	struct rx *x;
	size_t i;

	if (s != SET_REGEX_OK)
		return s;
	for (i = 0; i < POL_LEN(flag_table); i++)
		if (flags & flag_table[i].flag)
			r.options |= flag_table[i].option;
	arena_init(&tmp, ARENA_DEFAULT_BUDGET);
	r.a = &tmp;
	x = rx_parse(&r);
	if (x)
		re = rx_search(a, x);
	arena_release(&tmp);
	if (re) {
		*ret_re = re;
		return SET_REGEX_OK;
	}
	*ret_offset = x ? 0 : r.where;
	*ret_why = x ? "the pattern needs too large an automaton" : r.why;
	return x ? SET_REGEX_LARGE : SET_REGEX_OPAQUE;
}
