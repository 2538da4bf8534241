/*
 * Checks the tables of one automaton. A walk over checked tables cannot leave them by a
 * class, a transition or a tag. The dead state has no moves and no tags.
 */
#include "runtime/bundle/check.h"

static const void *at(const struct check *c, uint32_t off)
{
	return c->data + off;
}

static int check_shape(const struct check *c, const struct pb_automaton *a)
{
	if (a->nstates == 0 || a->nstates > PB_MAX_STATES || a->nclasses == 0 ||
	    a->nclasses > 256 || a->start >= a->nstates || a->nsets == 0)
		return check_bad(c, "an automaton has impossible dimensions");
	if (!check_range(c, a->cls, 256, 1, 1) ||
	    !check_range(c, a->states, (uint64_t)a->nstates + 1,
			 sizeof(struct pb_state), 4) ||
	    !check_range(c, a->moves, a->nmoves, 4, 4) ||
	    !check_range(c, a->set_at, (uint64_t)a->nsets + 1, 4, 4) ||
	    !check_range(c, a->tags, a->ntags, 4, 4))
		return check_bad(c, "a table of an automaton leaves the member");
	return 0;
}

/* The moves of one state: by ascending class, each to a state that is there. */
static int check_row(const struct check *c, const struct pb_automaton *a,
		     const uint32_t *moves, uint32_t from, uint32_t to)
{
	for (uint32_t k = from; k < to; k++) {
		if (PB_MOVE_CLASS(moves[k]) >= a->nclasses ||
		    PB_MOVE_STATE(moves[k]) >= a->nstates)
			return check_bad(c, "a transition leads nowhere");
		if (k > from && PB_MOVE_CLASS(moves[k - 1]) >= PB_MOVE_CLASS(moves[k]))
			return check_bad(c,
					 "the transitions of a state are not sorted");
	}
	return 0;
}

static int check_states(const struct check *c, const struct pb_automaton *a)
{
	const uint8_t *cls = at(c, a->cls);
	const struct pb_state *s = at(c, a->states), *end = s + a->nstates;
	const uint32_t *moves = at(c, a->moves);
	uint8_t most = 0;

	for (int i = 0; i < 256; i++)
		most = cls[i] > most ? cls[i] : most;
	if (most >= a->nclasses)
		return check_bad(c, "a byte has no class");
	if (s[0].moves || s[1].moves || s[0].other || s[0].set)
		return check_bad(c, "the dead state is left");
	if (end->moves != a->nmoves || end->other || end->set)
		return check_bad(c, "the transitions do not end where they should");
	for (; s < end; s++) {
		if (s[0].moves > s[1].moves || s[1].moves > a->nmoves)
			return check_bad(
				c, "the transitions of a state leave the table");
		if (s->other >= a->nstates)
			return check_bad(c, "a transition leads nowhere");
		if (s->set >= a->nsets)
			return check_bad(c, "a state has no set of tags");
		CHECK_TRY(check_row(c, a, moves, s[0].moves, s[1].moves));
	}
	return 0;
}

static int check_sets(const struct check *c, const struct pb_automaton *a)
{
	const uint32_t *set_at = at(c, a->set_at), *tags = at(c, a->tags);

	if (set_at[0] != 0 || set_at[1] != 0 || set_at[a->nsets] != a->ntags)
		return check_bad(c, "the tags do not begin and end where they should");
	for (uint32_t s = 0; s < a->nsets; s++) {
		if (set_at[s] > set_at[s + 1] || set_at[s + 1] > a->ntags)
			return check_bad(c, "a set of tags leaves the table");
		for (uint32_t i = set_at[s] + 1; i < set_at[s + 1]; i++)
			if (tags[i - 1] >= tags[i])
				return check_bad(c, "the tags of a set are not sorted");
	}
	return 0;
}

int check_automaton(struct check *c, const struct pb_automaton *a)
{
	CHECK_TRY(check_shape(c, a));
	c->tables += 256 + sizeof(struct pb_state) * (uint64_t)a->nstates +
		     4 * ((uint64_t)a->nmoves + a->nsets + a->ntags);
	if (c->tables > CHECK_MAX_TABLES)
		return check_bad(c, "the automata are too large together");
	CHECK_TRY(check_states(c, a));
	return check_sets(c, a);
}
