/*
 * matcher.bin: automata.  A walk over checked tables can leave them neither by
 * a class nor by a transition nor by a tag, and ends in the dead state only
 * without one.
 */
#include "runtime/bundle/check.h"

#define MAX_AUTOMATA 1024u

static const void *at(const struct check *c, uint32_t off)
{
	return c->data + off;
}

static int check_shape(const struct check *c, const struct pb_automaton *a)
{
	bool rooted = a->kind == PB_FILE || a->kind == PB_UNIX;

	if (a->kind != PB_COMMAND && a->kind != PB_TOOL && a->kind != PB_RISK &&
	    !rooted)
		return check_bad(c, "an automaton has an unknown kind");
	if (a->root >= PB_ROOT_COUNT || (a->root != 0 && !rooted))
		return check_bad(c, "an automaton has an unknown root");
	if (a->abstract > 1 || (a->abstract && (a->kind != PB_UNIX || a->root != 0)))
		return check_bad(c,
				 "an automaton over abstract names is no such thing");
	if (a->wide > 1 || a->except > (a->kind == PB_FILE ? 7u : 1u))
		return check_bad(c, "an automaton has an unknown flag");
	if (a->nstates == 0 || a->nstates > INT32_MAX || a->nclasses == 0 ||
	    a->nclasses > 256 || a->start >= a->nstates ||
	    (!a->wide && a->nstates > UINT16_MAX + 1u))
		return check_bad(c, "an automaton has impossible dimensions");
	if (!check_range(c, a->cls, 256, 1, 1) ||
	    !check_range(c, a->next, (uint64_t)a->nstates * a->nclasses,
			 a->wide ? 4 : 2, a->wide ? 4 : 2) ||
	    !check_range(c, a->tag_at, (uint64_t)a->nstates + 1, 4, 4) ||
	    !check_range(c, a->tags, a->ntags, 4, 4))
		return check_bad(c, "a table of an automaton leaves the member");
	return 0;
}

static int check_moves(const struct check *c, const struct pb_automaton *a)
{
	uint64_t n = (uint64_t)a->nstates * a->nclasses;
	const uint8_t *cls = at(c, a->cls);
	const uint16_t *narrow = at(c, a->next);
	const uint32_t *wide = at(c, a->next);

	for (int i = 0; i < 256; i++) {
		if (cls[i] >= a->nclasses)
			return check_bad(c, "a byte has no class");
	}
	for (uint64_t i = 0; i < n; i++) {
		uint32_t to = a->wide ? wide[i] : narrow[i];

		if (to >= a->nstates)
			return check_bad(c, "a transition leads nowhere");
		if (i < a->nclasses && to != 0)
			return check_bad(c, "the dead state is left");
	}
	return 0;
}

static int check_tags(const struct check *c, const struct pb_automaton *a,
		      const struct pb_rules *rules)
{
	const struct pb_rule *r =
		(const void *)((const uint8_t *)rules + rules->rules.off);
	const uint32_t *tag_at = at(c, a->tag_at), *tags = at(c, a->tags);

	if (tag_at[0] != 0 || tag_at[1] != 0 || tag_at[a->nstates] != a->ntags)
		return check_bad(c, "the tags do not begin and end where they should");
	for (uint32_t s = 0; s < a->nstates; s++) {
		if (tag_at[s] > tag_at[s + 1] || tag_at[s + 1] > a->ntags)
			return check_bad(c, "the tags of a state leave the table");
		for (uint32_t i = tag_at[s]; i < tag_at[s + 1]; i++) {
			if (tags[i] >= rules->rules.count || r[tags[i]].kind != a->kind)
				return check_bad(c, "a tag names no rule of its kind");
			if (i > tag_at[s] && tags[i - 1] >= tags[i])
				return check_bad(c,
						 "the tags of a state are not sorted");
		}
	}
	return 0;
}

int bundle_check_matcher(const void *data, size_t size, const struct pb_rules *rules,
			 struct rt_err *err)
{
	struct check c = { data, size, PB_MATCHER, 0, err };
	const struct pb_matcher *h = data;
	const struct pb_automaton *v;

	CHECK_TRY(check_head(&c, PB_MAGIC_MATCHER, sizeof(*h)));
	CHECK_TRY(check_table(&c, h->automata, sizeof(*v), MAX_AUTOMATA, "automata"));
	v = at(&c, h->automata.off);
	for (uint32_t i = 0; i < h->automata.count; i++) {
		CHECK_TRY(check_shape(&c, v + i));
		CHECK_TRY(check_moves(&c, v + i));
		CHECK_TRY(check_tags(&c, v + i, rules));
	}
	return 0;
}
