/*
 * The sweep over the ports of one subject (an address or a class of names): cuts the range
 * of ports wherever a range of an active rule begins or ends, and decides each part.
 */
#include "compiler/backend/nft/sweep.h"

#include <stdlib.h>

#include "compiler/backend/common/util.h"

bool sweep_pay(struct sweep *s, uint64_t steps)
{
	if (steps > s->left)
		return false;
	s->left -= steps;
	return true;
}

/* Do the rule's exceptions take this cell away? */
static bool is_excepted(const struct ir_rule *r, const struct cell_subject *at,
			unsigned proto, uint32_t port)
{
	for (size_t i = 0; i < r->nexcept; i++) {
		const struct ir_net *x = &r->except[i].u.net;

		if ((x->protos & proto) && port >= x->port_lo && port <= x->port_hi &&
		    cell_covers(x, at))
			return true;
	}
	return false;
}

static uint32_t list_of(struct sweep *s, const struct region_piece *v, size_t n)
{
	struct region_piece *own = arena_dup(s->cells.a, v, n * sizeof(*v));
	struct str key = { (const char *)own, n * sizeof(*v) };
	uint32_t *at = map_get(&s->lists, key);

	if (!at) {
		struct region_list l = { own, n };

		at = ARENA_NEW(s->cells.a, uint32_t);
		*at = (uint32_t)s->cells.out->lists.n;
		VEC_PUSH(s->cells.a, &s->cells.out->lists, l);
		(void)map_put(&s->lists, key, at);
	}
	return *at;
}

static int by_number(const void *x, const void *y)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

	return (a > b) - (a < b);
}

static int by_port(const void *x, const void *y)
{
	const struct ir_rule *a = *(const struct ir_rule *const *)x;
	const struct ir_rule *b = *(const struct ir_rule *const *)y;

	return (a->set.u.net.port_lo > b->set.u.net.port_lo) -
	       (a->set.u.net.port_lo < b->set.u.net.port_lo);
}

/* Ports where a range of an active rule or of one of its exceptions begins or ends. */
static size_t port_bounds(struct sweep *s)
{
	size_t n = 0, kept = 1;

	s->ports[n++] = 0;
	for (size_t i = 0; i < s->nactive; i++) {
		const struct ir_rule *r = s->active[i].rule;

		s->ports[n++] = r->set.u.net.port_lo;
		s->ports[n++] = r->set.u.net.port_hi + 1u;
		for (size_t k = 0; k < r->nexcept; k++) {
			s->ports[n++] = r->except[k].u.net.port_lo;
			s->ports[n++] = r->except[k].u.net.port_hi + 1u;
		}
	}
	qsort(s->ports, n, sizeof(*s->ports), by_number);
	for (size_t i = 1; i < n; i++)
		if (s->ports[i] != s->ports[kept - 1] && s->ports[i] <= UINT16_MAX)
			s->ports[kept++] = s->ports[i];
	return kept;
}

/* Adds the rules that begin by `port` to `in`, in the order of their indexes, and
 * removes those that have ended. */
static size_t move_window(struct sweep *s, const struct ir_rule **by_lo, size_t *next,
			  size_t n, uint32_t port)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (s->in[i]->set.u.net.port_hi >= port)
			s->in[kept++] = s->in[i];
	for (; *next < s->nactive && by_lo[*next]->set.u.net.port_lo <= port; ++*next) {
		size_t at = kept++;

		for (; at > 0 && s->in[at - 1]->index > by_lo[*next]->index; at--)
			s->in[at] = s->in[at - 1];
		s->in[at] = by_lo[*next];
	}
	return kept;
}

/* Is the piece the continuation of `last`? */
static bool continues(const struct region_piece *last, const struct cell *c)
{
	return last->rule == c->rule && last->effect == c->effect &&
	       last->free == c->free && last->grant == c->grant;
}

bool sweep_ports(struct sweep *s, const struct cell_subject *at, uint32_t ret[2])
{
	const struct ir_rule **by_lo = s->match + s->cells.ir->rules.n;
	size_t nbounds = port_bounds(s), next = 0, n = 0;
	VEC(struct region_piece) out[2] = { { NULL, 0, 0 }, { NULL, 0, 0 } };

	for (size_t i = 0; i < s->nactive; i++)
		by_lo[i] = s->active[i].rule;
	if (s->nactive)
		qsort(by_lo, s->nactive, sizeof(*by_lo), by_port);
	if (!sweep_pay(s, s->nactive))
		return false;
	for (size_t b = 0; b < nbounds; b++) {
		uint16_t hi = b + 1 < nbounds ? (uint16_t)(s->ports[b + 1] - 1) :
						UINT16_MAX;

		n = move_window(s, by_lo, &next, n, s->ports[b]);
		if (!sweep_pay(s, 2 * n + 1))
			return false;
		for (unsigned p = 0; p < 2; p++) {
			struct cell_matched m = { s->match, 0 };
			struct region_piece piece = { .hi = hi };
			struct cell c;

			for (size_t i = 0; i < n; i++)
				if ((s->in[i]->set.u.net.protos & (IR_TCP << p)) &&
				    !is_excepted(s->in[i], at, IR_TCP << p,
						 s->ports[b]))
					m.v[m.n++] = s->in[i];
			c = cell_decide(&s->cells, at, &m);
			piece.effect = c.effect;
			piece.rule = c.rule;
			piece.free = c.free;
			piece.grant = c.grant;
			if (out[p].n && continues(VEC_LAST(&out[p]), &c))
				VEC_LAST(&out[p])->hi = hi;
			else
				VEC_PUSH(s->cells.a, &out[p], piece);
		}
	}
	for (unsigned p = 0; p < 2; p++)
		ret[p] = list_of(s, out[p].v, out[p].n);
	return true;
}
