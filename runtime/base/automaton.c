/* Walks an automaton, one step per byte: finds the byte's class, then looks through the
 * few moves of the state. */
#include "runtime/base/automaton.h"

static const void *table(const void *member, uint32_t off)
{
	return (const uint8_t *)member + off;
}

void dfa_start(struct dfa_walk *w, const void *member, const struct pb_automaton *a)
{
	*w = (struct dfa_walk){ .member = member, .a = a, .state = a->start };
}

static uint32_t next_state(const struct pb_state *s, const uint32_t *moves, uint8_t class)
{
	uint32_t k;

	for (k = s[0].moves; k < s[1].moves; k++)
		if (PB_MOVE_CLASS(moves[k]) == class)
			return PB_MOVE_STATE(moves[k]);
	return s->other;
}

void dfa_feed(struct dfa_walk *w, const char *p, size_t n)
{
	const struct pb_automaton *a = w->a;
	const uint8_t *cls = table(w->member, a->cls);
	const struct pb_state *states = table(w->member, a->states);
	const uint32_t *moves = table(w->member, a->moves);
	uint32_t s = w->state;
	size_t i;

	/* the dead state is never left */
	for (i = 0; i < n && s; i++)
		s = next_state(states + s, moves, cls[(uint8_t)p[i]]);
	w->state = s;
}

uint32_t dfa_set_of(const struct dfa_walk *w)
{
	const struct pb_state *states = table(w->member, w->a->states);

	return states[w->state].set;
}

const uint32_t *dfa_set(const void *member, const struct pb_automaton *a, uint32_t set,
			uint32_t *ret_n)
{
	const uint32_t *at = table(member, a->set_at);
	const uint32_t *tags = table(member, a->tags);

	*ret_n = at[set + 1] - at[set];
	return tags + at[set];
}

const uint32_t *dfa_tags(const struct dfa_walk *w, uint32_t *ret_n)
{
	return dfa_set(w->member, w->a, dfa_set_of(w), ret_n);
}
