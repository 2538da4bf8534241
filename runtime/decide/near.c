/*
 * Decides many files one after the other, as path.c decides one.  A walk begins where the
 * last one stood in what both paths share, and an operation is decided as it was if no rule
 * about it matches only one of the two.
 */
#include "runtime/decide/near.h"

#include <string.h>

#include "runtime/base/place.h"
#include "runtime/decide/combine.h"
#include "runtime/decide/path.h"

#define NONE UINT32_MAX /* the path (so far) is not below the automaton's root */
#define ALL_OPS (PB_READ | PB_WRITE | PB_EXEC)

static const uint8_t ops[DECIDE_FILE_OPS] = { PB_READ, PB_WRITE, PB_EXEC };

/* Keeps the marks in what both paths share, and makes those for the rest.  False: the path
 * is too long or too deep. */
static bool make_marks(struct decide_near *near, const char *path, size_t len,
		       uint32_t *ret_kept)
{
	uint32_t n = 0;
	size_t same, i;

	if (len >= sizeof(near->path))
		return false;
	same = place_shared(near->path, path, len < near->len ? len : near->len);
	while (n < near->nmarks && near->mark[n].len <= same &&
	       (path[near->mark[n].len] == '/' || !path[near->mark[n].len]))
		n++;
	*ret_kept = n;
	for (i = n ? near->mark[n - 1].len + 1 : 1; i <= len; i++) {
		if (path[i] && path[i] != '/')
			continue;
		if (n == NEAR_DEPTH)
			return false;
		near->mark[n++].len = (uint32_t)i;
	}
	near->nmarks = n;
	near->len = len;
	memcpy(near->path + same, path + same, len + 1 - same);
	return true;
}

/* Walks automaton `i` over the path, and notes where it stands at the marks. */
static void walk(const struct decide_ctx *c, struct decide_near *near, uint32_t i,
		 uint32_t kept)
{
	const struct pb_automaton *a = dfa_at(c->b->matcher, i);
	struct near_mark *m = near->mark + kept, *end = near->mark + near->nmarks;
	struct dfa_walk w;
	const char *at;

	dfa_start(&w, c->b->matcher, a);
	if (kept && m[-1].state[i] != NONE) {
		w.state = m[-1].state[i];
		at = near->path + m[-1].len;
	} else {
		at = path_rest(c->roots.dir[a->root], near->path);
		for (; m < end && (!at || near->path + m->len < at); m++)
			m->state[i] = NONE;
	}
	for (; m < end; m++) {
		dfa_feed(&w, at, (size_t)(near->path + m->len - at));
		at = near->path + m->len;
		m->state[i] = w.state;
	}
}

/* The operations that rules in only one of two sets of an automaton are about. */
static uint8_t ops_apart(const struct decide_ctx *c, const struct pb_automaton *a, uint32_t x,
			 uint32_t y)
{
	uint32_t nx = 0, ny = 0, i = 0, k = 0;
	const uint32_t *vx = x != NONE ? dfa_set(c->b->matcher, a, x, &nx) : NULL;
	const uint32_t *vy = y != NONE ? dfa_set(c->b->matcher, a, y, &ny) : NULL;
	uint8_t apart = 0;

	while (i < nx || k < ny) {
		const struct pb_rule *r;

		if (i < nx && k < ny && vx[i] == vy[k]) {
			i++, k++;
			continue;
		}
		r = bundle_rule(c->b, k == ny || (i < nx && vx[i] < vy[k]) ? vx[i++] : vy[k++]);
		/* where it shows the host's tree, no scratch rule counts */
		if (r)
			apart |= r->flags & PB_F_HOST ? ALL_OPS : r->ops;
	}
	return apart;
}

/* Where the walks ended, and which operations they may decide otherwise than the last ones. */
static uint8_t find_ends(const struct decide_ctx *c, struct decide_near *near, uint32_t kept,
			 struct dfa_walk ends[NEAR_AUTOMATA], size_t *ret_n)
{
	const struct pb_matcher *m = c->b->matcher;
	uint8_t apart = near->decided ? 0 : ALL_OPS;

	*ret_n = 0;
	for (uint32_t i = 0; i < m->automata.count; i++) {
		const struct pb_automaton *a = dfa_at(m, i);
		struct dfa_walk *w = &ends[*ret_n];
		uint32_t set = NONE;

		if (a->kind != PB_FILE || a->abstract || a->root >= PB_ROOT_COUNT)
			continue;
		walk(c, near, i, kept);
		dfa_start(w, m, a);
		w->state = near->mark[near->nmarks - 1].state[i];
		if (w->state != NONE) {
			set = dfa_set_of(w);
			++*ret_n;
		}
		if (set != near->set[i] && apart != ALL_OPS)
			apart |= ops_apart(c, a, near->set[i], set);
		near->set[i] = set;
	}
	return apart;
}

const struct decision *decide_file_each(const struct decide_ctx *c, struct decide_near *near,
					const char *path)
{
	struct dfa_walk ends[NEAR_AUTOMATA];
	char room[PATH_MAX_OWN];
	const char *own = place_is_plain(path) ? path_own_name(c, path, room, sizeof(room)) :
						 NULL;
	uint32_t kept;
	uint8_t apart;
	size_t n;

	if (!own || c->b->matcher->automata.count > NEAR_AUTOMATA ||
	    !make_marks(near, own, strlen(own), &kept)) {
		near->len = near->nmarks = 0;
		near->decided = false;
		for (size_t i = 0; i < DECIDE_FILE_OPS; i++)
			decide_file(c, ops[i], path, &near->d[i]);
		return near->d;
	}
	apart = find_ends(c, near, kept, ends, &n);
	for (size_t i = 0; i < DECIDE_FILE_OPS; i++)
		if (apart & ops[i]) {
			decision_start(&near->d[i], PB_DENY, 0);
			path_decide(c, ops[i], ends, n, &near->d[i]);
		}
	near->decided = true;
	return near->d;
}
