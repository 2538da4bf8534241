/* Walks one automaton of matcher.bin; the reader has checked its tables. */
#include "runtime/decide/internal.h"

static const void *table(const struct pb_matcher *m, uint32_t off)
{
	return (const uint8_t *)m + off;
}

const struct pb_automaton *dfa_at(const struct pb_matcher *m, uint32_t i)
{
	return pb_at(m, m->automata, sizeof(struct pb_automaton), i);
}

void dfa_start(struct dfa_walk *w, const struct pb_matcher *m,
	       const struct pb_automaton *a)
{
	*w = (struct dfa_walk){ .m = m, .a = a, .state = a->start };
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
	const uint8_t *cls = table(w->m, a->cls);
	const struct pb_state *states = table(w->m, a->states);
	const uint32_t *moves = table(w->m, a->moves);
	uint32_t s = w->state;
	size_t i;

	/* nothing leaves the dead state */
	for (i = 0; i < n && s; i++)
		s = next_state(states + s, moves, cls[(uint8_t)p[i]]);
	w->state = s;
}

const uint32_t *dfa_tags(const struct dfa_walk *w, uint32_t *ret_n)
{
	const struct pb_state *states = table(w->m, w->a->states);
	const uint32_t *at = table(w->m, w->a->set_at);
	const uint32_t *tags = table(w->m, w->a->tags);
	uint32_t set = states[w->state].set;

	*ret_n = at[set + 1] - at[set];
	return tags + at[set];
}
