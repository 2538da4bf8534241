/*
 * Walks an automaton over bytes and literal words, state by state. The column of the
 * program has states of its own.
 */
#include <string.h>

#include "runtime/decide/walk.h"

static const struct sh_seg any_words = { .kind = SH_MULTI };
const struct walk_word walk_unknown = { .seg = &any_words, .skip = true, .vanish = true };

static inline uint32_t step_class(const struct walk_at *at, uint32_t state, uint8_t class)
{
	const struct pb_state *s = at->states + state;
	uint32_t k;

	for (k = s[0].moves; k < s[1].moves; k++)
		if (PB_MOVE_CLASS(at->moves[k]) == class)
			return PB_MOVE_STATE(at->moves[k]);
	return s->other;
}

/* A base name follows the last '/', so it may begin after any '/'. */
static uint32_t step_name(const struct walk_at *at, uint32_t state, uint8_t byte)
{
	const struct walk *w = at->w;
	uint32_t first = at->a->nstates, k = state - first;

	if (w->column == WALK_ANY)
		return byte ? state : at->a->start;
	if (byte == '/')
		return first;
	if (k == w->name_n && !byte)
		return at->a->start;
	if (!byte)
		return 0;
	if (k < w->name_n && (uint8_t)w->name[k] == byte)
		return state + 1;
	if (k == w->name_n && w->goes_on)
		return state;
	return first + w->name_n + 1;
}

uint32_t walk_step(const struct walk_at *at, uint32_t state, uint8_t byte)
{
	if (state >= at->a->nstates)
		return step_name(at, state, byte);
	return step_class(at, state, at->cls[byte]);
}

uint32_t walk_run(const struct walk_at *at, uint32_t state, const char *p, size_t n)
{
	size_t i = 0;

	for (; i < n && state >= at->a->nstates; i++)
		state = step_name(at, state, (uint8_t)p[i]);
	for (; i < n && state; i++)
		state = step_class(at, state, at->cls[(uint8_t)p[i]]);
	return state;
}

uint32_t walk_end(const struct walk_at *at, uint32_t state)
{
	return state ? walk_step(at, state, 0) : 0;
}

const uint32_t *walk_tags(const struct walk_at *at, uint32_t state, uint32_t *ret_n)
{
	const uint8_t *m = (const uint8_t *)at->w->m;
	const uint32_t *set_at = (const void *)(m + at->a->set_at);
	const uint32_t *tags = (const void *)(m + at->a->tags);
	uint32_t set;

	if (state >= at->a->nstates) {
		*ret_n = 0;
		return tags;
	}
	set = at->states[state].set;
	*ret_n = set_at[set + 1] - set_at[set];
	return tags + set_at[set];
}

void walk_add(struct bits *to, const uint32_t *tags, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		bits_add(to, tags[i]);
}

void walk_add_tags(const struct walk_at *at, uint32_t state, struct bits *to)
{
	uint32_t n;
	const uint32_t *tags = walk_tags(at, state, &n);

	walk_add(to, tags, n);
}

bool walk_spend(const struct walk *w, uint64_t n)
{
	if (*w->work < n) {
		*w->work = 0;
		return false;
	}
	*w->work -= n;
	return true;
}

bool walk_comes_back(const struct walk_at *at, uint32_t state)
{
	uint32_t home = PB_MOVE(at->cls[0], state);
	const struct pb_state *s, *in;

	if (state >= at->a->nstates)
		return false;
	s = at->states + state;
	in = at->states + s->other;
	return s[1].moves - s[0].moves == 1 && in[1].moves - in[0].moves == 1 &&
	       in->other == s->other && at->moves[s->moves] == home &&
	       at->moves[in->moves] == home;
}

/* --- words --------------------------------------------------------------- */

static bool add_state(uint32_t *set, uint32_t *n, uint32_t state)
{
	uint32_t i;

	if (!state)
		return true;
	for (i = 0; i < *n; i++)
		if (set[i] == state)
			return true;
	if (*n == WALK_SMALL)
		return false;
	set[(*n)++] = state;
	return true;
}

bool walk_literal(const struct walk_at *at, const struct walk_word *word,
		  uint32_t set[WALK_SMALL], uint32_t *n)
{
	bool leave = at->w->broad && word->skip;
	uint32_t next[WALK_SMALL], count = 0, i;

	if (*n == 1 && !leave) {
		set[0] = walk_end(at, walk_run(at, set[0], word->seg->p, word->seg->n));
		*n = set[0] != 0;
		return true;
	}
	if (leave) {
		memcpy(next, set, *n * sizeof(*set));
		count = *n;
	}
	for (i = 0; i < *n; i++)
		if (!add_state(next, &count,
			       walk_end(at, walk_run(at, set[i], word->seg->p,
						    word->seg->n))))
			return false;
	memcpy(set, next, count * sizeof(*set));
	*n = count;
	return true;
}

const struct sh_seg **walk_pieces(struct pool *p, const struct walk_word *word)
{
	const struct sh_seg *s, **v;
	size_t n = 1, i = 0;

	for (s = word->seg; s; s = s->next)
		n++;
	v = pool_take(p, n, sizeof(*v));
	if (!v)
		return NULL;
	for (s = word->seg; s; s = s->next)
		v[i++] = s;
	v[i] = NULL;
	return v;
}
