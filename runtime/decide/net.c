/*
 * Decides the network. In mode `disabled` all is denied whatever the rules say, except
 * for the run's own loopback. The other modes have a table of every address and port
 * (egress.bin). The table is made for what runs in a sandbox. Outside of one it also
 * holds, unless a rule tells the two apart: then what the host may do is unknown here,
 * and denied.
 */
#include <string.h>

#include "runtime/decide/combine.h"
#include "runtime/decide/egress.h"

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
	*ret = (struct decision){ .effect = PB_DENY };
	decide_deny(c, PB_S_NET_MODE, ret);
	if (bundle_net_mode(c->b) == PB_NET_DISABLED) {
		if (c->scope == PB_SANDBOX && egress_is_loopback(addr))
			ret->effect = PB_ALLOW;
		return;
	}
	if (!decide_net_known(c))
		return;
	by_piece(c, egress_addr(c->b->egress, addr, udp, port), ret);
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

		p = egress_addr(e, s->lo, udp, port);
		if (first && p->effect != first->effect)
			return false;
		first = first ? first : p;
	}
	if (first)
		by_piece(c, first, ret);
	return first != NULL;
}
