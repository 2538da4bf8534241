/*
 * The network: `disabled` denies whatever rules say, but for the loopback
 * that the run has to itself.  Bundles of other modes are not made by this
 * version; what they would allow is unknown here and denied.
 */
#include <string.h>

#include "runtime/decide/internal.h"

static bool is_loopback(const uint8_t addr[16])
{
	static const uint8_t mapped_127[13] = { [10] = 0xff, [11] = 0xff, [12] = 127 };
	static const uint8_t one[16] = { [15] = 1 };

	return memcmp(addr, mapped_127, sizeof(mapped_127)) == 0 ||
	       memcmp(addr, one, sizeof(one)) == 0;
}

void decide_net(const struct decide_ctx *c, bool udp, const uint8_t addr[16],
		uint16_t port, struct decision *ret)
{
	const struct pb_rule *mode = decide_scalar(c, PB_S_NET_MODE);

	(void)udp;
	(void)port;
	*ret = (struct decision){ .effect = PB_DENY };
	decide_deny(c, PB_S_NET_MODE, ret);
	if (mode && mode->value == PB_NET_DISABLED && c->scope == PB_SANDBOX &&
	    is_loopback(addr))
		ret->effect = PB_ALLOW;
}
