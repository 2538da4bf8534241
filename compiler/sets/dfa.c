/*
 * Subset construction: turns tagged languages into one deterministic automaton, within
 * a budget of states.  What is subtracted from a language is handled as a product.
 */
#include <stdlib.h>

#include "compiler/sets/minimise.h"
#include "compiler/sets/nfa.h"

/*
 * A few states may stand for many positions each.  So besides the states we bound the
 * positions of all states together (128 MiB) and the moves that are followed (seconds).
 */
#define MAX_MEMBERS ((size_t)32 * 1024 * 1024)
#define MAX_MOVES ((size_t)2 * 1024 * 1024 * 1024)

struct subset {
	uint32_t *v; /* sorted positions */
	uint32_t n;
	uint32_t hash;
};

struct build {
	struct arena *a; /* memory for this construction only */
	struct nfa nfa;
	VEC(struct subset) states;
	VEC(uint32_t) next;
	uint32_t *slots; /* index of the state + 1 */
	size_t nslots, max;
	size_t members, moves; /* counted so far */
	size_t max_moves;
	uint32_t needed; /* words that are not in all of the first languages do not count */
	uint32_t *stamp, now; /* for each position */
	uint32_t *candidates;
	VEC(uint32_t) *bucket; /* for each class */
};

static uint32_t hash_of(const uint32_t *v, size_t n)
{
	uint32_t h = 2166136261u;
	size_t i;

	for (i = 0; i < n; i++)
		h = (h ^ v[i]) * 16777619u, h ^= h >> 15;
	return h;
}

static void rehash(struct build *b)
{
	size_t i, k, n = b->nslots ? b->nslots * 2 : 1024;

	b->slots = arena_array(b->a, n, sizeof(*b->slots));
	b->nslots = n;
	for (i = 0; i < b->states.n; i++) {
		for (k = b->states.v[i].hash & (n - 1); b->slots[k];)
			k = (k + 1) & (n - 1);
		b->slots[k] = (uint32_t)i + 1;
	}
}

/*
 * The number of the state for this set, which is added if it is new; UINT32_MAX past
 * the budget.
 */
static uint32_t intern(struct build *b, const uint32_t *v, size_t n)
{
	struct subset s = { NULL, (uint32_t)n, 0 };
	size_t k;

	if (n == 0 && b->states.n)
		return 0; /* the dead state: most moves of most states lead there */
	s.hash = hash_of(v, n);
	k = s.hash & (b->nslots - 1);

	for (; b->slots[k]; k = (k + 1) & (b->nslots - 1)) {
		const struct subset *o = &b->states.v[b->slots[k] - 1];

		if (o->hash == s.hash && o->n == s.n &&
		    (n == 0 || memcmp(o->v, v, n * sizeof(*v)) == 0))
			return b->slots[k] - 1;
	}
	if (b->states.n >= b->max || n > MAX_MEMBERS - b->members)
		return UINT32_MAX;
	b->members += n;
	s.v = arena_dup(b->a, v, n * sizeof(*v));
	VEC_PUSH(b->a, &b->states, s);
	b->slots[k] = (uint32_t)b->states.n;
	if (b->states.n * 2 > b->nslots)
		rehash(b);
	return (uint32_t)b->states.n - 1;
}

static int cmp_u32(const void *x, const void *y)
{
	uint32_t p = *(const uint32_t *)x, q = *(const uint32_t *)y;

	return p < q ? -1 : p > q;
}

/* Sorts the positions; those that follow a sorted set mostly come in order. */
static void sort(uint32_t *v, size_t n)
{
	size_t i;

	for (i = 1; i < n; i++)
		if (v[i - 1] > v[i])
			break;
	if (i < n)
		qsort(v, n, sizeof(*v), cmp_u32);
}

/* After a match that accepts everything, other positions of the same language do not
 * matter: a search would go on looking for further matches, in as many states again.  None
 * does where all that follows is subtracted. */
static size_t keep_whole(const struct nfa *nfa, uint32_t *v, size_t n)
{
	size_t i, from = 0, o = 0;
	uint32_t lang = UINT32_MAX;
	bool gone = false;

	for (i = 0; i < n; i++) {
		const struct nfa_pos *p = &nfa->pos.v[v[i]];

		if (p->lang != lang) {
			lang = p->lang;
			from = o;
			gone = false;
		}
		if (gone || (o > from && v[from] == nfa->whole[lang]))
			continue;
		if (nfa->is_whole[v[i]] && p->minus) {
			o = from;
			gone = true;
		} else if (nfa->is_whole[v[i]]) {
			o = from;
			v[o++] = nfa->whole[lang];
		} else {
			v[o++] = v[i];
		}
	}
	return o;
}

/*
 * Positions of what is subtracted from a language count only while the language itself
 * can still match.  Without this, exceptions would multiply states for nothing.
 */
static size_t prune(const struct nfa *nfa, uint32_t *v, size_t n)
{
	uint32_t lang = UINT32_MAX;
	size_t i, o = 0;

	n = keep_whole(nfa, v, n);
	for (i = 0; i < n; i++) {
		const struct nfa_pos *p = &nfa->pos.v[v[i]];

		if (!p->minus)
			lang = p->lang;
		else if (p->lang != lang)
			continue;
		v[o++] = v[i];
	}
	return o;
}

/*
 * Sorts the positions that may follow the state's positions into one bucket for each
 * class.
 */
static void fill_buckets(struct build *b, uint32_t state)
{
	const struct subset s = b->states.v[state];
	size_t i, k, n = 0;
	uint32_t c;

	b->now++;
	for (i = 0; i < s.n; i++) {
		const struct nfa_pos *p = &b->nfa.pos.v[s.v[i]];

		b->moves += p->follow.n;
		for (k = 0; k < p->follow.n; k++) {
			uint32_t q = p->follow.v[k];

			if (b->stamp[q] == b->now)
				continue;
			b->stamp[q] = b->now;
			b->candidates[n++] = q;
		}
	}
	sort(b->candidates, n);
	for (c = 0; c < b->nfa.ncls; c++)
		b->bucket[c].n = 0;
	for (i = 0; i < n; i++) {
		const struct set_bytes *in = &b->nfa.pos.v[b->candidates[i]].bytes;
		uint32_t w;

		for (w = 0; w < 4; w++) {
			uint64_t bits = in->w[w];

			for (; bits; bits &= bits - 1) {
				c = w * 64 + (uint32_t)__builtin_ctzll(bits);
				b->moves++;
				VEC_PUSH(b->a, &b->bucket[c], b->candidates[i]);
			}
		}
	}
}

/*
 * Can none of the words that begin like this count?  The positions are in the order of the
 * languages, and those of an expression before what is subtracted, which prune() has left
 * out without them.
 */
static bool is_dead(const struct build *b, const uint32_t *v, size_t n)
{
	uint32_t lang = 0;
	size_t i;

	for (i = 0; i < n && lang < b->needed; i++) {
		if (b->nfa.pos.v[v[i]].lang > lang)
			return true;
		lang += b->nfa.pos.v[v[i]].lang == lang;
	}
	return !n || lang < b->needed;
}

static bool expand(struct build *b, uint32_t state)
{
	uint32_t c, to;

	if (b->moves > b->max_moves)
		return false;
	fill_buckets(b, state);
	for (c = 0; c < b->nfa.ncls; c++) {
		size_t n = prune(&b->nfa, b->bucket[c].v, b->bucket[c].n);

		to = intern(b, b->bucket[c].v, is_dead(b, b->bucket[c].v, n) ? 0 : n);
		if (to == UINT32_MAX)
			return false;
		VEC_PUSH(b->a, &b->next, to);
	}
	return true;
}

/* Words that do not count come to the dead state, except those that begin words that do:
 * they must not have tags either. */
static bool has_no_tags(const struct build *b, const struct subset *st)
{
	uint32_t lang;
	size_t i = 0, n;

	for (lang = 0; lang < b->needed; lang++, i = n) {
		for (n = i; n < st->n && b->nfa.pos.v[st->v[n]].lang == lang;)
			n++;
		if (!nfa_accepts(&b->nfa, st->v + i, n - i, lang))
			return true;
	}
	return false;
}

/*
 * Sets the tags of each state, in the order of the languages, sorted and without
 * duplicates.
 */
static void tag_states(struct build *b, const struct set_tagged *langs,
		       struct set_dfa *d)
{
	VEC(uint32_t) tags = { NULL, 0, 0 };
	size_t s;

	d->tag_at = arena_array(b->a, b->states.n + 1, sizeof(uint32_t));
	for (s = 0; s < b->states.n; s++) {
		const struct subset *st = &b->states.v[s];
		size_t from = tags.n, i, k, o;

		for (i = has_no_tags(b, st) ? st->n : 0; i < st->n; i = k) {
			uint32_t lang = b->nfa.pos.v[st->v[i]].lang;

			for (k = i; k < st->n; k++)
				if (b->nfa.pos.v[st->v[k]].lang != lang)
					break;
			if (nfa_accepts(&b->nfa, st->v + i, k - i, lang))
				VEC_PUSH(b->a, &tags, langs[lang].tag);
		}
		sort(tags.v + from, tags.n - from);
		for (i = o = from; i < tags.n; i++)
			if (o == from || tags.v[o - 1] != tags.v[i])
				tags.v[o++] = tags.v[i];
		tags.n = o;
		d->tag_at[s + 1] = (uint32_t)tags.n;
	}
	d->tags = tags.v;
	d->ntags = tags.n;
}

static bool construct(struct build *b, const struct set_tagged *langs, size_t n,
		      struct set_dfa *d)
{
	size_t i, nstart = 0;
	uint32_t s;

	nfa_init(&b->nfa, b->a);
	for (i = 0; i < n; i++)
		nfa_add(&b->nfa, langs[i].re, langs[i].minus);
	nfa_seal(&b->nfa);
	b->stamp = arena_array(b->a, b->nfa.pos.n + 1, sizeof(uint32_t));
	b->candidates = arena_array(b->a, b->nfa.pos.n + 1, sizeof(uint32_t));
	b->bucket = arena_array(b->a, b->nfa.ncls, sizeof(*b->bucket));
	rehash(b);
	intern(b, NULL, 0); /* the dead state */
	for (i = 0; i < b->nfa.starts.n; i++)
		b->candidates[nstart++] = b->nfa.starts.v[i];
	d->start = intern(b, b->candidates, nstart);
	if (d->start == UINT32_MAX)
		return false;
	for (s = 0; s < b->states.n; s++)
		if (!expand(b, s))
			return false;
	memcpy(d->cls, b->nfa.cls, sizeof(d->cls));
	d->nclasses = b->nfa.ncls;
	d->nstates = (uint32_t)b->states.n;
	d->next = b->next.v;
	tag_states(b, langs, d);
	return true;
}

static enum set_answer build(struct arena *a, const struct set_tagged *langs, size_t n,
			     struct build *b, struct set_dfa *ret_dfa)
{
	struct arena tmp;
	struct set_dfa raw = { .nstates = 0 };
	bool fits;

	arena_init(&tmp, ARENA_DEFAULT_BUDGET);
	b->a = &tmp;
	fits = construct(b, langs, n, &raw);
	if (fits)
		set_dfa_minimise(a, &tmp, &raw, ret_dfa);
	arena_release(&tmp);
	return fits ? SET_HOLDS : SET_UNDECIDED;
}

enum set_answer set_dfa_build_of_first(struct arena *a, const struct set_tagged *langs, size_t n,
				       size_t needed, size_t max_states, size_t *work,
				       struct set_dfa *ret_dfa)
{
	struct build b = { .max = max_states, .max_moves = *work, .needed = (uint32_t)needed };
	enum set_answer ret = build(a, langs, n, &b, ret_dfa);

	*work -= b.moves < *work ? b.moves : *work;
	return ret;
}

enum set_answer set_dfa_build(struct arena *a, const struct set_tagged *langs,
			      size_t n, size_t max_states, struct set_dfa *ret_dfa)
{
	struct build b = { .max = max_states, .max_moves = MAX_MOVES };

	return build(a, langs, n, &b, ret_dfa);
}

const uint32_t *set_dfa_run(const struct set_dfa *dfa, struct str word, size_t *ret_n)
{
	uint32_t s = dfa->start;
	size_t i;

	for (i = 0; i < word.n && s; i++)
		s = dfa->next[s * dfa->nclasses + dfa->cls[(uint8_t)word.p[i]]];
	*ret_n = dfa->tag_at[s + 1] - dfa->tag_at[s];
	return *ret_n ? dfa->tags + dfa->tag_at[s] : NULL;
}
