/*
 * Decides whether a text holds a match of an expression that is not an automaton.
 * Callouts before each item of the expression count the steps of the whole search,
 * because PCRE2's own limit starts again at each place where a match may begin.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "runtime/base/regex.h"

/* Steps for one search, and additional ones for each byte of its text. */
#define MAX_STEPS 1000000u
#define STEPS_PER_BYTE 64u
/* One step covers so many bytes. */
#define BYTES_PER_STEP 16u
/* From one starting place: PCRE2's own count. */
#define MATCH_LIMIT 100000u
/* KiB for backtracking. PCRE2 doubles the size up to this, and allocates it anew each
 * time. */
#define HEAP_LIMIT 512u
#define HEAP_BYTES ((size_t)3 * HEAP_LIMIT * 1024)
/* The compiled form has two-byte links: it has 64 KiB at most. */
#define CODE_BYTES ((size_t)128 * 1024)
/* What PCRE2 parses into, with a callout before each item: 5 words of 4 bytes for each
 * byte. */
#define PARSE_BYTES 24u

struct room {
	unsigned char *p;
	size_t left;
};

struct meter {
	uint64_t steps, limit;
	size_t at;
};

static void *take(size_t n, void *data)
{
	struct room *r = data;
	void *p = r->p;

	if (n > r->left || r->left - n < 8)
		return NULL;
	n = (n + 7) & ~(size_t)7;
	r->p += n;
	r->left -= n;
	return p;
}

/* Does nothing: all memory is released with the room. */
static void give(void *p, void *data)
{
	(void)p;
	(void)data;
}

static int count_step(pcre2_callout_block *b, void *data)
{
	struct meter *m = data;

	m->steps++;
	if (b->current_position > m->at)
		m->steps += (b->current_position - m->at) / BYTES_PER_STEP;
	m->at = b->current_position;
	return m->steps > m->limit ? PCRE2_ERROR_CALLOUT : 0;
}

size_t regex_room(size_t n)
{
	return HEAP_BYTES + CODE_BYTES + PARSE_BYTES * n;
}

static pcre2_code *compile(pcre2_general_context *own, const struct regex_text *re,
			   unsigned flags)
{
	pcre2_compile_context *ctx = pcre2_compile_context_create(own);
	uint32_t opt = PCRE2_NEVER_UTF | PCRE2_NEVER_UCP | PCRE2_NO_START_OPTIMIZE |
		       PCRE2_NO_AUTO_POSSESS | PCRE2_AUTO_CALLOUT;
	PCRE2_SIZE at;
	int err;

	if (!ctx)
		return NULL;
	opt |= flags & REGEX_CASELESS ? PCRE2_CASELESS : 0;
	opt |= flags & REGEX_EXTENDED ? PCRE2_EXTENDED : 0;
	opt |= flags & REGEX_END_ONLY ? PCRE2_DOLLAR_ENDONLY : 0;
	(void)pcre2_set_newline(ctx, PCRE2_NEWLINE_LF);
	(void)pcre2_set_bsr(ctx, PCRE2_BSR_UNICODE);
	return pcre2_compile((PCRE2_SPTR)(re->n ? re->p : ""), re->n, opt, &err, &at, ctx);
}

static enum regex_says search(const pcre2_code *code, pcre2_match_data *data,
			      pcre2_match_context *ctx, const struct regex_text *t,
			      uint32_t options, uint64_t *steps)
{
	struct meter m = { .limit = MAX_STEPS + STEPS_PER_BYTE * (uint64_t)t->n };
	int rc;

	(void)pcre2_set_callout(ctx, count_step, &m);
	rc = pcre2_match(code, (PCRE2_SPTR)(t->n ? t->p : ""), t->n, 0, PCRE2_NO_JIT | options,
			 data, ctx);
	*steps += m.steps;
	return rc >= 0 ? REGEX_YES : rc == PCRE2_ERROR_NOMATCH ? REGEX_NO : REGEX_UNKNOWN;
}

/* Can a match begin nowhere but at the beginning of the text? */
static bool is_anchored(const pcre2_code *code)
{
	uint32_t options = 0;

	return !pcre2_pattern_info(code, PCRE2_INFO_ALLOPTIONS, &options) &&
	       (options & PCRE2_ANCHORED);
}

static enum regex_says search_all(const struct regex_text *re, unsigned flags, void *room,
				  size_t size, const struct regex_text *texts, size_t count,
				  bool beginnings, uint64_t *ret_steps)
{
	struct room r = { room, size };
	pcre2_general_context *own = pcre2_general_context_create(take, give, &r);
	pcre2_match_context *ctx = own ? pcre2_match_context_create(own) : NULL;
	pcre2_code *code = ctx ? compile(own, re, flags) : NULL;
	pcre2_match_data *data = code ? pcre2_match_data_create(1, own) : NULL;
	enum regex_says says = REGEX_NO, one;
	size_t i;

	*ret_steps = re->n;
	if (!data || (beginnings && !is_anchored(code)))
		return REGEX_UNKNOWN;
	(void)pcre2_set_match_limit(ctx, MATCH_LIMIT);
	(void)pcre2_set_heap_limit(ctx, HEAP_LIMIT);
	for (i = 0; i < count && says != REGEX_YES; i++) {
		/* at the end of a beginning PCRE2 reports a partial match: what follows decides */
		one = search(code, data, ctx, &texts[i], beginnings ? PCRE2_PARTIAL_HARD : 0,
			     ret_steps);
		says = one == REGEX_NO ? says : one;
	}
	return beginnings && says != REGEX_NO ? REGEX_UNKNOWN : says;
}

enum regex_says regex_search(const struct regex_text *re, unsigned flags, void *room,
			     size_t size, const struct regex_text *texts, size_t count,
			     uint64_t *ret_steps)
{
	return search_all(re, flags, room, size, texts, count, false, ret_steps);
}

enum regex_says regex_search_prefixes(const struct regex_text *re, unsigned flags, void *room,
					size_t size, const struct regex_text *texts, size_t count,
					uint64_t *ret_steps)
{
	return search_all(re, flags, room, size, texts, count, true, ret_steps);
}
