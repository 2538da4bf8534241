/* Well-formed UTF-8 (RFC 3629): no overlong form, no surrogate, nothing above
 * U+10FFFF. */
#ifndef RUNTIME_BASE_UTF8_H
#define RUNTIME_BASE_UTF8_H

#include <stddef.h>

/* Length of the well-formed sequence at the beginning of `s`, or 0; len must not be 0. */
static inline size_t utf8_length(const char *s, size_t len)
{
	const unsigned char *u = (const unsigned char *)s;
	size_t n = u[0] < 0x80		   ? 1
		   : (u[0] & 0xe0) == 0xc0 ? 2
		   : (u[0] & 0xf0) == 0xe0 ? 3
		   : (u[0] & 0xf8) == 0xf0 ? 4
					   : 0;

	if (n == 0 || n > len || u[0] == 0xc0 || u[0] == 0xc1 || u[0] > 0xf4)
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((u[i] & 0xc0) != 0x80)
			return 0;
	if ((u[0] == 0xe0 && u[1] < 0xa0) || (u[0] == 0xed && u[1] > 0x9f) ||
	    (u[0] == 0xf0 && u[1] < 0x90) || (u[0] == 0xf4 && u[1] > 0x8f))
		return 0;
	return n;
}

#endif
