/* Finds the states from which a denial can be reached. */
#include "runtime/decide/link_useful.h"

#include <string.h>

#include "runtime/decide/combine.h"
#include "runtime/decide/path.h"

/* The rules that matter. */
struct rules {
	struct bits in;
	uint64_t room[BITS_WORDS(PB_MAX_RULES)];
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

	find_lifting(h, &ret->in);
	for (uint32_t i = 0; i < h->rules.count && i < PB_MAX_RULES; i++) {
		const struct pb_rule *r = bundle_rule(c->b, i);

		soft |= r->kind == PB_FILE && (r->flags & PB_F_SOFT);
		scratch |= (r->flags & PB_F_SCRATCH) && bits_has(&ret->in, i);
	}
	for (uint32_t i = 0; i < h->rules.count && i < PB_MAX_RULES; i++) {
		const struct pb_rule *r = bundle_rule(c->b, i);

		if (((r->ops & PB_WRITE) &&
		     (r->effect != PB_ALLOW || soft || (r->flags & PB_F_FINAL))) ||
		    ((r->flags & PB_F_HOST) && scratch))
			bits_add(&ret->in, i);
	}
}

static bool any_matters(const struct rules *rules, const struct dfa_walk *w)
{
	uint32_t n;
	const uint32_t *tags = dfa_tags(w, &n);

	for (uint32_t i = 0; i < n; i++)
		if (tags[i] < PB_MAX_RULES && bits_has(&rules->in, tags[i]))
			return true;
	return false;
}

bool link_useful_has(const struct link_useful *u, uint32_t first, uint32_t state)
{
	return state && (u->all || (u->bits[(first + state) / 8] >> (first + state) % 8 & 1));
}

static void add(struct link_useful *u, uint32_t first, uint32_t state)
{
	u->bits[(first + state) / 8] |= (uint8_t)(1u << (first + state) % 8);
}

/* Adds the states that lead to one that is there.  false: there was none to add. */
static bool spread(struct link_useful *u, const void *member, const struct pb_automaton *a,
		   uint32_t first)
{
	const struct pb_state *states = (const void *)((const char *)member + a->states);
	const uint32_t *moves = (const void *)((const char *)member + a->moves);
	bool more = false;

	/* what a state leads to mostly has a greater number */
	for (uint32_t s = a->nstates; s-- > 1;) {
		bool has = link_useful_has(u, first, states[s].other);

		if (link_useful_has(u, first, s))
			continue;
		for (uint32_t k = states[s].moves; k < states[s + 1].moves && !has; k++)
			has = link_useful_has(u, first, PB_MOVE_STATE(moves[k]));
		if (has)
			add(u, first, s);
		more |= has;
	}
	return more;
}

static void find_in(struct link_useful *u, const struct rules *rules, const void *member,
		    const struct pb_automaton *a, uint32_t first)
{
	for (uint32_t s = 1; s < a->nstates; s++) {
		const struct dfa_walk w = { member, a, s };

		if (any_matters(rules, &w))
			add(u, first, s);
	}
	while (spread(u, member, a, first))
		;
}

void link_useful_find(struct link_useful *u, const struct decide_ctx *c)
{
	const struct pb_matcher *m = c->b->matcher;
	struct rules rules;
	uint32_t first = 0;

	if (u->known)
		return;
	u->known = true;
	u->all = false;
	memset(u->bits, 0, sizeof(u->bits));
	bits_make(&rules.in, rules.room, PB_MAX_RULES);
	find_rules(c, &rules);
	for (uint32_t i = 0; i < m->automata.count && !u->all; i++) {
		const struct pb_automaton *a = dfa_at(m, i);

		if (a->kind != PB_FILE)
			continue;
		u->all = a->nstates > LINK_USEFUL_STATES - first;
		if (!u->all)
			find_in(u, &rules, m, a, first);
		first += a->nstates;
	}
}
