/*
 * Decides whether the words of a command, joined by blanks, contain a match of a
 * regular expression.  PCRE2 does the search; this file does not use the automata that
 * the matcher compiles from the same expression.  An expression that cannot become an
 * automaton is searched with the matcher's own code, because its limits affect the
 * answer.  Words that are not literal may contain a match of anything, unless the words
 * before them rule it out.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "compiler/eval/match_program.h"
#include "compiler/eval/match_regex.h"
#include "compiler/eval/match_word.h"
#include "compiler/sets/regex.h"
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

/* Joins the words up to the first that is not literal; `base`: the program by its base name. */
static struct str joined(const struct eval_asked *q, struct arena *a, enum eval_side side,
			 bool base)
{
	struct str word = STR_NULL;
	struct buf b;
	uint32_t i;

	buf_init(&b, a);
	for (i = 0; i < q->part->nwords; i++) {
		if (!eval_word_text(q, &q->part->words[i], a, &word))
			break;
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
	if (!eval_words_are_literal(q))
		says = regex_search_prefixes(&re, flags, arena_alloc(&a, size), size, text, 2, &steps);
	else if (side == EVAL_BROAD || eval_program_is_trusted(q, program))
		says = regex_search(&re, flags, arena_alloc(&a, size), size, text,
				    side == EVAL_BROAD ? 2 : 1, &steps);
	arena_release(&a);
	return (struct eval_match){ says != REGEX_NO, says == REGEX_YES };
}

/* --- words that are not literal ----------------------------------------------------- */

#define MAX_STATES 200000u

struct text_set {
	const struct set_dfa *d;
	bool *in;
};

static void step_text(struct text_set *s, struct arena *a, struct str text)
{
	bool *to;
	uint32_t k;

	for (size_t i = 0; i < text.n; i++) {
		to = arena_array(a, s->d->nstates, sizeof(*to));
		for (k = 0; k < s->d->nstates; k++)
			if (s->in[k])
				to[s->d->next[k * s->d->nclasses + s->d->cls[(uint8_t)text.p[i]]]] = true;
		s->in = to;
	}
}

/* Any text without NUL. */
static void step_any(struct text_set *s)
{
	bool more = true;

	while (more) {
		more = false;
		for (uint32_t k = 0; k < s->d->nstates; k++)
			for (unsigned c = 1; s->in[k] && c < 256; c++) {
				bool *to = &s->in[s->d->next[k * s->d->nclasses + s->d->cls[c]]];

				more |= !*to;
				*to = true;
			}
	}
}

/* Adds the word and the blank before it; a word that expands to nothing has no blank. */
static void step_word(struct text_set *s, struct arena *a, const struct sh_word *w,
		      const char *home)
{
	bool multi = false, stays = false, *before = s->in;
	const struct sh_seg *g;

	step_text(s, a, STR(" "));
	for (g = &w->seg; g; g = g->next) {
		multi |= g->kind == SH_MULTI;
		stays |= (g->kind == SH_LIT && g->n) || g->kind == SH_GLOB || g->kind == SH_HOME;
		if (g->kind == SH_LIT)
			step_text(s, a, (struct str){ g->p, g->n });
		else if (g->kind == SH_HOME)
			step_text(s, a, home ? str_from(home) : STR("/"));
		if (g->kind != SH_LIT && !(g->kind == SH_HOME && home))
			step_any(s);
	}
	for (uint32_t k = 0; multi && !stays && k < s->d->nstates; k++)
		s->in[k] |= before[k];
}

static struct eval_match of_texts(const struct eval_asked *q, struct arena *a,
				  const struct set_dfa *d, struct str program)
{
	struct text_set s = { d, arena_array(a, d->nstates, sizeof(bool)) };
	struct eval_match m = { false, true };

	s.in[d->start] = true;
	step_text(&s, a, program);
	for (uint32_t i = 1; i < q->part->nwords; i++)
		step_word(&s, a, q->part->words[i].w, q->world->home);
	if (q->part->flags & CMD_APPENDS)
		step_any(&s);
	for (uint32_t k = 0; k < d->nstates; k++) {
		m.may |= s.in[k] && d->tag_at[k] != d->tag_at[k + 1];
		m.must &= !s.in[k] || d->tag_at[k] != d->tag_at[k + 1];
	}
	return m;
}

/*
 * Can the expression match some text, or does it match every text, that the words may be
 * when they are joined?  PCRE2 cannot say that; so this asks the set of all texts in which
 * a search succeeds, state by state.  The laws of prop_regex_words compare it with PCRE2 on
 * values of the words.
 */
static struct eval_match search_unknown(const struct eval_asked *q, const struct ir_command *c)
{
	unsigned flags = (c->regex_i ? (unsigned)SET_REGEX_I : 0) |
			 (c->regex_x ? (unsigned)SET_REGEX_X : 0);
	struct eval_match m = { true, false }, base;
	struct set_tagged t = { .tag = 1 };
	struct str program = STR_NULL;
	struct set_re *re;
	struct set_dfa d;
	const char *why;
	struct arena a;
	size_t at;

	arena_init(&a, ARENA_DEFAULT_BUDGET);
	if (eval_word_text(q, &q->part->words[0], &a, &program) &&
	    set_from_regex(&a, c->text, flags, &re, &at, &why) == SET_REGEX_OK) {
		t.re = re;
		if (set_dfa_build(&a, &t, 1, MAX_STATES, &d) == SET_HOLDS) {
			m = of_texts(q, &a, &d, program);
			base = of_texts(q, &a, &d, eval_base_name(program));
			m.may |= base.may;
			m.must |= base.must;
		}
	}
	arena_release(&a);
	return m;
}

static bool first_is_literal(const struct eval_asked *q)
{
	struct str program;
	struct arena a;
	bool is;

	arena_init(&a, ARENA_DEFAULT_BUDGET);
	is = eval_word_text(q, &q->part->words[0], &a, &program);
	arena_release(&a);
	return is;
}

struct eval_match eval_match_regex(const struct eval_asked *q, const struct ir_command *c,
			       enum eval_side side)
{
	struct eval_match m = { true, false };
	pcre2_code *code;

	if (!eval_words_are_literal(q) && (side != EVAL_BROAD || !first_is_literal(q)))
		return m;
	if (!eval_words_are_literal(q) && !c->opaque)
		return search_unknown(q, c);
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
