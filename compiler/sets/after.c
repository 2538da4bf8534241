/*
 * The derivative of an expression (Brzozowski): what may follow a byte in a member that
 * begins with it.
 */
#include "compiler/sets/graph.h"

static bool is_nullable(const struct set_re *x)
{
	switch (x->op) {
	case SET_EMPTY:
	case SET_CLASS:
		return false;
	case SET_EPS:
	case SET_STAR:
		return true;
	case SET_CAT:
		return is_nullable(x->a) && is_nullable(x->b);
	case SET_OR:
		return is_nullable(x->a) || is_nullable(x->b);
	case SET_GRAPH:
		return x->graph->nullable;
	}
	return false;
}

struct set_re *set_after(struct arena *a, struct set_re *x, uint8_t c)
{
	struct set_re *d;

	switch (x->op) {
	case SET_EMPTY:
	case SET_EPS:
		break;
	case SET_CLASS:
		return set_bytes_has(&x->bytes, c) ? set_eps(a) : set_none(a);
	case SET_CAT:
		d = set_cat(a, set_after(a, x->a, c), x->b);
		return is_nullable(x->a) ? set_or(a, d, set_after(a, x->b, c)) : d;
	case SET_OR:
		return set_or(a, set_after(a, x->a, c), set_after(a, x->b, c));
	case SET_STAR:
		return set_cat(a, set_after(a, x->a, c), x);
	case SET_GRAPH:
		return set_graph_after(a, x->graph, c);
	}
	return set_none(a);
}
