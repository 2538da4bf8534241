/*
 * Host names as the gateway compares them: what DNS, TLS and HTTP say of a host becomes
 * one spelling, or is refused.  The rules are those of the compiler
 * (compiler/lower/net.c), so a name that this module refuses stands in no rule.
 */
#ifndef RUNTIME_EGRESS_NAME_H
#define RUNTIME_EGRESS_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EGRESS_NAME_MAX 253

/*
 * Writes the name in lower case and a NUL to `out` (EGRESS_NAME_MAX + 1 bytes) and
 * returns true if it is a host name: 1 to 253 bytes, labels of 1 to 63 letters, digits,
 * '-' and
 * '_', no dot at the end, and no last label that a resolver may read as a number
 * (digits, or "0x" and hex digits): "127.1" and "0x7f000001" are addresses to some of
 * them. Otherwise `out` is unchanged.
 */
bool egress_host_name(char *out, const uint8_t *p, size_t n);

/* The byte as a lower-case byte of a host's label, or 0 if it may not be in one. */
char egress_host_byte(uint8_t c);

#endif
