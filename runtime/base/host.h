/* How hosts are written. */
#ifndef RUNTIME_BASE_HOST_H
#define RUNTIME_BASE_HOST_H

#include <stdbool.h>
#include <stdint.h>

/* An IPv4 (as ::ffff:a.b.c.d) or IPv6 address in its usual form. */
bool host_address(const char *s, uint8_t ret[16]);
/* Labels of letters, digits, '-' and '_', the last one no number (RFC 1123, and
 * so that no part of an address that is written otherwise is taken as a name). */
bool host_is_name(const char *s);

#endif
