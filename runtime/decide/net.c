/*
 * Decides the network. In mode `disabled` all is denied whatever the rules say, except
 * for the run's own loopback. The other modes have a table of every address and port
 * (egress.bin). The table is made for what runs in a sandbox. Outside of one it also
 * holds, unless a rule tells the two apart: then what the host may do is unknown here,
 * and denied.
 */
#include <string.h>

#include "runtime/decide/combine.h"

static bool is_loopback(const uint8_t addr[16])
{
	static const uint8_t mapped_127[13] = { [10] = 0xff, [11] = 0xff, [12] = 127 };
	static const uint8_t one[16] = { [15] = 1 };

	return memcmp(addr, mapped_127, sizeof(mapped_127)) == 0 ||
	       memcmp(addr, one, sizeof(one)) == 0;
}

bool decide_net_known(const struct decide_ctx *c)
{
	const struct pb_rules *rules = c->b->rules;

	if (bundle_net_mode(c->b) == PB_NET_DISABLED)
		return true;
	if (!c->b->egress)
		return false;
	for (uint32_t i = 0; c->scope != PB_SANDBOX && i < rules->ir_rules; i++) {
		const struct pb_rule *r = bundle_rule(c->b, i);

		if (r->kind == PB_NET && r->scopes != (PB_SANDBOX | PB_HOST))
			return false;
	}
	return true;
}

/* The last slab that begins at or before the address. The first slab begins at ::. */
static const struct pb_slab *find_slab(const struct pb_egress *e,
				       const uint8_t addr[16])
{
	uint32_t lo = 0, hi = e->slabs.count;

	while (hi - lo > 1) {
		uint32_t mid = lo + (hi - lo) / 2;
		const struct pb_slab *s = pb_at(e, e->slabs, sizeof(*s), mid);

		if (memcmp(s->lo, addr, sizeof(s->lo)) <= 0)
			lo = mid;
		else
			hi = mid;
	}
	return pb_at(e, e->slabs, sizeof(struct pb_slab), lo);
}

/* The first piece that ends at or after the port. The last piece ends at 65535. */
static const struct pb_piece *find_piece(const struct pb_egress *e, uint32_t list,
					 uint16_t port)
{
	const struct pb_ports *l = pb_at(e, e->lists, sizeof(*l), list);
	uint32_t lo = l->first, hi = l->first + l->count - 1;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		const struct pb_piece *p = pb_at(e, e->pieces, sizeof(*p), mid);

		if (p->hi >= port)
			hi = mid;
		else
			lo = mid + 1;
	}
	return pb_at(e, e->pieces, sizeof(struct pb_piece), lo);
}

static void by_piece(const struct decide_ctx *c, const struct pb_piece *p,
		     struct decision *ret)
{
	const struct pb_rule *r = bundle_rule(c->b, p->rule);

	ret->effect = p->effect;
	ret->rule = p->rule;
	ret->needs_person = p->effect == PB_ASK && r && (r->flags & PB_F_ANSWER);
}

void decide_net(const struct decide_ctx *c, bool udp, const uint8_t addr[16],
		uint16_t port, struct decision *ret)
{
	const struct pb_egress *e = c->b->egress;
	const struct pb_slab *s;

	*ret = (struct decision){ .effect = PB_DENY };
	decide_deny(c, PB_S_NET_MODE, ret);
	if (bundle_net_mode(c->b) == PB_NET_DISABLED) {
		if (c->scope == PB_SANDBOX && is_loopback(addr))
			ret->effect = PB_ALLOW;
		return;
	}
	if (!decide_net_known(c))
		return;
	s = find_slab(e, addr);
	by_piece(c, find_piece(e, udp ? s->udp : s->tcp, port), ret);
}

bool decide_net_name(const struct decide_ctx *c, bool udp, uint16_t port,
		     struct decision *ret)
{
	const struct pb_egress *e = c->b->egress;
	const struct pb_piece *first = NULL, *p;
	uint32_t i;

	*ret = (struct decision){ .effect = PB_DENY };
	decide_deny(c, PB_S_NET_MODE, ret);
	if (bundle_net_mode(c->b) == PB_NET_DISABLED)
		return true;
	if (!decide_net_known(c))
		return false;
	for (i = 0; i < e->slabs.count; i++) {
		const struct pb_slab *s = pb_at(e, e->slabs, sizeof(*s), i);

		p = find_piece(e, udp ? s->udp : s->tcp, port);
		if (first && p->effect != first->effect)
			return false;
		first = first ? first : p;
	}
	if (first)
		by_piece(c, first, ret);
	return first != NULL;
}
