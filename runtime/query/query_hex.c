/* Decides what is a byte in hexadecimal digits. */
#include "runtime/query/query_hex.h"

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 32;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool query_hex_decode(const char *s, size_t n, char *to)
{
	for (size_t i = 0; i + 1 < n; i += 2) {
		int high = digit(s[i]), low = digit(s[i + 1]);

		if (high < 0 || low < 0)
			return false;
		to[i / 2] = (char)(high * 16 + low);
	}
	to[n / 2] = '\0';
	return n % 2 == 0;
}
