/* Decides what is an address and what is a name. */
#include "runtime/base/host.h"

#include <arpa/inet.h>
#include <stddef.h>
#include <string.h>

bool host_address(const char *s, uint8_t ret[16])
{
	struct in_addr v4;

	if (inet_pton(AF_INET, s, &v4) != 1)
		return inet_pton(AF_INET6, s, ret) == 1;
	host_map_v4(ret, &v4);
	return true;
}

bool host_is_name(const char *s)
{
	size_t all = strlen(s), n = 0;
	const char *last = s;

	if (all && s[all - 1] == '.')
		all--;
	if (all == 0 || all > 253)
		return false;
	for (size_t i = 0; i < all; i++) {
		char c = s[i];

		if (c == '.') {
			if (n == 0)
				return false;
			n = 0;
			last = s + i + 1;
			continue;
		}
		if (!((c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') ||
		      c == '-' || c == '_') || ++n > 63)
			return false;
	}
	return n > 0 && !(last[0] >= '0' && last[0] <= '9');
}

bool host_text(const uint8_t addr[16], char ret[HOST_TEXT])
{
	bool v4 = host_is_v4(addr);

	_Static_assert(HOST_TEXT >= INET6_ADDRSTRLEN, "an address fits");
	if (!inet_ntop(v4 ? AF_INET : AF_INET6, v4 ? addr + 12 : addr, ret, HOST_TEXT))
		ret[0] = '\0';
	return v4;
}
