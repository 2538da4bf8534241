/* How hosts are written. */
#ifndef RUNTIME_BASE_HOST_H
#define RUNTIME_BASE_HOST_H

#include <stdbool.h>
#include <stdint.h>

/* Reads an IPv4 (as ::ffff:a.b.c.d) or IPv6 address in its usual form. */
bool host_address(const char *s, uint8_t ret[16]);
/* Is it a name: labels of letters, digits, '-' and '_', with a last label that is not a
 * number (RFC 1123)? So an address that is written in another form is never taken for a
 * name. */
bool host_is_name(const char *s);

#endif
