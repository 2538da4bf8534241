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

/* The rules of the window's `n` that match on the port. */
static struct cell_matched match(struct sweep *s, const struct cell_subject *at, size_t n,
				 unsigned proto, uint32_t port)
{
	struct cell_matched m = { s->match, 0 };

	for (size_t i = 0; i < n; i++)
		if ((s->in[i]->set.u.net.protos & proto) &&
		    !is_excepted(s->in[i], at, proto, port))
			m.v[m.n++] = s->in[i];
	return m;
}

/* A rule that restricts all hosts was heard about the name, where its exceptions are the
 * name's, and not once more about the name's address. */
static bool is_about_names(const struct ir_rule *r)
{
	return r->set.u.net.host == IR_HOST_ANY && r->effect != IR_ALLOW;
}

/* The decision on an address to which a name has led, from the rules that match there for
 * tcp; `direct` is that for who connects to the address itself. */
static struct cell decide_reached(struct sweep *s, const struct cell_subject *at,
				  struct cell_matched m, struct cell direct)
{
	struct cell_subject subject = *at;
	size_t n = m.n;
	bool soft = false;

	m.n = 0;
	for (size_t i = 0; i < n; i++) {
		soft |= m.v[i]->soft;
		if (!is_about_names(m.v[i]))
			m.v[m.n++] = m.v[i];
	}
	if (m.n == n && !soft)
		return direct;
	subject.reached = true;
	return cell_decide(&s->cells, &subject, &m);
}

/* The decisions on a port from the `n` rules of the window. */
static void decide(struct sweep *s, const struct cell_subject *at, size_t n, uint32_t port,
		   struct cell ret[SWEEP_LISTS])
{
	struct cell_matched m = match(s, at, n, IR_UDP, port);

	ret[SWEEP_UDP] = cell_decide(&s->cells, at, &m);
	m = match(s, at, n, IR_TCP, port);
	ret[SWEEP_TCP] = cell_decide(&s->cells, at, &m);
	if (at->kind == CELL_ADDR)
		ret[SWEEP_REACHED] = decide_reached(s, at, m, ret[SWEEP_TCP]);
}

bool sweep_ports(struct sweep *s, const struct cell_subject *at, uint32_t ret[SWEEP_LISTS])
{
	const struct ir_rule **by_lo = s->match + s->cells.ir->rules.n;
	size_t nbounds = port_bounds(s), next = 0, n = 0;
	unsigned lists = at->kind == CELL_ADDR ? SWEEP_LISTS : SWEEP_REACHED;
	VEC(struct region_piece) out[SWEEP_LISTS] = { { NULL, 0, 0 } };

	for (size_t i = 0; i < s->nactive; i++)
		by_lo[i] = s->active[i].rule;
	if (s->nactive)
		qsort(by_lo, s->nactive, sizeof(*by_lo), by_port);
	if (!sweep_pay(s, s->nactive))
		return false;
	for (size_t b = 0; b < nbounds; b++) {
		uint16_t hi = b + 1 < nbounds ? (uint16_t)(s->ports[b + 1] - 1) :
						UINT16_MAX;
		struct cell c[SWEEP_LISTS];

		n = move_window(s, by_lo, &next, n, s->ports[b]);
		if (!sweep_pay(s, lists * n + 1))
			return false;
		decide(s, at, n, s->ports[b], c);
		for (unsigned p = 0; p < lists; p++) {
			struct region_piece piece = { .hi = hi };

			piece.effect = c[p].effect;
			piece.rule = c[p].rule;
			piece.free = c[p].free;
			piece.grant = c[p].grant;
			if (out[p].n && continues(VEC_LAST(&out[p]), &c[p]))
				VEC_LAST(&out[p])->hi = hi;
			else
				VEC_PUSH(s->cells.a, &out[p], piece);
		}
	}
	for (unsigned p = 0; p < lists; p++)
		ret[p] = list_of(s, out[p].v, out[p].n);
	return true;
}
