/*
 * Decides how a bundle's member stores automata.  Only few sets of tags differ, so each
 * set is stored once and a state has the number of its set.  For each state only those
 * transitions are listed that do not go to its most common successor.  Automata of
 * similar patterns share tables.
 */
#include "compiler/record/automaton.h"

/* The distinct sets of tags of an automaton; the empty set comes first. */
struct tag_sets {
	uint32_t n;
	uint32_t *at;   /* n + 1 entries: where each set begins in tags */
	uint32_t *tags;
	uint32_t *of;   /* the number of each state's set */
};

struct pool {
	struct arena *a;
	VEC(uint32_t) at, tags;
	uint32_t *slots; /* number of the set, + 1 */
	size_t nslots;
};

static size_t hash_of(const uint32_t *v, uint32_t n)
{
	uint64_t h = n;
	uint32_t i;

	for (i = 0; i < n; i++)
		h = (h ^ v[i]) * 0x9e3779b97f4a7c15u, h ^= h >> 29;
	return (size_t)h;
}

static uint32_t intern(struct pool *p, const uint32_t *v, uint32_t n)
{
	size_t k = hash_of(v, n) & (p->nslots - 1);
	uint32_t i;

	for (; p->slots[k]; k = (k + 1) & (p->nslots - 1)) {
		uint32_t set = p->slots[k] - 1, from = p->at.v[set];

		if (p->at.v[set + 1] - from == n &&
		    (n == 0 || memcmp(p->tags.v + from, v, n * sizeof(*v)) == 0))
			return set;
	}
	for (i = 0; i < n; i++)
		VEC_PUSH(p->a, &p->tags, v[i]);
	VEC_PUSH(p->a, &p->at, (uint32_t)p->tags.n);
	p->slots[k] = (uint32_t)p->at.n - 1;
	return p->slots[k] - 1;
}

static void tag_sets_make(struct arena *a, const struct set_dfa *d, struct tag_sets *ret)
{
	struct pool p = { .a = a, .nslots = 16 };
	uint32_t *of = arena_array(a, d->nstates, sizeof(*of)), s;

	while (p.nslots < (size_t)2 * d->nstates)
		p.nslots *= 2;
	p.slots = arena_array(a, p.nslots, sizeof(*p.slots));
	VEC_PUSH(a, &p.at, 0);
	(void)intern(&p, NULL, 0);
	for (s = 0; s < d->nstates; s++)
		of[s] = intern(&p, d->tags + d->tag_at[s],
			       d->tag_at[s + 1] - d->tag_at[s]);
	*ret = (struct tag_sets){ (uint32_t)p.at.n - 1, p.at.v, p.tags.v, of };
}

/* The state to which most classes lead: a row does not list it. */
static uint32_t most_common(const uint32_t *row, uint32_t n)
{
	uint32_t best = row[0], most = 0, i, k;

	for (i = 0; i < n && most <= n / 2; i++) {
		uint32_t count = 0;

		for (k = 0; k < n; k++)
			count += row[k] == row[i];
		if (count > most) {
			most = count;
			best = row[i];
		}
	}
	return best;
}

void rec_tables_init(struct rec_tables *t, struct arena *a, struct buf *out)
{
	*t = (struct rec_tables){ .a = a, .out = out };
	map_init(&t->seen, a);
}

/*
 * Returns where these bytes are, and adds them if they are new.  They are 4-byte
 * numbers, or 256 bytes.
 */
static uint32_t put(struct rec_tables *t, const struct buf *bytes)
{
	uintptr_t at = (uintptr_t)map_get(&t->seen, buf_view(bytes));

	if (!at) {
		buf_align(t->out, 4);
		at = t->out->n + 1;
		(void)map_put(&t->seen, buf_view(bytes), (void *)at);
		buf_str(t->out, buf_view(bytes));
	}
	return (uint32_t)(at - 1);
}

static uint32_t put_numbers(struct rec_tables *t, const uint32_t *v, size_t n)
{
	struct buf b;
	size_t i;

	buf_init(&b, t->a);
	for (i = 0; i < n; i++)
		buf_u32(&b, v[i]);
	return put(t, &b);
}

static void put_states(struct rec_tables *t, const struct set_dfa *d, const uint32_t *set_of,
		       struct pb_automaton *a)
{
	struct buf states, moves;
	uint32_t s, c;

	buf_init(&states, t->a);
	buf_init(&moves, t->a);
	for (s = 0; s < d->nstates; s++) {
		const uint32_t *row = d->next + (size_t)s * d->nclasses;
		uint32_t other = most_common(row, d->nclasses);

		buf_u32(&states, a->nmoves);
		buf_u32(&states, other);
		buf_u32(&states, set_of[s]);
		for (c = 0; c < d->nclasses; c++) {
			if (row[c] == other)
				continue;
			buf_u32(&moves, PB_MOVE(c, row[c]));
			a->nmoves++;
		}
	}
	buf_u32(&states, a->nmoves);
	buf_u32(&states, 0);
	buf_u32(&states, 0);
	a->states = put(t, &states);
	a->moves = put(t, &moves);
}

void rec_automaton_put(struct rec_tables *t, const struct set_dfa *d, struct pb_automaton *a)
{
	struct tag_sets sets;
	struct buf cls;

	a->nstates = d->nstates;
	a->nclasses = d->nclasses;
	a->start = d->start;
	tag_sets_make(t->a, d, &sets);
	buf_init(&cls, t->a);
	buf_add(&cls, d->cls, sizeof(d->cls));
	a->cls = put(t, &cls);
	put_states(t, d, sets.of, a);
	a->nsets = sets.n;
	a->set_at = put_numbers(t, sets.at, sets.n + 1);
	a->ntags = sets.at[sets.n];
	a->tags = put_numbers(t, sets.tags, a->ntags);
}

/* --- and back ------------------------------------------------------------------ */

static const void *table(const void *m, uint32_t off)
{
	return (const uint8_t *)m + off;
}

static void read_moves(struct arena *a, const void *m,
		       const struct pb_automaton *p, struct set_dfa *d)
{
	const struct pb_state *s = table(m, p->states);
	const uint32_t *moves = table(m, p->moves);
	uint32_t i, k, *row;

	d->next = arena_array(a, (size_t)p->nstates * p->nclasses, sizeof(uint32_t));
	for (i = 0, row = d->next; i < p->nstates; i++, row += p->nclasses) {
		for (k = 0; k < p->nclasses; k++)
			row[k] = s[i].other;
		for (k = s[i].moves; k < s[i + 1].moves; k++)
			row[PB_MOVE_CLASS(moves[k])] = PB_MOVE_STATE(moves[k]);
	}
}

static void read_tags(struct arena *a, const void *m,
		      const struct pb_automaton *p, struct set_dfa *d)
{
	const struct pb_state *s = table(m, p->states);
	const uint32_t *set_at = table(m, p->set_at), *tags = table(m, p->tags);
	VEC(uint32_t) all = { NULL, 0, 0 };
	uint32_t i, k;

	d->tag_at = arena_array(a, (size_t)p->nstates + 1, sizeof(uint32_t));
	for (i = 0; i < p->nstates; i++) {
		for (k = set_at[s[i].set]; k < set_at[s[i].set + 1]; k++)
			VEC_PUSH(a, &all, tags[k]);
		d->tag_at[i + 1] = (uint32_t)all.n;
	}
	d->tags = all.v;
	d->ntags = all.n;
}

void rec_automaton_read(struct arena *a, const void *m, const struct pb_automaton *p,
		       struct set_dfa *ret)
{
	struct set_dfa d = { .nclasses = p->nclasses, .nstates = p->nstates,
			     .start = p->start };

	memcpy(d.cls, (const uint8_t *)m + p->cls, sizeof(d.cls));
	read_moves(a, m, p, &d);
	read_tags(a, m, p, &d);
	*ret = d;
}
