/*
 * Does every word list match a broad pattern? A list has several readings, so it ends in
 * a set of states. All lists together end in many such sets, and a clause is sure if each
 * set has a state with it. The sets are built when they are met, within a budget.
 */
#include <string.h>

#include "runtime/decide/walk_must.h"

#define MAX_SETS 256
#define MAX_STATES 8192 /* in all sets together */
#define MAX_SET 512
#define MAX_TODO 1024

/* Sets of states, each stored once, in ascending order. */
struct sets {
	uint32_t at[MAX_SETS + 1];
	uint32_t states[MAX_STATES];
	uint32_t slots[2 * MAX_SETS]; /* number + 1 */
	uint32_t n;
};

/* A position in a word: before `piece`, with the states `now`. The word began with the
 * states `began`; leaving the word out goes back to them. */
struct spot { uint32_t piece, now, began; };

struct must {
	const struct walk *w;
	const struct walk_at *at;
	struct sets *sets;
	uint32_t *now, nnow;   /* sets between two words */
	uint32_t *next, nnext;
	uint8_t *in_next;
	struct spot *todo;     /* each position in a word once; those before `done` are
	                          finished */
	uint32_t ntodo;
	const struct walk_word *word;
	const struct sh_seg **pieces; /* of the word; NULL: its end */
	struct pool pool;
	uint32_t *scratch;     /* 2 * MAX_SET */
	bool first[256];       /* the first byte of its class */
	bool none;             /* some list matches nothing */
	bool full;
};

static uint32_t intern(struct must *m, const uint32_t *v, uint32_t n)
{
	struct sets *s = m->sets;
	uint32_t h = n * 2654435761u, i, k;

	for (i = 0; i < n; i++)
		h = (h ^ v[i]) * 2654435761u, h ^= h >> 15;
	for (k = h % (2 * MAX_SETS); s->slots[k]; k = (k + 1) % (2 * MAX_SETS)) {
		uint32_t x = s->slots[k] - 1;

		if (s->at[x + 1] - s->at[x] == n &&
		    memcmp(s->states + s->at[x], v, n * sizeof(*v)) == 0)
			return x;
	}
	if (s->n == MAX_SETS || MAX_STATES - s->at[s->n] < n) {
		m->full = true;
		return 0;
	}
	memcpy(s->states + s->at[s->n], v, n * sizeof(*v));
	s->at[s->n + 1] = s->at[s->n] + n;
	s->slots[k] = s->n + 1;
	return s->n++;
}

/* Sorts and interns the set in scratch. */
static uint32_t made(struct must *m, uint32_t n)
{
	uint32_t *v = m->scratch, i, k, o = 0;

	if (n > MAX_SET) {
		m->full = true;
		return 0;
	}
	for (i = 1; i < n; i++) {
		uint32_t x = v[i];

		for (k = i; k > 0 && v[k - 1] > x; k--)
			v[k] = v[k - 1];
		v[k] = x;
	}
	for (i = 0; i < n; i++)
		if (v[i] && (!o || v[o - 1] != v[i]))
			v[o++] = v[i];
	return intern(m, v, o);
}

static bool spend(struct must *m, uint64_t n)
{
	if (*m->w->work < n) {
		*m->w->work = 0;
		m->full = true;
		return false;
	}
	*m->w->work -= n;
	return true;
}

static uint32_t size_of(const struct must *m, uint32_t set)
{
	return m->sets->at[set + 1] - m->sets->at[set];
}

/* The set after a literal text. */
static uint32_t over_text(struct must *m, uint32_t set, const char *p, uint32_t n)
{
	const uint32_t *v = m->sets->states + m->sets->at[set];
	uint32_t count = size_of(m, set), i;

	if (!spend(m, 1 + (uint64_t)count * n))
		return 0;
	for (i = 0; i < count; i++)
		m->scratch[i] = walk_run(m->at, v[i], p, n);
	return made(m, count);
}

static uint32_t over_byte(struct must *m, uint32_t set, uint8_t byte)
{
	const uint32_t *v = m->sets->states + m->sets->at[set];
	uint32_t count = size_of(m, set), i;

	if (!spend(m, 1 + count))
		return 0;
	for (i = 0; i < count; i++)
		m->scratch[i] = walk_step(m->at, v[i], byte);
	return made(m, count);
}

/* The set after the end of a word. With `leave` the word may be left out. */
static uint32_t over_end(struct must *m, uint32_t set, uint32_t began, bool leave)
{
	uint32_t count = size_of(m, set), more = 0, i;

	if (!spend(m, 1 + count))
		return 0;
	for (i = 0; i < count; i++)
		m->scratch[i] =
			walk_step(m->at, m->sets->states[m->sets->at[set] + i], 0);
	if (leave) {
		more = size_of(m, began);
		memcpy(m->scratch + count, m->sets->states + m->sets->at[began],
		       more * sizeof(*m->scratch));
	}
	return made(m, count + more);
}

static void add_next(struct must *m, uint32_t set)
{
	if (m->full || m->in_next[set])
		return;
	if (!size_of(m, set))
		m->none = true;
	m->in_next[set] = 1;
	m->next[m->nnext++] = set;
}

static void add_spot(struct must *m, uint32_t piece, uint32_t now, uint32_t began)
{
	uint32_t i;

	if (m->full || !spend(m, 1 + m->ntodo / 8))
		return;
	/* if the word is left out, the states at its beginning still match */
	if (!size_of(m, now) && !(m->word->skip && size_of(m, began))) {
		m->none = true;
		return;
	}
	for (i = 0; i < m->ntodo; i++)
		if (m->todo[i].piece == piece && m->todo[i].now == now &&
		    m->todo[i].began == began)
			return;
	if (m->ntodo == MAX_TODO) {
		m->full = true;
		return;
	}
	m->todo[m->ntodo++] = (struct spot){ piece, now, began };
}

/* In the program's column, more bytes are told apart than by the automaton's classes. */
static bool in_column(const struct must *m, uint32_t set)
{
	return size_of(m, set) &&
	       m->sets->states[m->sets->at[set + 1] - 1] >= m->at->a->nstates;
}

/* Finds one byte of each class, except NUL. */
static void find_first(struct must *m)
{
	bool seen[256] = { false };
	unsigned i;

	for (i = 1; i < 256; i++) {
		m->first[i] = !seen[m->at->cls[i]];
		seen[m->at->cls[i]] = true;
	}
}

static void over_spot(struct must *m, struct spot s)
{
	const struct sh_seg *seg = m->pieces[s.piece];
	uint32_t i;

	if (!seg) {
		add_next(m, over_end(m, s.now, s.began, m->word->skip));
		if (m->word->glob)
			add_spot(m, 0, over_end(m, s.now, s.began, false), s.began);
		return;
	}
	if (seg->kind == SH_LIT) {
		add_spot(m, s.piece + 1, over_text(m, s.now, seg->p, seg->n), s.began);
		return;
	}
	add_spot(m, s.piece + 1, s.now, s.began);
	for (i = 1; i < 256 && !m->full && !m->none; i++)
		if (in_column(m, s.now) || m->first[i])
			add_spot(m, s.piece, over_byte(m, s.now, (uint8_t)i), s.began);
	if (seg->kind == SH_MULTI)
		add_spot(m, s.piece, over_end(m, s.now, s.began, false), s.began);
}

/* false: no clause is sure, or the result is unknown (full). */
static bool over_word(struct must *m, const struct walk_word *word)
{
	struct pool pool = m->pool;
	uint32_t i, *t = m->now;

	m->word = word;
	m->pieces = walk_pieces(&pool, word);
	if (!m->pieces) {
		m->full = true;
		return false;
	}
	m->nnext = 0;
	m->ntodo = 0;
	for (i = 0; i < m->nnow; i++) {
		add_spot(m, 0, m->now[i], m->now[i]);
		if (word->vanish)
			add_next(m, m->now[i]);
	}
	for (i = 0; i < m->ntodo && !m->full && !m->none; i++)
		over_spot(m, m->todo[i]);
	m->now = m->next;
	m->nnow = m->nnext;
	m->next = t;
	for (i = 0; i < m->nnow; i++)
		m->in_next[m->now[i]] = 0;
	return !m->full && !m->none;
}

/* Does a state of the set have the clause? */
static bool set_has_tag(const struct must *m, uint32_t set, uint32_t tag)
{
	uint32_t i, k, n;

	for (i = m->sets->at[set]; i < m->sets->at[set + 1]; i++) {
		const uint32_t *tags =
			walk_tags(m->at, m->sets->states[i], &n);

		for (k = 0; k < n; k++)
			if (tags[k] == tag)
				return true;
	}
	return false;
}

static void add_sure(const struct must *m)
{
	uint32_t set = m->now[0], i, k, x, n;

	for (i = m->sets->at[set]; i < m->sets->at[set + 1]; i++) {
		const uint32_t *tags =
			walk_tags(m->at, m->sets->states[i], &n);

		for (k = 0; k < n; k++) {
			for (x = 1; x < m->nnow; x++)
				if (!set_has_tag(m, m->now[x], tags[k]))
					break;
			if (x == m->nnow)
				bits_add(m->w->must, tags[k]);
		}
	}
}

static bool make(struct must *m, struct pool *p)
{
	m->sets = pool_take(p, 1, sizeof(*m->sets));
	m->now = pool_take(p, MAX_SETS, sizeof(*m->now));
	m->next = pool_take(p, MAX_SETS, sizeof(*m->next));
	m->in_next = pool_take(p, MAX_SETS, 1);
	m->todo = pool_take(p, MAX_TODO, sizeof(*m->todo));
	m->scratch = pool_take(p, 2 * MAX_SET, sizeof(*m->scratch));
	if (!m->sets || !m->now || !m->next || !m->in_next || !m->todo || !m->scratch)
		return false;
	m->pool = *p;
	m->sets->n = m->sets->at[0] = 0;
	memset(m->sets->slots, 0, sizeof(m->sets->slots));
	memset(m->in_next, 0, MAX_SETS);
	return true;
}

bool walk_must(const struct walk_at *at, struct pool pool, const uint32_t *set,
	       uint32_t n, uint32_t from)
{
	const struct walk *w = at->w;
	struct must m = { .w = w, .at = at };
	uint32_t i;

	if (!make(&m, &pool))
		return false;
	find_first(&m);
	memcpy(m.scratch, set, n * sizeof(*set));
	m.now[0] = made(&m, n);
	m.nnow = 1;
	for (i = from; i < w->n; i++)
		if (!over_word(&m, &w->words[i]))
			return !m.full;
	if (w->appends && !over_word(&m, &walk_unknown))
		return !m.full;
	add_sure(&m);
	return true;
}
