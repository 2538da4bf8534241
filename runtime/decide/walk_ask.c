/*
 * Asks one automaton about word lists: walks over the literal words; from the first word
 * that is not literal on, walk_sets.c and walk_must.c continue.
 */
#include <string.h>

#include "runtime/decide/walk_ask.h"
#include "runtime/decide/walk_must.h"
#include "runtime/decide/walk_sets.h"

#define ASK_COST 8 /* steps for an automaton that leads nowhere */

/* The result is unknown: every clause may match, and those that deny or ask must. */
static void give_up(const struct walk *w, const struct walk_at *at)
{
	const uint32_t *tags = (const void *)((const uint8_t *)w->m + at->a->tags);

	walk_add(w->may, tags, at->a->ntags);
	if (w->broad)
		walk_add(w->must, tags, at->a->ntags);
}

/* One possible value of a word. Its unknown bytes become a byte that no pattern
 * spells. */
static bool sample_word(struct pool *pool, const struct walk_word *from,
			struct walk_word *ret)
{
	struct sh_seg *one = pool_take(pool, 1, sizeof(*one));
	const struct sh_seg *s;
	size_t n = 0;
	char *p;

	for (s = from->seg; s; s = s->next)
		n += s->kind == SH_LIT ? s->n : 1;
	p = pool_take(pool, n + 1, 1);
	if (!one || !p)
		return false;
	*one = (struct sh_seg){ .kind = SH_LIT, .p = p, .n = (uint32_t)n };
	for (s = from->seg; s; s = s->next) {
		if (s->kind == SH_LIT)
			memcpy(p, s->p, s->n);
		else
			*p = '\1';
		p += s->kind == SH_LIT ? s->n : 1;
	}
	*ret = (struct walk_word){ .seg = one, .literal = true, .skip = from->skip };
	return true;
}

/*
 * Finds what one of the possible word lists matches; nothing else is sure. So most
 * patterns need no sets of sets. false: no room.
 */
static bool sample(const struct walk_at *at, struct walk *w, struct bits *some)
{
	struct walk_word *words = pool_take(&w->pool, w->n, sizeof(*words));
	struct walk one = *w;
	uint32_t i;

	if (!words || !pool_bits(&w->pool, w->m->clauses.count, some))
		return false;
	for (i = 0; i < w->n; i++)
		if (w->words[i].literal)
			words[i] = w->words[i];
		else if (!sample_word(&w->pool, &w->words[i], &words[i]))
			return false;
	one.words = words;
	one.appends = false;
	one.may_only = true;
	one.may = some;
	one.pool = w->pool;
	walk_ask(&one, at->a);
	return true;
}

/* Is "must" needed for one of these clauses? */
static bool has_sure(const struct walk *w, const struct bits *some)
{
	const struct pb_clause *v = pb_at(w->m, w->m->clauses, sizeof(*v), 0);
	uint32_t i;

	BITS_EACH(some, i)
		if (v[i].sure)
			return true;
	return false;
}

/* Past the budget for sets of sets, what the one list matches counts as sure. */
static void must_of(const struct walk_at *at, struct walk *w, const uint32_t *set,
		    uint32_t n, uint32_t from)
{
	struct bits some;
	bool known = sample(at, w, &some);
	uint32_t i;

	if (known && !has_sure(w, &some))
		return;
	if (walk_must(at, w->pool, set, n, from))
		return;
	if (!known) {
		give_up(w, at);
		return;
	}
	BITS_EACH(&some, i)
		if (bits_has(w->may, i))
			bits_add(w->must, i);
}

static void not_literal(struct walk_at *at, const uint32_t *set, uint32_t n, uint32_t from)
{
	const struct walk *asked = at->w;
	struct walk w = *asked;

	at->nul_apart = !memchr(at->cls + 1, at->cls[0], 255);
	if (!walk_sets(at, &w, set, n, from)) {
		give_up(asked, at);
		return;
	}
	w.pool = asked->pool;
	if (w.broad && !w.may_only)
		must_of(at, &w, set, n, from);
}

static bool takes_all(const struct walk_at *at, uint32_t state)
{
	return walk_comes_back(at, state) && !memchr(at->cls + 1, at->cls[0], 255);
}

/* Takes the states to which all the words lead: their clauses may match, and must. */
static void take_ends(const struct walk_at *at, const uint32_t *set, uint32_t n)
{
	const struct walk *w = at->w;
	uint32_t i;

	for (i = 0; i < n; i++) {
		walk_add_tags(at, set[i], w->may);
		if (!w->may_only)
			walk_add_tags(at, set[i], w->must);
	}
}

void walk_ask(const struct walk *w, const struct pb_automaton *a)
{
	const uint8_t *m = (const uint8_t *)w->m;
	struct walk_at at = { .w = w, .a = a };
	bool known = !w->holes && w->column != WALK_ANY, all = false;
	uint64_t cost = ASK_COST + w->lead_n;
	uint32_t set[WALK_SMALL], n = 1, i = 0;

	at.cls = m + at.a->cls;
	at.states = (const void *)(m + at.a->states);
	at.moves = (const void *)(m + at.a->moves);
	set[0] = w->column == WALK_NAME ? at.a->nstates :
		 walk_run(&at, at.a->start, w->lead, w->lead_n);
	if (!set[0]) {
		(void)walk_spend(w, cost);
		return;
	}
	for (; known && i < w->n && n && w->words[i].literal; i++) {
		all = n == 1 && takes_all(&at, set[0]);
		cost += (uint64_t)n * (w->words[i].seg->n + 2);
		if (all || !walk_literal(&at, &w->words[i], set, &n))
			break;
	}
	if (!walk_spend(w, cost) || !n)
		return;
	all |= known && n == 1 && takes_all(&at, set[0]);
	if (!all && (i < w->n || w->appends || !known))
		not_literal(&at, set, n, i);
	else
		take_ends(&at, set, n);
}

void walk_ask_at(const struct walk *w, const struct pb_automaton *a,
		 const struct walk_ends *ends)
{
	struct walk_at at = { .w = w, .a = a };
	uint32_t i;

	at.states = (const void *)((const uint8_t *)w->m + a->states);
	if (!walk_spend(w, ASK_COST / 2))
		return;
	for (i = 0; i < ends->n; i++)
		if (ends->state[i] < a->nstates)
			walk_add_tags(&at, ends->state[i], w->may);
}

void walk_ask_text(const struct walk *asked, const struct pb_automaton *a)
{
	const uint8_t *m = (const uint8_t *)asked->m;
	struct walk w = *asked;
	struct walk_at at = { .w = &w, .a = a };

	at.cls = m + a->cls;
	at.states = (const void *)(m + a->states);
	at.moves = (const void *)(m + a->moves);
	at.nul_apart = !memchr(at.cls + 1, at.cls[0], 255);
	/* past a budget it may match, and the line is denied */
	if (!walk_text(&at, &w))
		walk_add(asked->may, (const void *)(m + a->tags), a->ntags);
}
