/*
 * Products of address, port and protocol.  Two sets of hosts are nested or disjoint,
 * they never overlap in part: a block of addresses, a name, the names below a name, or
 * any host.
 */
#include "compiler/sets/box.h"
#include "runtime/base/address_bits.h"

static bool cidr_included(const struct num_cidr *x, const struct num_cidr *y)
{
	return x->bits >= y->bits && address_same_bits(x->addr, y->addr, y->bits);
}

static bool is_below(struct str name, struct str apex)
{
	return name.n > apex.n + 1 && str_ends(name, apex) &&
	       name.p[name.n - apex.n - 1] == '.';
}

static bool host_included(const struct ir_net *x, const struct ir_net *y)
{
	if (y->host == IR_HOST_ANY)
		return true;
	switch (x->host) {
	case IR_HOST_ANY:
		return false;
	case IR_HOST_CIDR:
		return y->host == IR_HOST_CIDR && cidr_included(&x->cidr, &y->cidr);
	case IR_HOST_NAME:
		if (y->host == IR_HOST_NAME)
			return str_eq(x->name, y->name);
		return y->host == IR_HOST_BELOW && is_below(x->name, y->name);
	case IR_HOST_BELOW:
		return y->host == IR_HOST_BELOW && (str_eq(x->name, y->name) ||
						    is_below(x->name, y->name));
	}
	return false;
}

bool box_net_included(const struct ir_net *x, const struct ir_net *y)
{
	return !(x->protos & ~y->protos) && x->port_lo >= y->port_lo &&
	       x->port_hi <= y->port_hi && host_included(x, y);
}

bool box_net_meets(const struct ir_net *x, const struct ir_net *y)
{
	return (x->protos & y->protos) && x->port_lo <= y->port_hi &&
	       y->port_lo <= x->port_hi &&
	       (host_included(x, y) || host_included(y, x));
}

/* --- x inside a union ------------------------------------------------------ */

struct cover {
	const struct ir_net *const *ys;
	size_t n;
};

/*
 * The caller has split `x`: it has one protocol, and no port range of the union begins
 * or ends inside of its ports.
 */
static bool host_covered(const struct ir_net *x, const struct cover *c)
{
	struct ir_net half = *x;
	bool inside = false;
	size_t i;

	for (i = 0; i < c->n; i++) {
		if (box_net_included(x, c->ys[i]))
			return true;
		inside |= c->ys[i]->host == IR_HOST_CIDR &&
			  box_net_meets(x, c->ys[i]);
	}
	/*
	 * the names below a name are infinitely many; only blocks of addresses can add
	 * up to a whole
	 */
	if (x->host != IR_HOST_CIDR || !inside || x->cidr.bits == 128)
		return false;
	half.cidr.bits++;
	if (!host_covered(&half, c))
		return false;
	half.cidr.addr[x->cidr.bits / 8] |= (uint8_t)(0x80u >> (x->cidr.bits % 8));
	return host_covered(&half, c);
}

bool box_net_covered(const struct ir_net *x, const struct ir_net *const *ys, size_t n)
{
	struct cover c = { ys, n };
	struct ir_net part = *x;
	uint32_t lo, hi;
	unsigned proto;
	size_t i;

	for (proto = IR_TCP; proto <= IR_UDP; proto <<= 1) {
		if (!(x->protos & proto))
			continue;
		part.protos = proto;
		for (lo = x->port_lo; lo <= x->port_hi; lo = hi + 1) {
			hi = x->port_hi;
			for (i = 0; i < n; i++) {
				if (ys[i]->port_lo > lo && ys[i]->port_lo - 1u < hi)
					hi = ys[i]->port_lo - 1u;
				if (ys[i]->port_hi >= lo && ys[i]->port_hi < hi)
					hi = ys[i]->port_hi;
			}
			part.port_lo = (uint16_t)lo;
			part.port_hi = (uint16_t)hi;
			if (!host_covered(&part, &c))
				return false;
		}
	}
	return true;
}
