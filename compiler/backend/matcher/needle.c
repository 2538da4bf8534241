/*
 * Patterns that float: they may begin to match at any word ("find ** *foo* **").  k
 * of them in one automaton need two to the k states; with an automaton for each,
 * every command would run through all of them.  So each has an automaton of its own
 * and a needle: a text that occurs in some word of everything that the pattern
 * matches.  The automaton is run only on commands that contain its needle.
 */
#include <stdlib.h>

#include "compiler/backend/matcher/internal.h"
#include "compiler/backend/common/util.h"
#include "compiler/sets/lang.h"

/* This many floating patterns stay in the shared automaton; each doubles its states. */
#define FEW 1
#define PROOF_BUDGET 4096

#define NO_TEXT 1 /* the byte for unknown text (runtime/decide/walk_ask.c) */

static const struct set_bytes not_nul = {
	{ ~(uint64_t)1, ~(uint64_t)0, ~(uint64_t)0, ~(uint64_t)0 }
};

struct run { size_t word, at, n; };

/* --- which patterns ------------------------------------------------------------- */

/* The longest literal text of a glob. */
static struct run longest(const struct ir_glob *g, size_t word)
{
	struct run best = { word, 0, 0 }, now = { word, 0, 0 };
	size_t i;

	for (i = 0; i < g->n; i++) {
		if (g->v[i].op != IR_G_BYTE || g->v[i].byte == NO_TEXT) {
			now.n = 0;
			continue;
		}
		if (!now.n)
			now.at = i;
		if (++now.n > best.n && now.n <= PB_MAX_NEEDLE)
			best = now;
	}
	return best;
}

/* Is there a literal text with a star on each side?  The automaton must remember that
 * it has passed such a text. */
static bool floats_inside(const struct ir_glob *g)
{
	bool star = false, text = false;
	size_t i;

	for (i = 0; i < g->n; i++) {
		bool here = g->v[i].op == IR_G_STAR || g->v[i].op == IR_G_DEEP;

		if (here && star && text)
			return true;
		text = g->v[i].op == IR_G_BYTE && star;
		star |= here;
	}
	return false;
}

/* The needle of a floating pattern of words, or nothing. */
static struct str needle_of(struct arena *a, const struct ir_command *c)
{
	struct run best = { 0, 0, 0 };
	bool gap = false, floats = false;
	struct buf b;
	size_t i;

	for (i = 0; i < c->nwords; i++) {
		const struct ir_glob *g = &c->words[i].glob;
		struct run r;

		if (c->words[i].any_words || !i) {
			gap |= c->words[i].any_words;
			continue;
		}
		r = longest(g, i);
		floats |= (gap && r.n) || floats_inside(g);
		if (r.n > best.n)
			best = r;
	}
	if (!floats || !best.n)
		return STR_NULL;
	buf_init(&b, a);
	for (i = best.at; i < best.at + best.n; i++)
		buf_ch(&b, (char)c->words[best.word].glob.v[i].byte);
	return buf_view(&b);
}

void matcher_add_call(struct arena *a, struct matcher_group *g,
		      const struct ir_command *c, struct set_tagged t)
{
	struct str needle = c->regex ? STR_NULL : needle_of(a, c);

	if (!needle.n) {
		VEC_PUSH(a, &g->langs, t);
		return;
	}
	VEC_PUSH(a, &g->floating, t);
	VEC_PUSH(a, &g->needles, needle);
}

bool matcher_needs(struct arena *a, const struct set_re *re, struct str needle)
{
	struct set_bytes all = { { ~(uint64_t)0, ~(uint64_t)0, ~(uint64_t)0, ~(uint64_t)0 } };
	struct set_re *any = set_star(a, set_class(a, all));
	struct set_tagged with = {
		.re = set_cat(a, any, set_cat(a, set_lit(a, needle), any))
	};
	struct str word;

	return needle.n && !memchr(needle.p, 0, needle.n) &&
	       set_included(a, re, NULL, &with, 1, PROOF_BUDGET, &word) == SET_HOLDS &&
	       set_member(a, re, NULL, PROOF_BUDGET, NULL) == SET_WITNESS;
}

void matcher_set_apart(struct arena *a, struct matcher_group *g, bool can)
{
	size_t i, n = 0;

	for (i = 0; i < g->floating.n; i++) {
		if (!can || g->floating.n <= FEW ||
		    !matcher_needs(a, g->floating.v[i].re, g->needles.v[i])) {
			VEC_PUSH(a, &g->langs, g->floating.v[i]);
			continue;
		}
		g->floating.v[n] = g->floating.v[i];
		g->needles.v[n++] = g->needles.v[i];
	}
	g->nanchored = g->langs.n;
	g->needles.n = n;
	for (i = 0; i < n; i++)
		VEC_PUSH(a, &g->langs, g->floating.v[i]);
	g->floating.n = 0;
}

/* Does one word of the language `word` suffice for a match, whatever the program and
 * the other words are? */
static bool is_enough(struct arena *a, const struct set_re *re, bool any_program,
		      struct set_re *word)
{
	struct set_bytes name = not_nul;
	struct set_re *end = set_byte(a, 0), *words, *x;
	struct set_tagged big = { .re = re };
	struct str unused;

	words = set_star(a, set_cat(a, set_star(a, set_class(a, name)), end));
	x = set_cat(a, words, set_cat(a, word, set_cat(a, end, words)));
	set_bytes_drop(&name, '/');
	if (any_program)
		x = set_cat(a, set_cat(a, set_star(a, set_class(a, name)), end), x);
	return set_included(a, x, NULL, &big, 1, PROOF_BUDGET, &unused) == SET_HOLDS;
}

uint16_t matcher_needle_flags(struct arena *a, const struct set_re *re, bool any_program,
			      struct str needle)
{
	struct set_re *any = set_star(a, set_class(a, not_nul)), *text = set_lit(a, needle);

	if (is_enough(a, re, any_program, set_cat(a, any, set_cat(a, text, any))))
		return PB_NF_WORD | PB_NF_TEXT;
	return is_enough(a, re, any_program, text) ? PB_NF_WORD : 0;
}

/* --- tables ---------------------------------------------------------------------- */

struct found { uint32_t bytes, needle; };

static int by_bytes(const void *x, const void *y)
{
	const struct found *p = x, *q = y;

	if (p->bytes != q->bytes)
		return p->bytes < q->bytes ? -1 : 1;
	return (p->needle > q->needle) - (p->needle < q->needle);
}

static uint32_t size_of(const struct pb_needle *v)
{
	return v->text.len < PB_GRAM ? v->text.len : PB_GRAM;
}

/* All byte sequences (grams) by which a needle could be found, sorted. */
static struct found *all_grams(struct arena *a, const struct str *text,
			       const struct pb_needle *v, size_t n, size_t *ret_n)
{
	VEC(struct found) all = { NULL, 0, 0 };
	uint32_t i, k;

	for (i = 0; i < n; i++)
		for (k = 0; k + size_of(&v[i]) <= v[i].text.len; k++) {
			struct found f = { pb_gram_of(text[i].p + k, size_of(&v[i])), i };

			VEC_PUSH(a, &all, f);
		}
	if (all.n)
		qsort(all.v, all.n, sizeof(*all.v), by_bytes);
	*ret_n = all.n;
	return all.v;
}

static size_t how_often(const struct found *v, size_t n, uint32_t bytes)
{
	size_t lo = 0, hi = n, from;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (v[mid].bytes < bytes)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (from = lo; lo < n && v[lo].bytes == bytes; lo++)
		;
	return lo - from;
}

/* Chooses for each needle the gram that occurs in the fewest other needles. */
static void choose(struct arena *a, const struct str *text, struct pb_needle *v, size_t n,
		   struct found *ret)
{
	size_t nall, i, best, often;
	struct found *all = all_grams(a, text, v, n, &nall);
	uint32_t k, bytes;

	for (i = 0; i < n; i++) {
		best = SIZE_MAX;
		for (k = 0; k + size_of(&v[i]) <= v[i].text.len; k++) {
			bytes = pb_gram_of(text[i].p + k, size_of(&v[i]));
			often = how_often(all, nall, bytes);
			if (often >= best)
				continue;
			best = often;
			v[i].gram = (uint16_t)k;
			ret[i] = (struct found){ bytes, (uint32_t)i };
		}
	}
	qsort(ret, n, sizeof(*ret), by_bytes);
}

static void put_gram(struct pb_gram *slots, uint32_t n, struct pb_gram g)
{
	uint32_t k;

	for (k = pb_gram_hash(g.bytes) & (n - 1); slots[k].bytes; k = (k + 1) & (n - 1))
		;
	slots[k] = g;
}

void matcher_needles(struct arena *a, const struct matcher_calls *c,
		     struct matcher_needles *ret)
{
	struct matcher_needles r = { .nslots = 0 };
	struct found *order;
	uint32_t i, k;
	int side;

	for (i = 0; i < c->names.n; i++)
		for (side = 0; side < 2; side++) {
			const struct matcher_name *n = c->names.v[i];
			const struct matcher_group *g = &n->side[side];

			for (k = 0; k < g->needles.n; k++) {
				struct pb_needle e = { .text.len = (uint32_t)g->needles.v[k].n };

				e.automaton = n->first[side] + n->n[side] -
					      (uint32_t)g->needles.n + k;
				e.flags = matcher_needle_flags(
					a, g->langs.v[g->nanchored + k].re,
					i == PB_NAME_ANY, g->needles.v[k]);
				VEC_PUSH(a, &r.v, e);
				VEC_PUSH(a, &r.text, g->needles.v[k]);
			}
		}
	*ret = r;
	if (!r.v.n)
		return;
	order = arena_array(a, r.v.n, sizeof(*order));
	choose(a, r.text.v, r.v.v, r.v.n, order);
	for (r.nslots = 8; r.nslots < 4 * r.v.n;)
		r.nslots *= 2;
	r.slots = arena_array(a, r.nslots, sizeof(*r.slots));
	r.order = arena_array(a, r.v.n, sizeof(*r.order));
	for (i = 0; i < r.v.n; i = k) {
		struct pb_gram g = { .bytes = order[i].bytes, .first = i };

		for (k = i; k < r.v.n && order[k].bytes == g.bytes; k++)
			r.order[k] = order[k].needle;
		g.count = k - i;
		put_gram(r.slots, r.nslots, g);
		r.sizes |= 1u << (size_of(&r.v.v[order[i].needle]) - 1);
	}
	*ret = r;
}
