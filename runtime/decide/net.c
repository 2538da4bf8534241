/*
 * Decides the network. In mode `disabled` all is denied whatever the rules say, except
 * for the run's own loopback. The other modes have a table of every address, name
 * and port (egress.bin). The table is made for what runs in a sandbox. Outside of one it also
 * holds, unless a rule tells the two apart: then what the host may do is unknown here,
 * and denied.
 */
#include <string.h>

#include "runtime/base/address_guard.h"
#include "runtime/decide/combine.h"
#include "runtime/decide/egress.h"

/* No entry of a policy is longer than 253 bytes, so the end of a longer name says all: it
 * is none of the entries, and it is below those whose dot stands in these bytes. */
#define MAX_NAME 255

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

/*
 * The loopback of the host is not the run's own: there `otherwise` decides what is free
 * in a run.  A soft ask never turns a deny of `otherwise` into an ask.
 */
static void by_otherwise(const struct decide_ctx *c, const struct pb_piece *p,
			 struct decision *ret)
{
	struct decision d = *ret;

	decide_otherwise(c, PB_S_NET_OTHERWISE, &d);
	if (d.effect == PB_ASK && p->effect == PB_ASK)
		by_piece(c, p, ret);
	else
		*ret = d;
}

static void by_table(const struct decide_ctx *c, const struct pb_piece *p,
		     struct decision *ret)
{
	if (p->free && c->scope != PB_SANDBOX)
		by_otherwise(c, p, ret);
	else
		by_piece(c, p, ret);
}

/* What the mode alone says: in `disabled`, all there is.  True: that decides. */
static bool by_mode(const struct decide_ctx *c, bool loopback, struct decision *ret)
{
	*ret = (struct decision){ .effect = PB_DENY };
	decide_deny(c, PB_S_NET_MODE, ret);
	if (bundle_net_mode(c->b) != PB_NET_DISABLED)
		return !decide_net_known(c);
	if (c->scope == PB_SANDBOX && loopback)
		ret->effect = PB_ALLOW;
	return true;
}

/*
 * The table is the kernel's, behind which the gateway guards addresses that lead back into the
 * host or its networks, where no rule names them (doc/semantics.md, 6).  An address of this host
 * that is none of these is known to the gateway alone.
 */
static void guard(const struct decide_ctx *c, const struct pb_piece *p, const uint8_t addr[16],
		  struct decision *ret)
{
	const struct pb_egress *e = c->b->egress;
	enum guard_kind kind = guard_kind(addr);

	if (ret->effect > PB_ASK || kind == GUARD_PUBLIC ||
	    bundle_net_mode(c->b) != PB_NET_LIMITED ||
	    (c->scope == PB_SANDBOX && egress_is_loopback(addr)) ||
	    egress_within(e, egress_grant(e, p), addr))
		return;
	decide_deny(c, PB_S_NET_OTHERWISE, ret);
	ret->guarded = (uint8_t)kind;
}

void decide_net(const struct decide_ctx *c, bool udp, const uint8_t addr[16],
		uint16_t port, struct decision *ret)
{
	const struct pb_piece *p;

	if (by_mode(c, egress_is_loopback(addr), ret))
		return;
	p = egress_addr(c->b->egress, addr, udp, port);
	by_table(c, p, ret);
	guard(c, p, addr, ret);
}

void decide_net_name(const struct decide_ctx *c, bool udp, const char *name, size_t n,
		     uint16_t port, struct decision *ret)
{
	const struct pb_egress *e = c->b->egress;
	const struct pb_piece *p;
	const uint8_t *addr;
	char own[MAX_NAME];

	if (n > 1 && name[n - 1] == '.')
		n--;
	if (n > sizeof(own)) {
		name += n - sizeof(own);
		n = sizeof(own);
	}
	for (size_t i = 0; i < n; i++)
		own[i] = name[i] >= 'A' && name[i] <= 'Z' ? (char)(name[i] + 'a' - 'A') :
							    name[i];
	if (by_mode(c, guard_is_localhost(own, n), ret))
		return;
	p = egress_name(e, egress_class(e, own, n), udp, port);
	by_table(c, p, ret);
	/* in a sandbox the gateway looks the name up */
	addr = c->scope == PB_SANDBOX ? NULL : guard_name_address(own, n);
	if (addr)
		guard(c, p, addr, ret);
}
