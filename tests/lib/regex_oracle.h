/*
 * PCRE2 as the authority on regular expressions: what it refuses, and in which
 * texts it finds a pattern.  It is set up by what compiler/sets/regex.h says, and
 * by nothing of the module's own code.  The interpreter, since the JIT of 10.42
 * misses matches: /(?:Z|)a*z/ in "z".
 */
#ifndef TESTS_LIB_REGEX_ORACLE_H
#define TESTS_LIB_REGEX_ORACLE_H

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "compiler/sets/regex.h"

struct oracle {
	pcre2_code *code; /* NULL: refused, for `error` */
	pcre2_match_data *data;
	pcre2_match_context *limits;
	int error;
	size_t offset;
};

static inline struct oracle oracle_open(struct str pattern, unsigned flags)
{
	pcre2_compile_context *ctx = pcre2_compile_context_create(NULL);
	struct oracle o = { .code = NULL };
	uint32_t options = PCRE2_NEVER_UTF | PCRE2_NEVER_UCP;
	PCRE2_SIZE offset = 0;

	options |= flags & SET_REGEX_I ? PCRE2_CASELESS : 0;
	options |= flags & SET_REGEX_X ? PCRE2_EXTENDED : 0;
	options |= flags & SET_REGEX_DOLLAR_END ? PCRE2_DOLLAR_ENDONLY : 0;
	pcre2_set_newline(ctx, PCRE2_NEWLINE_LF);
	pcre2_set_bsr(ctx, PCRE2_BSR_UNICODE);
	o.code = pcre2_compile((PCRE2_SPTR)(pattern.n ? pattern.p : ""), pattern.n,
			       options, &o.error, &offset, ctx);
	pcre2_compile_context_free(ctx);
	o.offset = offset;
	if (!o.code)
		return o;
	o.data = pcre2_match_data_create(1, NULL);
	o.limits = pcre2_match_context_create(NULL);
	pcre2_set_match_limit(o.limits, 200000);
	return o;
}

/* 1: found, 0: not found, -1: PCRE2 gave up. */
static inline int oracle_finds(const struct oracle *o, struct str text)
{
	int r = pcre2_match(o->code, (PCRE2_SPTR)(text.n ? text.p : ""), text.n, 0, 0,
			    o->data, o->limits);

	return r >= 0 ? 1 : r == PCRE2_ERROR_NOMATCH ? 0 : -1;
}

static inline void oracle_close(struct oracle *o)
{
	pcre2_code_free(o->code);
	pcre2_match_data_free(o->data);
	pcre2_match_context_free(o->limits);
}

/* A text as a C literal, for messages. */
static inline const char *oracle_show(struct arena *a, struct str s)
{
	const char *out = "";
	size_t i;

	for (i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		out = c > ' ' - 1 && c < 127 ? arena_printf(a, "%s%c", out, c)
					     : arena_printf(a, "%s\\x%02x", out, c);
	}
	return out;
}

#endif
