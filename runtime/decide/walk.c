/*
 * Walks an automaton over word lists. Literal words are walked state by state; from the
 * first word that is not literal on, walk_sets.c and walk_must.c continue.
 */
#include <string.h>

#include "runtime/decide/walk.h"

#define SMALL 48 /* current states while words are literal */
#define ASK_COST 8 /* steps for an automaton that leads nowhere */

static const struct sh_seg any_words = { .kind = SH_MULTI };
const struct walk_word walk_unknown = { .seg = &any_words, .skip = true, .vanish = true };

void *pool_take(struct pool *p, size_t count, size_t size)
{
	size_t n;
	void *r = p->p;

	if (__builtin_mul_overflow(count, size, &n) || n > p->left)
		return NULL;
	n = (n + 7) & ~(size_t)7;
	if (n > p->left)
		return NULL;
	p->p += n;
	p->left -= n;
	return r;
}

bool pool_bits(struct pool *p, uint32_t count, struct bits *ret)
{
	uint64_t *mem = pool_take(p, BITS_WORDS(count), sizeof(*mem));

	if (mem)
		bits_make(ret, mem, count);
	return mem != NULL;
}

static inline uint32_t step_class(const struct walk_at *at, uint32_t state, uint8_t class)
{
	const struct pb_state *s = at->states + state;
	uint32_t k;

	for (k = s[0].moves; k < s[1].moves; k++)
		if (PB_MOVE_CLASS(at->moves[k]) == class)
			return PB_MOVE_STATE(at->moves[k]);
	return s->other;
}

/* A base name follows the last '/', so it may begin after any '/'. */
static uint32_t step_name(const struct walk_at *at, uint32_t state, uint8_t byte)
{
	const struct walk *w = at->w;
	uint32_t first = at->a->nstates, k = state - first;

	if (w->column == WALK_ANY)
		return byte ? state : at->a->start;
	if (byte == '/')
		return first;
	if (k == w->name_n && !byte)
		return at->a->start;
	if (!byte)
		return 0;
	if (k < w->name_n && (uint8_t)w->name[k] == byte)
		return state + 1;
	if (k == w->name_n && w->goes_on)
		return state;
	return first + w->name_n + 1;
}

uint32_t walk_step(const struct walk_at *at, uint32_t state, uint8_t byte)
{
	if (state >= at->a->nstates)
		return step_name(at, state, byte);
	return step_class(at, state, at->cls[byte]);
}

uint32_t walk_run(const struct walk_at *at, uint32_t state, const char *p, size_t n)
{
	size_t i = 0;

	for (; i < n && state >= at->a->nstates; i++)
		state = step_name(at, state, (uint8_t)p[i]);
	for (; i < n && state; i++)
		state = step_class(at, state, at->cls[(uint8_t)p[i]]);
	return state;
}

uint32_t walk_end(const struct walk_at *at, uint32_t state)
{
	return state ? walk_step(at, state, 0) : 0;
}

const uint32_t *walk_tags(const struct walk_at *at, uint32_t state, uint32_t *ret_n)
{
	const uint8_t *m = (const uint8_t *)at->w->m;
	const uint32_t *set_at = (const void *)(m + at->a->set_at);
	const uint32_t *tags = (const void *)(m + at->a->tags);
	uint32_t set;

	if (state >= at->a->nstates) {
		*ret_n = 0;
		return tags;
	}
	set = at->states[state].set;
	*ret_n = set_at[set + 1] - set_at[set];
	return tags + set_at[set];
}

void walk_add(struct bits *to, const uint32_t *tags, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		bits_add(to, tags[i]);
}

void walk_add_tags(const struct walk_at *at, uint32_t state, struct bits *to)
{
	uint32_t n;
	const uint32_t *tags = walk_tags(at, state, &n);

	walk_add(to, tags, n);
}

/* The result is unknown: every clause may match, and those that deny or ask must. */
static void give_up(const struct walk *w, const struct walk_at *at)
{
	const uint32_t *tags = (const void *)((const uint8_t *)w->m + at->a->tags);

	walk_add(w->may, tags, at->a->ntags);
	if (w->broad)
		walk_add(w->must, tags, at->a->ntags);
}

bool walk_spend(const struct walk *w, uint64_t n)
{
	if (*w->work < n) {
		*w->work = 0;
		return false;
	}
	*w->work -= n;
	return true;
}

/* --- literal words --------------------------------------------------------------- */

static bool add_state(uint32_t *set, uint32_t *n, uint32_t state)
{
	uint32_t i;

	if (!state)
		return true;
	for (i = 0; i < *n; i++)
		if (set[i] == state)
			return true;
	if (*n == SMALL)
		return false;
	set[(*n)++] = state;
	return true;
}

/* Walks over one literal word. false: there are more states than fit, and nothing has
 * changed. */
static bool over_literal(const struct walk *w, const struct walk_at *at,
			 const struct walk_word *word, uint32_t *set, uint32_t *n)
{
	uint32_t next[SMALL], count = 0, i;

	if (*n == 1 && !(w->broad && word->skip)) {
		set[0] = walk_end(at, walk_run(at, set[0], word->seg->p, word->seg->n));
		*n = set[0] != 0;
		return true;
	}
	if (w->broad && word->skip) {
		memcpy(next, set, *n * sizeof(*set));
		count = *n;
	}
	for (i = 0; i < *n; i++)
		if (!add_state(next, &count,
			       walk_end(at, walk_run(at, set[i], word->seg->p,
						    word->seg->n))))
			return false;
	memcpy(set, next, count * sizeof(*set));
	*n = count;
	return true;
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

bool walk_comes_back(const struct walk_at *at, uint32_t state)
{
	uint32_t home = PB_MOVE(at->cls[0], state);
	const struct pb_state *s, *in;

	if (state >= at->a->nstates)
		return false;
	s = at->states + state;
	in = at->states + s->other;
	return s[1].moves - s[0].moves == 1 && in[1].moves - in[0].moves == 1 &&
	       in->other == s->other && at->moves[s->moves] == home &&
	       at->moves[in->moves] == home;
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
	uint32_t set[SMALL], n = 1, i = 0;

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
		if (all || !over_literal(w, &at, &w->words[i], set, &n))
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
