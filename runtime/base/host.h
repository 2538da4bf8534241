/* How hosts are written. */
#ifndef RUNTIME_BASE_HOST_H
#define RUNTIME_BASE_HOST_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* An IPv4 address stands among IPv6 ones as ::ffff:a.b.c.d. */
static inline bool host_is_v4(const uint8_t addr[16])
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	return memcmp(addr, mapped, sizeof(mapped)) == 0;
}

/* `v4`: its four bytes, in the order of the network. */
static inline void host_map_v4(uint8_t ret[16], const void *v4)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	memcpy(ret, mapped, sizeof(mapped));
	memcpy(ret + 12, v4, 4);
}

/* Reads an IPv4 (as ::ffff:a.b.c.d) or IPv6 address in its usual form. */
bool host_address(const char *s, uint8_t ret[16]);
/* Is it a name: labels of letters, digits, '-' and '_', with a last label that is not a
 * number (RFC 1123)? So an address that is written in another form is never taken for a
 * name. */
bool host_is_name(const char *s);


#define HOST_TEXT 46 /* bytes of the longest address as text, with its NUL */

/* Writes an address without brackets, an IPv4 one (::ffff:a.b.c.d) as IPv4.  True: it is
 * IPv4. */
bool host_text(const uint8_t addr[16], char ret[HOST_TEXT]);

#endif
