/* matcher.bin: automata, and rules as their tags. */
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
	if (a->abstract > 1 || (a->abstract && a->kind != PB_UNIX && a->kind != PB_RISK) ||
	    (a->abstract && a->root != 0))
		return check_bad(c,
				 "an automaton over abstract names is no such thing");
	if (a->except > (a->kind == PB_FILE ? 7u : 1u) || a->zero || a->zero2)
		return check_bad(c, "an automaton has an unknown flag");
	return 0;
}

static int check_tags(const struct check *c, const struct pb_automaton *a,
		      const struct pb_rules *rules)
{
	const struct pb_rule *r =
		(const void *)((const uint8_t *)rules + rules->rules.off);
	const uint32_t *tags = at(c, a->tags);

	for (uint32_t i = 0; i < a->ntags; i++)
		if (tags[i] >= rules->rules.count || r[tags[i]].kind != a->kind)
			return check_bad(c, "a tag names no rule of its kind");
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
		CHECK_TRY(check_automaton(&c, v + i));
		CHECK_TRY(check_tags(&c, v + i, rules));
	}
	return 0;
}
