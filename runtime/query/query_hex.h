/* Bytes that are no UTF-8, in texts of JSON: two hexadecimal digits for each. */
#ifndef RUNTIME_QUERY_QUERY_HEX_H
#define RUNTIME_QUERY_QUERY_HEX_H

#include <stdbool.h>
#include <stddef.h>

/* Decodes n digits into `to`, which has n / 2 + 1 bytes, with a NUL.  False: not digits. */
bool query_hex_decode(const char *s, size_t n, char *to);

#endif
