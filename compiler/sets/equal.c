/*
 * Does a finished automaton accept the languages that it was made from?  Walks it
 * together with the sets of positions of the languages; uses no minimisation and shares
 * no tables with the construction.
 */
#include <stdlib.h>

#include "compiler/sets/nfa.h"

struct pair {
	uint32_t state;
	uint32_t *v; /* sorted positions */
	uint32_t n, parent;
	uint8_t via; /* the byte that led here */
};

struct walk {
	struct arena a;
	struct nfa nfa;
	const struct set_dfa *dfa;
	const struct set_tagged *langs;
	VEC(struct pair) pairs;
	uint32_t *slots; /* index of the pair + 1 */
	size_t nslots, budget;
	uint32_t *stamp, now, *buf;
};

static size_t hash_of(uint32_t state, const uint32_t *v, uint32_t n)
{
	uint64_t h = state + 0x9e3779b97f4a7c15u;
	uint32_t i;

	for (i = 0; i < n; i++)
		h = (h ^ v[i]) * 0x9e3779b97f4a7c15u, h ^= h >> 32;
	return (size_t)h;
}

static void grow(struct walk *w)
{
	size_t i, k;

	w->nslots = w->nslots ? w->nslots * 2 : 1024;
	w->slots = arena_array(&w->a, w->nslots, sizeof(*w->slots));
	for (i = 0; i < w->pairs.n; i++) {
		const struct pair *p = &w->pairs.v[i];

		k = hash_of(p->state, p->v, p->n) & (w->nslots - 1);
		while (w->slots[k])
			k = (k + 1) & (w->nslots - 1);
		w->slots[k] = (uint32_t)i + 1;
	}
}

/* Adds the pair (state, w->buf) unless it is known. */
static void add(struct walk *w, uint32_t state, uint32_t n, uint32_t parent,
		uint8_t via)
{
	struct pair new = { .state = state, .n = n, .parent = parent, .via = via };
	size_t k = hash_of(state, w->buf, n) & (w->nslots - 1);

	for (; w->slots[k]; k = (k + 1) & (w->nslots - 1)) {
		const struct pair *p = &w->pairs.v[w->slots[k] - 1];

		if (p->state == state && p->n == n &&
		    (n == 0 || memcmp(p->v, w->buf, n * sizeof(*p->v)) == 0))
			return;
	}
	new.v = arena_dup(&w->a, w->buf, n * sizeof(*new.v));
	VEC_PUSH(&w->a, &w->pairs, new);
	w->slots[k] = (uint32_t)w->pairs.n;
	if (w->pairs.n * 2 > w->nslots)
		grow(w);
}

static bool has_tag(const struct set_dfa *d, uint32_t state, uint32_t tag)
{
	uint32_t i;

	for (i = d->tag_at[state]; i < d->tag_at[state + 1]; i++)
		if (d->tags[i] == tag)
			return true;
	return false;
}

/* Does the state have the tag of every language that accepts here, and no other tag? */
static bool agrees(const struct walk *w, const struct pair *p)
{
	uint32_t want = 0, i, k;

	for (i = 0; i < p->n; i = k) {
		uint32_t lang = w->nfa.pos.v[p->v[i]].lang;

		for (k = i; k < p->n && w->nfa.pos.v[p->v[k]].lang == lang; k++)
			;
		if (!nfa_accepts(&w->nfa, p->v + i, k - i, lang))
			continue;
		if (!has_tag(w->dfa, p->state, w->langs[lang].tag))
			return false;
		want++;
	}
	return want == w->dfa->tag_at[p->state + 1] - w->dfa->tag_at[p->state];
}

static int cmp_u32(const void *x, const void *y)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

	return a < b ? -1 : a > b;
}

static uint32_t step(struct walk *w, const struct pair *from, uint32_t cls)
{
	uint32_t i, n = 0, o = 0, lang = UINT32_MAX;
	size_t k;

	w->now++;
	for (i = 0; i < from->n; i++) {
		const struct nfa_pos *p = &w->nfa.pos.v[from->v[i]];

		for (k = 0; k < p->follow.n; k++) {
			uint32_t q = p->follow.v[k];

			if (w->stamp[q] == w->now ||
			    !set_bytes_has(&w->nfa.pos.v[q].bytes, cls))
				continue;
			w->stamp[q] = w->now;
			w->buf[n++] = q;
		}
	}
	if (n)
		qsort(w->buf, n, sizeof(uint32_t), cmp_u32);
	/* skip what is subtracted from a language that can no longer match */
	for (i = 0; i < n; i++) {
		const struct nfa_pos *p = &w->nfa.pos.v[w->buf[i]];

		if (!p->minus)
			lang = p->lang;
		else if (p->lang != lang)
			continue;
		w->buf[o++] = w->buf[i];
	}
	return o;
}

/*
 * One byte for each combination of a class of the automaton and a class of the
 * languages.
 */
static size_t find_bytes(const struct walk *w, uint8_t *bytes)
{
	size_t c, k, n = 0;

	for (c = 0; c < 256; c++) {
		for (k = 0; k < n; k++)
			if (w->dfa->cls[bytes[k]] == w->dfa->cls[c] &&
			    w->nfa.cls[bytes[k]] == w->nfa.cls[c])
				break;
		if (k == n)
			bytes[n++] = (uint8_t)c;
	}
	return n;
}

static struct str word_of(struct walk *w, struct arena *a, const struct pair *end)
{
	const struct pair *p;
	struct str word = { NULL, 0 };
	char *text;
	size_t n = 0;

	for (p = end; p->parent != UINT32_MAX; p = &w->pairs.v[p->parent])
		n++;
	text = arena_alloc(a, n + 1);
	word = (struct str){ text, n };
	for (p = end; p->parent != UINT32_MAX; p = &w->pairs.v[p->parent])
		text[--n] = (char)p->via;
	return word;
}

static enum set_answer run(struct walk *w, struct arena *a, struct str *ret_witness)
{
	uint8_t bytes[256];
	size_t nbytes = find_bytes(w, bytes), i, b;
	uint32_t n = 0;

	grow(w);
	for (i = 0; i < w->nfa.starts.n; i++)
		w->buf[n++] = w->nfa.starts.v[i];
	add(w, w->dfa->start, n, UINT32_MAX, 0);
	for (i = 0; i < w->pairs.n; i++) {
		struct pair p = w->pairs.v[i];

		if (!agrees(w, &p)) {
			*ret_witness = word_of(w, a, &p);
			return SET_WITNESS;
		}
		if (w->pairs.n > w->budget)
			return SET_UNDECIDED;
		for (b = 0; b < nbytes; b++) {
			uint32_t to = w->dfa->next[(size_t)p.state * w->dfa->nclasses +
						   w->dfa->cls[bytes[b]]];

			n = step(w, &p, w->nfa.cls[bytes[b]]);
			add(w, to, n, (uint32_t)i, bytes[b]);
		}
	}
	return SET_HOLDS;
}

enum set_answer set_dfa_equals(struct arena *a, const struct set_dfa *dfa,
			       const struct set_tagged *langs, size_t n,
			       size_t budget, struct str *ret_witness)
{
	struct walk w = { .dfa = dfa, .langs = langs, .budget = budget };
	enum set_answer answer;
	size_t i;

	arena_init(&w.a, ARENA_DEFAULT_BUDGET);
	nfa_init(&w.nfa, &w.a);
	for (i = 0; i < n; i++)
		nfa_add(&w.nfa, langs[i].re, langs[i].minus);
	nfa_seal(&w.nfa);
	w.stamp = arena_array(&w.a, w.nfa.pos.n + 1, sizeof(uint32_t));
	w.buf = arena_array(&w.a, w.nfa.pos.n + 1, sizeof(uint32_t));
	answer = run(&w, a, ret_witness);
	arena_release(&w.a);
	return answer;
}
