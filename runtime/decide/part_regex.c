/*
 * Regular expressions that are not automata (back-references, look-around), against the
 * literal words of one command, or those before the first that is not literal. PCRE2 compiles and searches within the decision's block:
 * nothing is allocated, and nothing is kept for the next decision. The cost is taken from
 * the line's steps.
 */
#include "runtime/base/regex.h"
#include "runtime/decide/part_regex.h"

#define STEPS_PER_WORK 4

_Static_assert((int)REGEX_CASELESS == (int)PB_RX_CASELESS, "flags of expressions");
_Static_assert((int)REGEX_EXTENDED == (int)PB_RX_EXTENDED, "flags of expressions");

/* The texts of the command. For allow there is one; otherwise there may be two, with the
 * program as its base name and as written. 0: a limit was exceeded. */
static size_t texts_of(struct call *c, bool broad, struct regex_text text[2])
{
	size_t skip = (size_t)(c->base - c->program), n = broad && skip ? 2 : 1, i;

	for (i = 0; i < n; i++) {
		text[i].p = call_join(c, broad, i ? 0 : skip, &text[i].n);
		if (!text[i].p)
			return 0;
	}
	return n;
}

struct guard_says call_search(struct call *c, const struct pb_regex *re, bool broad)
{
	struct regex_text text[2], of = { pb_strp(c->m, re->text), re->text.len };
	unsigned flags = re->flags | (broad ? 0u : (unsigned)REGEX_END_ONLY);
	size_t size = regex_room(of.n), n;
	struct pool pool = c->l->pool;
	enum regex_says says = REGEX_UNKNOWN;
	uint64_t steps;
	void *room;

	if (!broad && !c->trusted)
		return (struct guard_says){ false, false };
	n = texts_of(c, broad, text);
	room = pool_take(&c->l->pool, size, 1);
	if (n && room && c->l->work) {
		says = c->literal ? regex_search(&of, flags, room, size, text, n, &steps) :
				    regex_search_prefixes(&of, flags, room, size, text, n, &steps);
		(void)part_spend(c->l, steps / STEPS_PER_WORK);
	} else {
		c->l->work = 0;
	}
	c->l->pool = pool;
	return (struct guard_says){ says != REGEX_NO, says == REGEX_YES };
}
