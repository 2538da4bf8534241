/*
 * Decides whether the words of a command, joined by blanks, contain a match of a
 * regular expression.  PCRE2 does the search; this file does not use the automata that
 * the matcher compiles from the same expression.  An expression that cannot become an
 * automaton is searched with the matcher's own code, because its limits affect the
 * answer.  Words that are not literal may contain a match of anything.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "compiler/eval/match_program.h"
#include "compiler/eval/match_regex.h"
#include "compiler/eval/match_word.h"
#include "runtime/base/regex.h"

/* PCRE2's match limit.  A search that reaches it may match. */
#define SEARCH_LIMIT 1000000u

/*
 * Replaces blanks inside of words, and stands for empty words, so that an allow pattern
 * does not take them for gaps between words.
 */
#define NO_BLANK '\x1f'

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static void add_word(struct buf *b, struct str w, enum eval_side side)
{
	size_t i;

	if (side == EVAL_NARROW && !w.n)
		buf_ch(b, NO_BLANK);
	for (i = 0; i < w.n; i++)
		buf_ch(b, side == EVAL_NARROW && is_blank(w.p[i]) ? NO_BLANK : w.p[i]);
}

/* Joins the words; `base`: the program by its base name. */
static struct str joined(const struct eval_asked *q, struct arena *a, enum eval_side side,
			 bool base)
{
	struct str word = STR_NULL;
	struct buf b;
	uint32_t i;

	buf_init(&b, a);
	for (i = 0; i < q->part->nwords; i++) {
		eval_word_text(q, &q->part->words[i], a, &word);
		if (i)
			buf_ch(&b, ' ');
		add_word(&b, i || !base ? word : eval_base_name(word), side);
	}
	return buf_view(&b);
}

static pcre2_code *compile(const struct ir_command *c, enum eval_side side)
{
	uint32_t opt = PCRE2_NEVER_UTF | PCRE2_NEVER_UCP;
	pcre2_compile_context *ctx = pcre2_compile_context_create(NULL);
	pcre2_code *code;
	PCRE2_SIZE at;
	int err;

	opt |= c->regex_i ? PCRE2_CASELESS : 0;
	opt |= c->regex_x ? PCRE2_EXTENDED : 0;
	opt |= side == EVAL_NARROW ? PCRE2_DOLLAR_ENDONLY : 0;
	if (ctx) {
		pcre2_set_newline(ctx, PCRE2_NEWLINE_LF);
		pcre2_set_bsr(ctx, PCRE2_BSR_UNICODE);
	}
	code = pcre2_compile((PCRE2_SPTR)c->text.p, c->text.n, opt, &err, &at, ctx);
	pcre2_compile_context_free(ctx);
	return code;
}

/* A search that was cut off at the limit may match. */
static struct eval_match search(const pcre2_code *code, struct str text)
{
	pcre2_match_context *ctx = pcre2_match_context_create(NULL);
	pcre2_match_data *data = pcre2_match_data_create_from_pattern(code, NULL);
	struct eval_match m = { true, false };
	int rc;

	if (ctx && data) {
		pcre2_set_match_limit(ctx, SEARCH_LIMIT);
		rc = pcre2_match(code, (PCRE2_SPTR)(text.n ? text.p : ""), text.n, 0, 0,
				 data, ctx);
		if (rc >= 0)
			m.must = true;
		else if (rc == PCRE2_ERROR_NOMATCH)
			m.may = false;
	}
	pcre2_match_data_free(data);
	pcre2_match_context_free(ctx);
	return m;
}

static struct eval_match search_words(const struct eval_asked *q, const pcre2_code *code,
				    enum eval_side side)
{
	struct eval_match m = { false, false }, written;
	struct str program = STR_NULL;
	struct arena a;

	arena_init(&a, ARENA_DEFAULT_BUDGET);
	eval_word_text(q, &q->part->words[0], &a, &program);
	if (side == EVAL_BROAD || eval_program_is_trusted(q, program))
		m = search(code, joined(q, &a, side, true));
	if (side == EVAL_BROAD && !m.must) {
		written = search(code, joined(q, &a, side, false));
		m.may |= written.may;
		m.must |= written.must;
	}
	arena_release(&a);
	return m;
}

/* Searches as the matcher does, with the same amount of memory. */
static struct eval_match search_opaque(const struct eval_asked *q, const struct ir_command *c,
				     enum eval_side side)
{
	unsigned flags = (c->regex_i ? (unsigned)REGEX_CASELESS : 0) |
			 (c->regex_x ? (unsigned)REGEX_EXTENDED : 0) |
			 (side == EVAL_NARROW ? (unsigned)REGEX_END_ONLY : 0);
	struct regex_text re = { c->text.p, c->text.n }, text[2];
	struct str program = STR_NULL, joint;
	enum regex_says says = REGEX_NO;
	size_t size = regex_room(c->text.n), i;
	uint64_t steps;
	struct arena a;

	arena_init(&a, ARENA_DEFAULT_BUDGET);
	eval_word_text(q, &q->part->words[0], &a, &program);
	for (i = 0; i < 2; i++) {
		joint = joined(q, &a, side, i == 0);
		text[i] = (struct regex_text){ joint.p, joint.n };
	}
	if (side == EVAL_BROAD || eval_program_is_trusted(q, program))
		says = regex_search(&re, flags, arena_alloc(&a, size), size, text,
				    side == EVAL_BROAD ? 2 : 1, &steps);
	arena_release(&a);
	return (struct eval_match){ says != REGEX_NO, says == REGEX_YES };
}

struct eval_match eval_match_regex(const struct eval_asked *q, const struct ir_command *c,
			       enum eval_side side)
{
	struct eval_match m = { true, false };
	pcre2_code *code;

	if (!eval_words_are_literal(q))
		return m;
	if (c->opaque)
		return search_opaque(q, c, side);
	/*
	 * lowering has compiled it before, so that only lack of memory can make this
	 * fail
	 */
	code = compile(c, side);
	if (code)
		m = search_words(q, code, side);
	pcre2_code_free(code);
	return m;
}
