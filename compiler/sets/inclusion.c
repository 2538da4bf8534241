/*
 * Is one language inside a union of others?  Decided on the fly and breadth first:
 * positions of the left language are paired with sets of positions of the right ones.
 * A pair is kept only if no earlier pair makes it superfluous (antichains).
 *
 * A right set has positions that help to accept (those of the union, and of what is
 * subtracted from the left language) and positions that hinder (those of what is
 * subtracted from the union).  A pair is superfluous if another pair with the same left
 * position has no more of the first kind and no fewer of the second: every word that
 * fails from the superfluous pair also fails from the other one.
 */
#include <stdlib.h>

#include "compiler/sets/nfa.h"

struct pair {
	uint32_t p;      /* left position */
	uint32_t *v;     /* right positions, sorted */
	uint32_t n;
	uint32_t parent; /* the pair before it, or UINT32_MAX */
	uint32_t chain;  /* index of the next pair with this left position, + 1 */
	uint8_t via;     /* the class of bytes that led here */
};

struct search {
	struct arena *a;
	struct nfa nfa;
	bool has_xm;               /* language 1 is subtracted from the left one */
	struct set_bytes alphabet; /* the classes that occur in the left language */
	bool *all;                 /* for each position: all that follows is accepted */
	bool *lacks;               /* for each language: is anything subtracted? */
	VEC(struct pair) pairs;
	uint32_t *chain;           /* for each left position: its first pair, + 1 */
	uint32_t *stamp, now, *buf;
	uint8_t order[256];        /* all classes, readable ones first */
	size_t budget;
};

static void order_classes(struct search *s)
{
	uint32_t i, k;

	for (i = 0; i < s->nfa.ncls; i++) {
		unsigned score = nfa_readable(s->nfa.rep[i]);

		for (k = i; k > 0; k--) {
			if (nfa_readable(s->nfa.rep[s->order[k - 1]]) >= score)
				break;
			s->order[k] = s->order[k - 1];
		}
		s->order[k] = (uint8_t)i;
	}
}

static void find_alphabet(struct search *s)
{
	size_t i;
	uint32_t w;

	for (i = 0; i < s->nfa.pos.n && s->nfa.pos.v[i].lang == 0; i++)
		for (w = 0; w < 4; w++)
			s->alphabet.w[w] |= s->nfa.pos.v[i].bytes.w[w];
}

/*
 * Finds the positions from which every word over the left language's bytes is accepted.
 */
static void find_all(struct search *s)
{
	size_t i, k;
	uint32_t w;

	for (i = 0; i < s->nfa.pos.n; i++) {
		const struct nfa_pos *p = &s->nfa.pos.v[i];

		if (!p->last || p->minus || s->lacks[p->lang])
			continue;
		for (w = 0; w < 4; w++)
			if (s->alphabet.w[w] & ~p->bytes.w[w])
				break;
		for (k = 0; w == 4 && k < p->follow.n; k++)
			if (p->follow.v[k] == i)
				s->all[i] = true;
	}
}

static void prepare(struct search *s, const struct set_re *x, const struct set_re *xm,
		    const struct set_tagged *ys, size_t n)
{
	size_t i;

	nfa_init(&s->nfa, s->a);
	nfa_add(&s->nfa, x, NULL);
	if (xm) {
		s->has_xm = true;
		nfa_add(&s->nfa, xm, NULL);
	}
	for (i = 0; i < n; i++)
		nfa_add(&s->nfa, ys[i].re, ys[i].minus);
	nfa_seal(&s->nfa);
	s->all = arena_array(s->a, s->nfa.pos.n + 1, sizeof(bool));
	s->lacks = arena_array(s->a, s->nfa.nlangs + 1, sizeof(bool));
	s->chain = arena_array(s->a, s->nfa.pos.n + 1, sizeof(uint32_t));
	s->stamp = arena_array(s->a, s->nfa.pos.n + 1, sizeof(uint32_t));
	s->buf = arena_array(s->a, s->nfa.pos.n + 1, sizeof(uint32_t));
	for (i = 0; i < s->nfa.pos.n; i++)
		if (s->nfa.pos.v[i].minus)
			s->lacks[s->nfa.pos.v[i].lang] = true;
	order_classes(s);
	find_alphabet(s);
	find_all(s);
}

static bool is_accepted(const struct search *s, const uint32_t *v, uint32_t n)
{
	uint32_t i, k;

	for (i = 0; i < n; i = k) {
		uint32_t lang = s->nfa.pos.v[v[i]].lang;

		for (k = i; k < n && s->nfa.pos.v[v[k]].lang == lang; k++)
			;
		if (nfa_accepts(&s->nfa, v + i, k - i, lang))
			return true;
	}
	return false;
}

/* Does the old pair fail on every word on which the new one would? */
static bool covers(const struct search *s, const struct pair *old,
		   const uint32_t *v, uint32_t n)
{
	uint32_t i = 0, k = 0;

	while (i < old->n || k < n) {
		bool only_old = k == n || (i < old->n && old->v[i] < v[k]);
		bool only_new = i == old->n || (k < n && v[k] < old->v[i]);

		if (only_old && !s->nfa.pos.v[old->v[i]].minus)
			return false;
		if (only_new && s->nfa.pos.v[v[k]].minus)
			return false;
		i += !only_new;
		k += !only_old;
	}
	return true;
}

/* Adds a pair unless it is superfluous; true when it is a witness. */
static bool add(struct search *s, uint32_t p, const uint32_t *v, uint32_t n,
		uint32_t parent, uint8_t via)
{
	struct pair new = { .p = p, .n = n, .parent = parent, .via = via,
			    .chain = s->chain[p] };
	uint32_t i;

	for (i = s->chain[p]; i; i = s->pairs.v[i - 1].chain)
		if (covers(s, &s->pairs.v[i - 1], v, n))
			return false;
	new.v = arena_dup(s->a, v, n * sizeof(*v));
	VEC_PUSH(s->a, &s->pairs, new);
	s->chain[p] = (uint32_t)s->pairs.n;
	return s->nfa.pos.v[p].last && !is_accepted(s, v, n);
}

static int cmp_u32(const void *x, const void *y)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

	return a < b ? -1 : a > b;
}

/*
 * Computes the right set after one byte of the class; false if everything that follows
 * is accepted.
 */
static bool step(struct search *s, const struct pair *from, uint32_t cls,
		 uint32_t *ret_n)
{
	uint32_t i, n = 0, o = 0, lang = UINT32_MAX;
	size_t k;

	s->now++;
	for (i = 0; i < from->n; i++) {
		const struct nfa_pos *p = &s->nfa.pos.v[from->v[i]];

		for (k = 0; k < p->follow.n; k++) {
			uint32_t q = p->follow.v[k];

			if (s->stamp[q] == s->now ||
			    !set_bytes_has(&s->nfa.pos.v[q].bytes, cls))
				continue;
			if (s->all[q])
				return false;
			s->stamp[q] = s->now;
			s->buf[n++] = q;
		}
	}
	if (n)
		qsort(s->buf, n, sizeof(uint32_t), cmp_u32);
	/* skip what is subtracted from a language that can no longer match */
	for (i = 0; i < n; i++) {
		const struct nfa_pos *p = &s->nfa.pos.v[s->buf[i]];

		if (!p->minus)
			lang = p->lang;
		else if (p->lang != lang)
			continue;
		s->buf[o++] = s->buf[i];
	}
	*ret_n = o;
	return true;
}

static bool expand(struct search *s, uint32_t at)
{
	struct pair from = s->pairs.v[at];
	const struct nfa_pos *p = &s->nfa.pos.v[from.p];
	uint32_t c, cls, n = 0;
	size_t k;

	for (c = 0; c < s->nfa.ncls; c++) {
		bool stepped = false;

		cls = s->order[c];
		for (k = 0; k < p->follow.n; k++) {
			uint32_t q = p->follow.v[k];

			if (!set_bytes_has(&s->nfa.pos.v[q].bytes, cls))
				continue;
			if (!stepped && !step(s, &from, cls, &n))
				break;
			stepped = true;
			if (add(s, q, s->buf, n, at, (uint8_t)cls))
				return true;
		}
	}
	return false;
}

static struct str witness(const struct search *s, struct arena *a)
{
	const struct pair *end = VEC_LAST(&s->pairs), *at;
	struct str word;
	size_t n = 0;
	char *p;

	for (at = end; at->parent != UINT32_MAX; at = &s->pairs.v[at->parent])
		n++;
	p = arena_alloc(a, n + 1);
	word = (struct str){ p, n };
	for (at = end; at->parent != UINT32_MAX; at = &s->pairs.v[at->parent])
		p[--n] = (char)s->nfa.rep[at->via];
	return word;
}

static enum set_answer run(struct search *s)
{
	uint32_t i, n = 0;
	size_t k;

	for (k = 1; k < s->nfa.starts.n; k++)
		s->buf[n++] = s->nfa.starts.v[k];
	if (add(s, s->nfa.starts.v[0], s->buf, n, UINT32_MAX, 0))
		return SET_WITNESS;
	for (i = 0; i < s->pairs.n; i++) {
		if (s->pairs.n > s->budget)
			return SET_UNDECIDED;
		if (expand(s, i))
			return SET_WITNESS;
	}
	return SET_HOLDS;
}

enum set_answer set_included(struct arena *a, const struct set_re *x,
			     const struct set_re *xm, const struct set_tagged *ys,
			     size_t n, size_t budget, struct str *ret_witness)
{
	struct arena tmp;
	struct search s = { .a = &tmp, .budget = budget };
	enum set_answer answer;

	if (x->op == SET_EMPTY)
		return SET_HOLDS;
	arena_init(&tmp, ARENA_DEFAULT_BUDGET);
	prepare(&s, x, xm, ys, n);
	answer = run(&s);
	if (answer == SET_WITNESS && ret_witness)
		*ret_witness = witness(&s, a);
	arena_release(&tmp);
	return answer;
}

enum set_answer set_member(struct arena *a, const struct set_re *x,
			   const struct set_re *xm, size_t budget, struct str *ret_word)
{
	return set_included(a, x, xm, NULL, 0, budget, ret_word);
}
