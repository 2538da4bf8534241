/*
 * Finds the sets of states that languages of words reach in an automaton: "may", and for
 * narrow automata, which leave out no words, also "must".
 */
#include <string.h>

#include "runtime/decide/walk_sets.h"

/* Costs in steps: for the rows of a word, for a state before one of its pieces. */
#define WORD_COST 16
#define PIECE_COST 8

struct set {
	uint32_t *v, n;
	uint64_t *bits;
};

/* One word as a row of pieces (LIT, ANY and MULTI), followed by its end. */
struct reach {
	const struct walk *w;
	const struct walk_at *at;
	struct set now, next;
	const struct walk_word *word;
	const struct sh_seg **pieces; /* of the word; NULL: its end */
	uint64_t *seen;    /* pieces + 1 rows of states */
	struct { uint32_t piece, state; } *todo;
	size_t ntodo, cap;
	uint32_t words;    /* 64-bit words of a row */
	uint32_t npieces;
	const uint32_t *after_program; /* WALK_ANY: the states after the program */
	uint32_t nbehind;
	bool dead;         /* some list leads nowhere */
	bool full;
};

static bool set_has(const uint64_t *bits, uint32_t i)
{
	return bits[i / 64] >> (i % 64) & 1;
}

static void set_add(struct set *s, uint32_t state)
{
	if (set_has(s->bits, state))
		return;
	s->bits[state / 64] |= (uint64_t)1 << (state % 64);
	s->v[s->n++] = state;
}

static void set_clear(struct set *s)
{
	uint32_t i;

	for (i = 0; i < s->n; i++)
		s->bits[s->v[i] / 64] = 0;
	s->n = 0;
}

/* The states that were reached are where the next word begins. */
static void go_on(struct reach *r)
{
	struct set t;

	set_clear(&r->now);
	t = r->now;
	r->now = r->next;
	r->next = t;
}

static void reach_add(struct reach *r, uint32_t piece, uint32_t state)
{
	uint64_t *row = r->seen + (size_t)piece * r->words;

	if (!state) {
		r->dead = true;
		return;
	}
	if (set_has(row, state))
		return;
	row[state / 64] |= (uint64_t)1 << (state % 64);
	if (r->ntodo == r->cap) {
		r->full = true;
		return;
	}
	r->todo[r->ntodo].piece = piece;
	r->todo[r->ntodo++].state = state;
}

static void begin_word(struct reach *r, uint32_t state)
{
	reach_add(r, 0, state);
	if (r->word->vanish || (r->w->broad && r->word->skip))
		set_add(&r->next, state);
}

/* Follows all bytes but NUL from a state in the program's column. */
static void any_name(struct reach *r, uint32_t piece, uint32_t state)
{
	const struct walk *w = r->w;
	uint32_t first = r->at->a->nstates, k = state - first;

	if (w->column == WALK_ANY)
		return;
	reach_add(r, piece, first);
	if (k < w->name_n)
		reach_add(r, piece, state + 1);
	if (k != w->name_n || !w->goes_on)
		reach_add(r, piece, first + w->name_n + 1);
}

/* Where bytes other than NUL lead: by these moves, or without one (`other`). */
struct leads {
	const uint32_t *from, *to; /* moves */
	const uint32_t *nul;       /* the one move for NUL alone among them, or NULL */
	bool other;                /* some byte has no move */
};

static struct leads leads_of(const struct walk_at *at, const struct pb_state *s)
{
	struct leads l = { at->moves + s[0].moves, at->moves + s[1].moves, NULL, false };
	const uint32_t *k;

	for (k = l.from; at->nul_apart && k < l.to && !l.nul; k++)
		if (PB_MOVE_CLASS(*k) == at->cls[0])
			l.nul = k;
	l.other = at->a->nclasses - (uint32_t)(l.to - l.from) >
		  (at->nul_apart && !l.nul ? 1u : 0u);
	return l;
}

/* Follows all bytes but NUL from this state. */
static void any_byte(struct reach *r, uint32_t piece, uint32_t state)
{
	const struct pb_state *s = r->at->states + state;
	const uint32_t *k;
	struct leads l;

	if (state >= r->at->a->nstates) {
		any_name(r, piece, state);
		return;
	}
	l = leads_of(r->at, s);
	for (k = l.from; k < l.to; k++)
		if (k != l.nul)
			reach_add(r, piece, PB_MOVE_STATE(*k));
	if (l.other)
		reach_add(r, piece, s->other);
}

/* At the end of a word: the next word follows, or more words from the same piece. */
static void end_at(struct reach *r, uint32_t piece, uint32_t end)
{
	if (!end) {
		r->dead = true;
		return;
	}
	if (r->pieces[piece]) {
		reach_add(r, piece, end);
		return;
	}
	set_add(&r->next, end);
	if (r->word->glob)
		reach_add(r, 0, end);
}

static void end_word(struct reach *r, uint32_t piece, uint32_t state)
{
	uint32_t i;

	if (r->w->column != WALK_ANY || state < r->at->a->nstates) {
		end_at(r, piece, walk_end(r->at, state));
		return;
	}
	for (i = 0; i < r->nbehind; i++)
		end_at(r, piece, r->after_program[i]);
}

static void over_piece(struct reach *r, uint32_t piece, uint32_t state)
{
	const struct sh_seg *s = r->pieces[piece];

	if (!s) {
		end_word(r, piece, state);
		return;
	}
	if (s->kind == SH_LIT) {
		reach_add(r, piece + 1, walk_run(r->at, state, s->p, s->n));
		return;
	}
	reach_add(r, piece + 1, state);
	any_byte(r, piece, state);
	if (s->kind == SH_MULTI)
		end_word(r, piece, state);
}

/* Walks over a word: r->now is replaced by the states after it. */
static bool over_word(struct reach *r, const struct walk_word *word)
{
	struct pool pool = r->w->pool;
	uint32_t i;

	r->word = word;
	r->pieces = walk_pieces(&pool, word);
	if (!r->pieces)
		return false;
	for (r->npieces = 0; r->pieces[r->npieces]; r->npieces++)
		;
	r->seen = pool_take(&pool, (size_t)(r->npieces + 1) * r->words, 8);
	r->cap = pool.left / sizeof(*r->todo);
	r->todo = pool_take(&pool, r->cap, sizeof(*r->todo));
	if (!r->seen || !r->todo)
		return false;
	memset(r->seen, 0, (size_t)(r->npieces + 1) * r->words * 8);
	if (!walk_spend(r->w, WORD_COST + (uint64_t)(r->npieces + 1) * r->words / 4))
		return false;
	for (i = 0; i < r->now.n; i++)
		begin_word(r, r->now.v[i]);
	while (r->ntodo && !r->full) {
		r->ntodo--;
		if (!walk_spend(r->w, PIECE_COST))
			return false;
		over_piece(r, r->todo[r->ntodo].piece, r->todo[r->ntodo].state);
	}
	r->ntodo = 0;
	go_on(r);
	return !r->full;
}

/*
 * Is this a state that no further words leave? What may match there is known. It is not
 * walked again unless somebody asks what is sure, or where the lists end.
 */
static bool stays(struct reach *r, uint32_t state)
{
	const struct walk *w = r->w;

	if (!r->at->nul_apart || !walk_comes_back(r->at, state))
		return false;
	if ((w->broad || w->may_only) && !w->ends)
		walk_add_tags(r->at, state, w->may);
	else
		set_add(&r->next, state);
	return true;
}

/* --- a word of which nothing is known ------------------------------------------ */

/* States that are reached within the word, each once. */
struct inside {
	uint64_t *seen;
	uint32_t *todo, n;
};

static void inside_add(struct reach *r, struct inside *in, uint32_t state)
{
	if (!state) {
		r->dead = true;
		return;
	}
	if (set_has(in->seen, state))
		return;
	in->seen[state / 64] |= (uint64_t)1 << (state % 64);
	in->todo[in->n++] = state;
}

/* Follows all bytes from the state: NUL ends the word, or begins another word from the
 * same piece. */
static void over_state(struct reach *r, struct inside *in, uint32_t state)
{
	const struct pb_state *s = r->at->states + state;
	struct leads l = leads_of(r->at, s);
	const uint32_t *k;
	uint32_t end;

	for (k = l.from; k < l.to; k++)
		if (k != l.nul)
			inside_add(r, in, PB_MOVE_STATE(*k));
	if (l.other)
		inside_add(r, in, s->other);
	end = walk_end(r->at, state);
	if (!end) {
		r->dead = true;
		return;
	}
	set_add(&r->next, end);
	if (r->word->glob || r->word->seg->kind == SH_MULTI)
		inside_add(r, in, end);
}

/* Like over_word(), but for a single piece: needs half of the states, and no list of
 * pieces. */
static bool over_unknown(struct reach *r, const struct walk_word *word)
{
	struct pool pool = r->w->pool;
	struct inside in = { .n = 0 };
	uint32_t i, done = 0;

	r->word = word;
	in.seen = pool_take(&pool, r->words, sizeof(*in.seen));
	in.todo = pool_take(&pool, walk_nstates(r->at), sizeof(*in.todo));
	if (!in.seen || !in.todo)
		return false;
	memset(in.seen, 0, r->words * sizeof(*in.seen));
	for (i = 0; i < r->now.n; i++) {
		if (stays(r, r->now.v[i]))
			continue;
		inside_add(r, &in, r->now.v[i]);
		if (word->vanish || (r->w->broad && word->skip))
			set_add(&r->next, r->now.v[i]);
	}
	while (done < in.n)
		over_state(r, &in, in.todo[done++]);
	go_on(r);
	return walk_spend(r->w, WORD_COST + r->words / 4 + (uint64_t)done * PIECE_COST);
}

static bool over_literal_set(struct reach *r, const struct walk_word *word)
{
	uint32_t i, k, end;

	if (!walk_spend(r->w, 1 + (uint64_t)r->now.n * (word->seg->n + 1)))
		return false;
	for (i = 0; i < r->now.n; i++) {
		if (stays(r, r->now.v[i]))
			continue;
		end = walk_run(r->at, r->now.v[i], word->seg->p, word->seg->n);
		if (end && r->w->column == WALK_ANY && end >= r->at->a->nstates) {
			for (k = 0; k < r->nbehind; k++)
				set_add(&r->next, r->after_program[k]);
			continue;
		}
		end = walk_end(r->at, end);
		if (end)
			set_add(&r->next, end);
		else
			r->dead = true;
		if (r->w->broad && word->skip)
			set_add(&r->next, r->now.v[i]);
	}
	go_on(r);
	return true;
}

static bool set_make(struct set *s, struct pool *p, uint32_t nstates, uint32_t words)
{
	s->n = 0;
	s->v = pool_take(p, nstates, sizeof(*s->v));
	s->bits = pool_take(p, words, sizeof(*s->bits));
	if (!s->v || !s->bits)
		return false;
	memset(s->bits, 0, words * sizeof(*s->bits));
	return true;
}

/* Narrow automata: adds the clauses that all end states have. */
static void add_common(const struct walk *w, const struct walk_at *at,
		       const struct set *s)
{
	uint32_t n, i, k, other;
	const uint32_t *first = walk_tags(at, s->v[0], &n);

	for (i = 0; i < n; i++) {
		for (k = 1; k < s->n; k++) {
			const uint32_t *tags = walk_tags(at, s->v[k], &other);
			uint32_t x = 0;

			while (x < other && tags[x] != first[i])
				x++;
			if (x == other)
				break;
		}
		if (k == s->n)
			walk_add(w->must, first + i, 1);
	}
}

/* Walks over words that may be anything and come before the others. */
static bool over_holes(struct reach *r)
{
	static const struct sh_seg any = { .kind = SH_ANY };
	static const struct walk_word word = { .seg = &any };
	unsigned i;

	for (i = 0; i < r->w->holes; i++)
		if (!over_word(r, &word))
			return false;
	return true;
}

/* Begins the column for any program: after it come the states to which the holes lead. */
static bool begin_any(struct reach *r, struct pool *pool)
{
	uint32_t *v = pool_take(pool, r->now.n + 1, sizeof(*v));

	if (!v)
		return false;
	memcpy(v, r->now.v, r->now.n * sizeof(*v));
	r->after_program = v;
	r->nbehind = r->now.n;
	set_clear(&r->now);
	set_add(&r->now, r->at->a->nstates);
	return true;
}

static bool over_any(struct reach *r, const struct walk_word *word)
{
	if (word->literal)
		return over_literal_set(r, word);
	/* states of the program's column are not states of the automaton */
	if (!word->seg->next && word->seg->kind != SH_LIT && r->w->column == WALK_NONE)
		return over_unknown(r, word);
	return over_word(r, word);
}

/* Finds "may", and for narrow automata "must", from these states on. */
bool walk_sets(const struct walk_at *at, struct walk *w, const uint32_t *set,
		    uint32_t n, uint32_t from)
{
	uint32_t states = walk_nstates(at), i;
	struct reach r = { .w = w, .at = at, .words = states / 64 + 1 };

	if (!set_make(&r.now, &w->pool, states, r.words) ||
	    !set_make(&r.next, &w->pool, states, r.words))
		return false;
	for (i = 0; i < n; i++)
		set_add(&r.now, set[i]);
	if (!over_holes(&r) || (w->column == WALK_ANY && !begin_any(&r, &w->pool)))
		return false;
	for (i = from; i < w->n && r.now.n; i++)
		if (!over_any(&r, &w->words[i]))
			return false;
	if (w->appends && r.now.n && !over_any(&r, &walk_unknown))
		return false;
	for (i = 0; i < r.now.n; i++)
		walk_add_tags(at, r.now.v[i], w->may);
	if (w->ends && r.now.n <= WALK_ENDS) {
		memcpy(w->ends->state, r.now.v, r.now.n * sizeof(*r.now.v));
		w->ends->n = r.now.n;
		w->ends->known = true;
	}
	if (!w->broad && !w->may_only && !r.dead && r.now.n)
		add_common(w, at, &r.now);
	return true;
}

/* --- words as one text --------------------------------------------------------- */

/* r->now after a piece of a word; unknown pieces may be any text. */
static bool over_text(struct reach *r, const char *p, size_t n)
{
	if (!walk_spend(r->w, 1 + (uint64_t)r->now.n * (n + 1)))
		return false;
	for (uint32_t i = 0; i < r->now.n; i++) {
		uint32_t state = walk_run(r->at, r->now.v[i], p, n);

		if (state)
			set_add(&r->next, state);
		else
			r->dead = true;
	}
	go_on(r);
	return true;
}

static bool over_any_text(struct reach *r)
{
	for (uint32_t i = 0; i < r->now.n; i++) {
		const struct pb_state *s = r->at->states + r->now.v[i];
		struct leads l = leads_of(r->at, s);

		if (!walk_spend(r->w, PIECE_COST))
			return false;
		for (const uint32_t *k = l.from; k < l.to; k++) {
			if (k == l.nul)
				continue;
			if (PB_MOVE_STATE(*k))
				set_add(&r->now, PB_MOVE_STATE(*k));
			else
				r->dead = true;
		}
		if (l.other && s->other)
			set_add(&r->now, s->other);
		r->dead |= l.other && !s->other;
	}
	return true;
}

static bool add_word(struct reach *r, const struct walk_word *word, struct set *before)
{
	if (word->vanish) {
		set_clear(before);
		for (uint32_t i = 0; i < r->now.n; i++)
			set_add(before, r->now.v[i]);
	}
	if (!over_text(r, " ", 1))
		return false;
	for (const struct sh_seg *s = word->seg; s; s = s->next)
		if (!(s->kind == SH_LIT ? over_text(r, s->p, s->n) : over_any_text(r)))
			return false;
	for (uint32_t i = 0; word->vanish && i < before->n; i++)
		set_add(&r->now, before->v[i]);
	return true;
}

bool walk_text(const struct walk_at *at, struct walk *w)
{
	uint32_t states = walk_nstates(at), first;
	struct reach r = { .w = w, .at = at, .words = states / 64 + 1 };
	struct set before;

	first = walk_run(at, at->a->start, w->lead, w->lead_n);
	if (!walk_spend(w, WORD_COST + w->lead_n) || !set_make(&r.now, &w->pool, states, r.words) ||
	    !set_make(&r.next, &w->pool, states, r.words) ||
	    !set_make(&before, &w->pool, states, r.words))
		return false;
	if (first)
		set_add(&r.now, first);
	for (uint32_t i = 1; i < w->n && r.now.n; i++)
		if (!add_word(&r, &w->words[i], &before))
			return false;
	if (w->appends && r.now.n && !over_any_text(&r))
		return false;
	for (uint32_t i = 0; i < r.now.n; i++)
		walk_add_tags(at, r.now.v[i], w->may);
	if (r.now.n && !r.dead)
		add_common(w, at, &r.now);
	return true;
}
