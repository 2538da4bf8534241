/*
 * What a symbolic link would make of the names below it: finds a name that is denied
 * below the link and not below its target, by walking the automata over both at once. A
 * pair of names that leaves all automata in the same states as another one is looked at
 * once.
 */
#include <string.h>

#include "runtime/base/place.h"
#include "runtime/decide/combine.h"
#include "runtime/decide/link_useful.h"
#include "runtime/decide/path.h"

#define MAX_AUTOMATA 32
#define SLOTS (2 * DECIDE_LINK_PAIRS) /* a power of two */

/* In a state's place: this many bytes of what leads from `to` down to the automaton's
 * root have been read. */
#define AHEAD 0x80000000u

struct room {
	struct link_useful useful;
	uint32_t slot[SLOTS];
	uint32_t pair[];
};

/* One pair of names: whether they end in '/', the states of `from`, those of `to`. */
struct pairs {
	const struct decide_ctx *c;
	const struct link_useful *useful;
	const struct pb_automaton *a[MAX_AUTOMATA];
	uint32_t first[MAX_AUTOMATA]; /* for link_useful_has() */
	const char *ahead[MAX_AUTOMATA];
	uint32_t n;
	bool to; /* there are states of `to` */
	bool otherwise,
		shut;   /* shut: what no automaton mentions below `to` is denied */
	uint32_t width; /* of a pair, in elements */
	uint32_t *pair, *slot;
	uint32_t count, most;
	uint8_t bytes[256]; /* one of each kind that the automata tell apart */
	uint32_t nbytes;
};

static const char *text_of(const char *path)
{
	return path[1] ? path : path + 1;
}

static void start(struct pairs *p, uint32_t i, const char *path, uint32_t *ret)
{
	const char *root = p->c->roots.dir[p->a[i]->root];
	const char *rest = path_rest(root, path);
	size_t n = strlen(text_of(path));
	struct dfa_walk w;

	*ret = 0;
	if (rest) {
		dfa_start(&w, p->c->b->matcher, p->a[i]);
		dfa_feed(&w, rest, strlen(rest));
		*ret = w.state;
	} else if (root && strncmp(root, path, n) == 0 && root[n] == '/') {
		p->ahead[i] = root + n;
		*ret = AHEAD;
	}
}

static uint32_t step(const struct pairs *p, uint32_t i, uint32_t state, char byte)
{
	struct dfa_walk w;
	uint32_t at = state & ~AHEAD;

	if (state & AHEAD) {
		if (p->ahead[i][at] != byte)
			return 0;
		return p->ahead[i][at + 1] ? state + 1 : p->a[i]->start;
	}
	w = (struct dfa_walk){ p->c->b->matcher, p->a[i], state };
	dfa_feed(&w, &byte, 1);
	return w.state;
}

/* --- what the rules say
 * ---------------------------------------------------------------- */

/* Do they deny?  *ret_rule: which one. */
static bool denies(const struct pairs *p, const uint32_t *state, bool otherwise,
		   uint32_t *ret_rule)
{
	struct dfa_walk ends[MAX_AUTOMATA];
	struct decision d;
	const struct pb_rule *r;
	size_t n = 0;

	for (uint32_t i = 0; i < p->n; i++)
		if (!(state[i] & AHEAD))
			ends[n++] = (struct dfa_walk){ p->c->b->matcher, p->a[i],
						       state[i] };
	d = (struct decision){ .effect = PB_DENY };
	path_decide(p->c, PB_WRITE, ends, n, &d);
	r = bundle_rule(p->c->b, d.rule);
	*ret_rule = d.rule;
	return d.effect != PB_ALLOW && (otherwise || !r || r->kind == PB_FILE);
}

static bool opens(const struct pairs *p, const uint32_t *pair, uint32_t *ret_rule)
{
	uint32_t other;

	/* a name does not end in '/' */
	return !pair[0] && denies(p, pair + 1, false, ret_rule) &&
	       !(p->to && denies(p, pair + 1 + p->n, p->otherwise, &other));
}

/* --- the pairs
 * --------------------------------------------------------------------------- */

static bool is_none(const uint32_t *state, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (state[i])
			return false;
	return true;
}

static bool can(const struct pairs *p, const struct link_states *states, uint32_t i, uint32_t state)
{
	return link_useful_has(p->useful, states, p->first[i],
			       state & AHEAD ? p->a[i]->start : state);
}

/* The state, or the dead one where it cannot matter to a denial by a rule. */
static uint32_t useful(const struct pairs *p, uint32_t i, uint32_t state)
{
	return can(p, &p->useful->denies, i, state) ? state : 0;
}

/* What is denied below `from` is denied by the same states below `to`, and by no other one
 * allowed again. */
static bool are_alike(const struct pairs *p, const uint32_t *from, const uint32_t *to)
{
	for (uint32_t i = 0; i < p->n; i++)
		if (from[i] != useful(p, i, to[i]) &&
		    (from[i] || can(p, &p->useful->lifts, i, to[i])))
			return false;
	return true;
}

/* Whatever follows: nothing is denied below `from`, or it is below `to`, too. */
static bool is_settled(const struct pairs *p, const uint32_t *pair)
{
	const uint32_t *from = pair + 1, *to = from + p->n;

	return is_none(from, p->n) ||
	       (p->to && (are_alike(p, from, to) || (p->shut && is_none(to, p->n))));
}

static uint32_t hash(const uint32_t *pair, uint32_t n)
{
	uint32_t h = 2166136261u;

	for (uint32_t i = 0; i < n; i++)
		h = (h ^ pair[i]) * 16777619u;
	return h ^ h >> 15;
}

/* Keeps the pair that stands behind the last one, if it is new.  false: no room. */
static bool keep(struct pairs *p)
{
	const uint32_t *pair = p->pair + (size_t)p->count * p->width;
	uint32_t at = hash(pair, p->width) % SLOTS;

	if (is_settled(p, pair))
		return true;
	for (; p->slot[at]; at = (at + 1) % SLOTS)
		if (memcmp(pair, p->pair + (size_t)(p->slot[at] - 1) * p->width,
			   p->width * sizeof(*pair)) == 0)
			return true;
	if (p->count + 1 >= p->most)
		return false;
	p->slot[at] = ++p->count;
	return true;
}

static bool goes_on(struct pairs *p, uint32_t from, char byte)
{
	const uint32_t *old = p->pair + (size_t)from * p->width;
	uint32_t *new = p->pair + (size_t)p->count * p->width;

	new[0] = byte == '/';
	for (uint32_t i = 1; i < p->width; i++) {
		uint32_t a = (i - 1) % p->n;

		new[i] = old[i] ? step(p, a, old[i], byte) : 0;
		if (i <= p->n || !p->otherwise)
			new[i] = useful(p, a, new[i]);
	}
	return keep(p);
}

/* Is it like a byte that is there already? */
static bool is_like(const struct pairs *p, uint8_t x, uint8_t y)
{
	for (uint32_t i = 0; i < p->n; i++) {
		const uint8_t *cls = (const uint8_t *)p->c->b->matcher + p->a[i]->cls;

		if (cls[x] != cls[y] ||
		    (p->ahead[i] && (strchr(p->ahead[i], x) || strchr(p->ahead[i], y))))
			return false;
	}
	return true;
}

static void choose_bytes(struct pairs *p)
{
	p->bytes[0] = '/';
	p->nbytes = 1;
	for (unsigned b = 1; b < 256; b++) {
		uint32_t k = 1;

		while (k < p->nbytes && !is_like(p, (uint8_t)b, p->bytes[k]))
			k++;
		if (b != '/' && k == p->nbytes)
			p->bytes[p->nbytes++] = (uint8_t)b;
	}
}

/* false: there are too many automata. */
static bool choose_automata(struct pairs *p)
{
	const struct pb_matcher *m = p->c->b->matcher;
	uint32_t first = 0;

	p->n = 0;
	for (uint32_t i = 0; i < m->automata.count; i++) {
		const struct pb_automaton *a = dfa_at(m, i);

		if (a->kind != PB_FILE)
			continue;
		if (!a->abstract && a->root < PB_ROOT_COUNT) {
			if (p->n == MAX_AUTOMATA)
				return false;
			p->ahead[p->n] = NULL;
			p->first[p->n] = first;
			p->a[p->n++] = a;
		}
		first += a->nstates;
	}
	return true;
}

/* false: a root lies below the link, or there are too many automata. */
static bool begin(struct pairs *p, const char *from, const char *to, struct room *room)
{
	size_t most;

	if (!choose_automata(p))
		return false;
	link_useful_find(&room->useful, p->c);
	p->useful = &room->useful;
	p->to = to != NULL;
	p->width = 1 + p->n * (to ? 2 : 1);
	p->slot = room->slot;
	p->pair = room->pair;
	p->count = 0;
	most = (DECIDE_LINK_ROOM - sizeof(*room)) / sizeof(*room->pair) / p->width;
	p->most = most < DECIDE_LINK_PAIRS ? (uint32_t)most : DECIDE_LINK_PAIRS;
	memset(p->slot, 0, sizeof(room->slot));
	p->pair[0] = 0;
	for (uint32_t i = 0; i < p->n; i++) {
		start(p, i, from, &p->pair[1 + i]);
		if (p->pair[1 + i] & AHEAD)
			return false;
		p->pair[1 + i] = useful(p, i, p->pair[1 + i]);
		if (to)
			start(p, i, to, &p->pair[1 + p->n + i]);
	}
	choose_bytes(p);
	return true;
}

/* Does any name below open what is denied? */
static bool search(struct pairs *p, uint32_t *ret_rule)
{
	if (is_settled(p, p->pair))
		return false;
	/* the link itself is not one of the names: it does not count as looked at */
	p->count = 1;
	if (!goes_on(p, 0, '/'))
		return true;
	for (uint32_t at = 1; at < p->count; at++) {
		const uint32_t *pair = p->pair + (size_t)at * p->width;

		if (opens(p, pair, ret_rule))
			return true;
		/* a name is not empty */
		for (uint32_t k = pair[0]; k < p->nbytes; k++)
			if (!goes_on(p, at, (char)p->bytes[k])) {
				*ret_rule = UINT32_MAX;
				return true;
			}
	}
	return false;
}

static bool has_place_below(const struct decide_ctx *c, const char *path)
{
	const struct pb_mounts *h = c->b->mounts;

	for (uint32_t i = 0; h && i < h->mounts.count; i++) {
		const struct pb_mount *m = pb_at(h, h->mounts, sizeof(*m), i);

		if (place_is_below(pb_strp(h, m->place), path))
			return true;
	}
	return false;
}

bool decide_link_opens(const struct decide_ctx *c, const char *from, const char *to,
		       bool otherwise, void *room, uint32_t *ret_rule)
{
	char own[PATH_MAX_OWN], own_to[PATH_MAX_OWN];
	struct pairs p = { .c = c };
	struct decision d = { .effect = PB_DENY };

	*ret_rule = UINT32_MAX;
	if (!place_is_plain(from) || has_place_below(c, from))
		return true;
	from = path_own_name(c, from, own, sizeof(own));
	if (!from)
		return true;
	if (to && (has_place_below(c, to) || (to[1] && !place_is_plain(to))))
		to = NULL;
	to = to ? path_own_name(c, to, own_to, sizeof(own_to)) : NULL;
	decide_otherwise(c, PB_S_FILE_WRITE, &d);
	/* mostly nothing is denied there, whatever is below `to`; or the same rules deny it */
	p.otherwise = p.shut = false;
	if (!begin(&p, from, NULL, room))
		return true;
	if (!search(&p, ret_rule))
		return false;
	if (!to || !begin(&p, from, to, room))
		return true;
	if (!search(&p, ret_rule))
		return false;
	if (!otherwise)
		return true;
	p.otherwise = true;
	p.shut = d.effect != PB_ALLOW;
	return !begin(&p, from, to, room) || search(&p, ret_rule);
}
