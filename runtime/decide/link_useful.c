/* Finds the states from which a denial can be reached. */
#include "runtime/decide/link_useful.h"

#include <string.h>

#include "runtime/decide/combine.h"
#include "runtime/decide/path.h"

/* Rules on which a denial can depend; those of them that take one back. */
struct rules {
	struct bits denies, lifts;
	uint64_t room[2][BITS_WORDS(PB_MAX_RULES)];
};

static void find_lifting(const struct pb_rules *h, struct bits *ret)
{
	for (uint32_t i = 0; i < h->lifted.count; i++) {
		uint32_t rule = *(const uint32_t *)pb_at(h, h->lifted, sizeof(uint32_t), i);

		if (rule < PB_MAX_RULES)
			bits_add(ret, rule);
	}
}

/*
 * An allow of writing matters if it is final, or lifts a default; all of them do where an ask only
 * turns an allow into an ask.  If a scratch rule lifts a default, so do the trees of the host that
 * the scratch rule does not reach.
 */
static void find_rules(const struct decide_ctx *c, struct rules *ret)
{
	const struct pb_rules *h = c->b->rules;
	bool soft = false, scratch = false;

	find_lifting(h, &ret->lifts);
	for (uint32_t i = 0; i < h->rules.count && i < PB_MAX_RULES; i++) {
		const struct pb_rule *r = bundle_rule(c->b, i);

		soft |= r->kind == PB_FILE && (r->flags & PB_F_SOFT);
		scratch |= (r->flags & PB_F_SCRATCH) && bits_has(&ret->lifts, i);
	}
	for (uint32_t i = 0; i < h->rules.count && i < PB_MAX_RULES; i++) {
		const struct pb_rule *r = bundle_rule(c->b, i);
		bool writes = r->ops & PB_WRITE;

		if (writes && r->effect == PB_ALLOW && (r->flags & PB_F_FINAL))
			bits_add(&ret->lifts, i);
		if (bits_has(&ret->lifts, i) || (writes && (r->effect != PB_ALLOW || soft)) ||
		    ((r->flags & PB_F_HOST) && scratch))
			bits_add(&ret->denies, i);
	}
}

static bool any_of(const struct bits *rules, const struct dfa_walk *w)
{
	uint32_t n;
	const uint32_t *tags = dfa_tags(w, &n);

	for (uint32_t i = 0; i < n; i++)
		if (tags[i] < PB_MAX_RULES && bits_has(rules, tags[i]))
			return true;
	return false;
}

static bool has(const struct link_states *s, uint32_t at)
{
	return s->bits[at / 8] >> at % 8 & 1;
}

static void add(struct link_states *s, uint32_t at)
{
	s->bits[at / 8] |= (uint8_t)(1u << at % 8);
}

bool link_useful_has(const struct link_useful *u, const struct link_states *states, uint32_t first,
		     uint32_t state)
{
	return state && (u->all || has(states, first + state));
}

/* Adds the states that lead to one that is there.  false: there was none to add. */
static bool spread(struct link_states *ret, const void *member, const struct pb_automaton *a,
		   uint32_t first)
{
	const struct pb_state *states = (const void *)((const char *)member + a->states);
	const uint32_t *moves = (const void *)((const char *)member + a->moves);
	bool more = false;

	/* what a state leads to mostly has a greater number */
	for (uint32_t s = a->nstates; s-- > 1;) {
		bool leads = states[s].other && has(ret, first + states[s].other);

		if (has(ret, first + s))
			continue;
		for (uint32_t k = states[s].moves; k < states[s + 1].moves && !leads; k++) {
			uint32_t to = PB_MOVE_STATE(moves[k]);

			leads = to && has(ret, first + to);
		}
		if (leads)
			add(ret, first + s);
		more |= leads;
	}
	return more;
}

static void find_in(struct link_states *ret, const struct bits *rules, const void *member,
		    const struct pb_automaton *a, uint32_t first)
{
	for (uint32_t s = 1; s < a->nstates; s++) {
		const struct dfa_walk w = { member, a, s };

		if (any_of(rules, &w))
			add(ret, first + s);
	}
	while (spread(ret, member, a, first))
		;
}

void link_useful_find(struct link_useful *u, const struct decide_ctx *c)
{
	const struct pb_matcher *m = c->b->matcher;
	struct rules rules;
	uint32_t first = 0;

	if (u->known)
		return;
	*u = (struct link_useful){ .known = true };
	bits_make(&rules.denies, rules.room[0], PB_MAX_RULES);
	bits_make(&rules.lifts, rules.room[1], PB_MAX_RULES);
	find_rules(c, &rules);
	for (uint32_t i = 0; i < m->automata.count && !u->all; i++) {
		const struct pb_automaton *a = dfa_at(m, i);

		if (a->kind != PB_FILE)
			continue;
		u->all = a->nstates > LINK_USEFUL_STATES - first;
		if (!u->all) {
			find_in(&u->denies, &rules.denies, m, a, first);
			/* an exception takes a denial back */
			find_in(&u->lifts, a->except ? &rules.denies : &rules.lifts, m, a, first);
		}
		first += a->nstates;
	}
}
