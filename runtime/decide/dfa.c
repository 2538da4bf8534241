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

void dfa_feed(struct dfa_walk *w, const char *p, size_t n)
{
	const struct pb_automaton *a = w->a;
	const uint8_t *cls = table(w->m, a->cls);
	const uint32_t *wide = table(w->m, a->next);
	const uint16_t *narrow = table(w->m, a->next);
	size_t s = w->state, i;

	/* nothing leaves the dead state */
	for (i = 0; i < n && s; i++) {
		size_t at = s * a->nclasses + cls[(uint8_t)p[i]];

		s = a->wide ? wide[at] : narrow[at];
	}
	w->state = (uint32_t)s;
}

const uint32_t *dfa_tags(const struct dfa_walk *w, uint32_t *ret_n)
{
	const uint32_t *at = table(w->m, w->a->tag_at);
	const uint32_t *tags = table(w->m, w->a->tags);

	*ret_n = at[w->state + 1] - at[w->state];
	return tags + at[w->state];
}
