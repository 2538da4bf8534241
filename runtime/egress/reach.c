/* Decides on connections with the tables of egress.bin and the guard. */
#include "runtime/egress/reach.h"

#include <string.h>

#include "runtime/decide/egress.h"

static const char local[] = "localhost";

static void take(const struct reach_policy *p, const struct pb_piece *piece,
		 struct reach *ret)
{
	ret->rule = piece->rule;
	ret->grant = egress_grant(p->egress, piece);
	ret->why = GATE_W_RULE;
	switch ((enum pb_effect)piece->effect) {
	case PB_ALLOW:
	case PB_ASK:
		ret->effect = (enum pb_effect)piece->effect;
		return;
	case PB_DENY:
	case PB_HIDE:
	case PB_EFFECT_COUNT:
		break;
	}
	ret->effect = PB_DENY;
}

void reach_decide(const struct reach_policy *p, const uint8_t addr[16], uint16_t port,
		  struct reach *ret)
{
	const struct pb_egress *e = p->egress;
	const struct names_entry *entry;
	const struct pb_piece *piece;

	*ret = (struct reach){ .effect = PB_DENY, .why = GATE_W_NO_NAME,
			       .rule = UINT32_MAX,
			       .grant = pb_at(e, e->grants, sizeof(struct pb_grant), 0) };
	if (names_is_pool(addr)) {
		entry = names_at(p->names, egress_index(addr));
		if (!entry)
			return;
		ret->name = entry->name;
		take(p, egress_name(e, entry->class_, false, port), ret);
		return;
	}
	if (!egress_is_loopback(addr)) {
		take(p, egress_addr(e, addr, false, port), ret);
		return;
	}
	/* Only what a rule lets through to the host's own loopback comes here. */
	ret->name = local;
	ret->loopback = true;
	piece = egress_name(e, egress_class(e, local, sizeof(local) - 1), false, port);
	take(p, piece, ret);
	if (piece->free)
		ret->effect = PB_DENY;
}

/* The word of a rule that names the address; what only `otherwise` says is none, and one
 * that names no host has been heard about the destination. */
static bool objects(const struct reach_policy *p, const uint8_t addr[16], uint16_t port,
		    struct reach_address *ret)
{
	const struct pb_piece *piece = egress_reached(p->egress, addr, port);

	if (piece->rule == p->otherwise_rule || piece->effect == PB_ALLOW)
		return false;
	ret->why = GATE_W_RULE;
	ret->rule = piece->rule;
	ret->effect = piece->effect == PB_ASK ? PB_ASK : PB_DENY;
	return true;
}

/* The same about the v4 address that a v6 one carries: a translator or a tunnel leads to
 * the same server, so a rule that denies it or asks about it holds. */
static bool objects_within(const struct reach_policy *p, const uint8_t addr[16],
			   uint16_t port, struct reach_address *ret)
{
	uint8_t v4[16];

	for (size_t i = 0; i < guard_form_count(); i++)
		if (guard_form_read(i, addr, v4) && objects(p, v4, port, ret))
			return true;
	return false;
}

void reach_address(const struct reach_policy *p, const struct reach *r,
		   const uint8_t addr[16], uint16_t port, struct reach_address *ret)
{
	*ret = (struct reach_address){ .effect = PB_DENY, .why = GATE_W_GUARD,
				       .rule = r->rule };
	/* inside of a run it stands for a name, outside it is nobody's */
	if (names_is_pool(addr)) {
		ret->kind = GUARD_RESERVED;
		return;
	}
	ret->kind = guard_ask(p->guard, addr);
	if (ret->kind != GUARD_PUBLIC && !egress_within(p->egress, r->grant, addr))
		return;
	/* of an address on its own the first is what reach_decide() has said already */
	if ((r->name && objects(p, addr, port, ret)) || objects_within(p, addr, port, ret))
		return;
	ret->effect = PB_ALLOW;
}
