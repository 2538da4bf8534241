/*
 * Position automata as leaves of expressions.  Only positions that lie on a way to a
 * member are kept (inclusion.c and minimise.c rely on it).  So an automaton without
 * members becomes SET_EMPTY, and one that has only the empty word SET_EPS.
 */
#include "compiler/sets/graph.h"

struct trim {
	const struct set_graph *g;
	bool *met;  /* can be reached from the start */
	bool *ends; /* can reach the end */
	uint32_t *queue;
	uint32_t *number; /* new number of each position that is kept */
};

static void meet(struct trim *t, const uint32_t *v, uint32_t n, uint32_t *to)
{
	uint32_t i;

	for (i = 0; i < n; i++) {
		if (t->met[v[i]] || !set_bytes_any(&t->g->pos[v[i]].bytes))
			continue;
		t->met[v[i]] = true;
		t->queue[(*to)++] = v[i];
	}
}

static void forward(struct trim *t)
{
	uint32_t from = 0, to = 0;

	meet(t, t->g->first, t->g->nfirst, &to);
	for (; from < to; from++) {
		const struct set_graph_pos *p = &t->g->pos[t->queue[from]];

		meet(t, p->follow, p->nfollow, &to);
	}
}

/* The positions before each position: from[at[p] .. at[p + 1]). */
struct before {
	uint32_t *at, *from;
};

static struct before turn_round(struct arena *a, const struct set_graph *g)
{
	struct before b = { arena_array(a, (size_t)g->n + 2, sizeof(uint32_t)), NULL };
	uint32_t i, k;

	for (i = 0; i < g->n; i++)
		for (k = 0; k < g->pos[i].nfollow; k++)
			b.at[g->pos[i].follow[k] + 2]++;
	for (i = 2; i < g->n + 2; i++)
		b.at[i] += b.at[i - 1];
	b.from = arena_array(a, (size_t)b.at[g->n + 1] + 1, sizeof(uint32_t));
	for (i = 0; i < g->n; i++)
		for (k = 0; k < g->pos[i].nfollow; k++)
			b.from[b.at[g->pos[i].follow[k] + 1]++] = i;
	return b;
}

static void backward(struct trim *t, struct arena *a)
{
	struct before b = turn_round(a, t->g);
	uint32_t from = 0, to = 0, i, k;

	for (i = 0; i < t->g->n; i++) {
		if (!t->g->pos[i].last || !t->met[i])
			continue;
		t->ends[i] = true;
		t->queue[to++] = i;
	}
	for (; from < to; from++) {
		for (k = b.at[t->queue[from]]; k < b.at[t->queue[from] + 1]; k++) {
			uint32_t p = b.from[k];

			if (t->ends[p] || !t->met[p])
				continue;
			t->ends[p] = true;
			t->queue[to++] = p;
		}
	}
}

static const uint32_t *kept(const struct trim *t, struct arena *a, const uint32_t *v,
			    uint32_t n, uint32_t *ret_n)
{
	uint32_t *out, i, count = 0;

	for (i = 0; i < n; i++)
		count += t->ends[v[i]];
	out = arena_array(a, (size_t)count + 1, sizeof(*out));
	for (i = count = 0; i < n; i++)
		if (t->ends[v[i]])
			out[count++] = t->number[v[i]];
	*ret_n = count;
	return out;
}

static void copy(const struct trim *t, struct arena *a, struct set_graph *to)
{
	const struct set_graph_pos *old = NULL;
	struct set_graph_pos *pos = arena_array(a, (size_t)to->n + 1, sizeof(*pos)),
			     *last = NULL;
	uint32_t i;

	for (i = 0; i < t->g->n; i++) {
		const struct set_graph_pos *from = &t->g->pos[i];
		struct set_graph_pos *p = &pos[t->number[i]];

		if (!t->ends[i])
			continue;
		p->bytes = from->bytes;
		p->last = from->last;
		if (old && old->follow == from->follow &&
		    old->nfollow == from->nfollow) {
			p->follow = last->follow;
			p->nfollow = last->nfollow;
		} else {
			p->follow =
				kept(t, a, from->follow, from->nfollow, &p->nfollow);
		}
		old = from;
		last = p;
	}
	to->pos = pos;
	to->first = kept(t, a, t->g->first, t->g->nfirst, &to->nfirst);
}

struct set_re *set_from_graph(struct arena *a, const struct set_graph *g)
{
	struct arena tmp;
	struct trim t = { .g = g };
	struct set_graph *to;
	struct set_re *re;
	uint32_t i, n = 0;

	arena_init(&tmp, ARENA_DEFAULT_BUDGET);
	t.met = arena_array(&tmp, (size_t)g->n + 1, sizeof(bool));
	t.ends = arena_array(&tmp, (size_t)g->n + 1, sizeof(bool));
	t.queue = arena_array(&tmp, (size_t)g->n + 1, sizeof(uint32_t));
	t.number = arena_array(&tmp, (size_t)g->n + 1, sizeof(uint32_t));
	forward(&t);
	backward(&t, &tmp);
	for (i = 0; i < g->n; i++)
		if (t.ends[i])
			t.number[i] = n++;
	if (n == 0) {
		re = g->nullable ? set_eps(a) : set_none(a);
	} else {
		to = ARENA_NEW(a, struct set_graph);
		to->n = n;
		to->nullable = g->nullable;
		copy(&t, a, to);
		re = ARENA_NEW(a, struct set_re);
		re->op = SET_GRAPH;
		re->graph = to;
	}
	arena_release(&tmp);
	return re;
}

struct set_re *set_graph_after(struct arena *a, const struct set_graph *g, uint8_t c)
{
	struct set_graph rest = { .pos = g->pos, .n = g->n };
	struct set_re *re;
	struct arena tmp;
	uint32_t *first, i, k;
	bool *is_in;

	arena_init(&tmp, ARENA_DEFAULT_BUDGET);
	first = arena_array(&tmp, (size_t)g->n + 1, sizeof(*first));
	is_in = arena_array(&tmp, (size_t)g->n + 1, sizeof(bool));
	for (i = 0; i < g->nfirst; i++) {
		const struct set_graph_pos *p = &g->pos[g->first[i]];

		if (!set_bytes_has(&p->bytes, c))
			continue;
		rest.nullable |= p->last;
		for (k = 0; k < p->nfollow; k++) {
			if (is_in[p->follow[k]])
				continue;
			is_in[p->follow[k]] = true;
			first[rest.nfirst++] = p->follow[k];
		}
	}
	rest.first = first;
	re = set_from_graph(a, &rest);
	arena_release(&tmp);
	return re;
}
