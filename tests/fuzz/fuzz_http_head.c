/*
 * The bytes of an HTTP/1.x connection, behind one byte that chooses the pieces.  Heads and
 * bodies end at the same places for any pieces, and a head that is accepted has one Host line,
 * which a second, plain reading finds, and at most one length.
 */
#include "tests/fuzz/egress_law.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	uint8_t *copy;

	if (n == 0)
		return 0;
	copy = malloc(n);
	LAW(copy);
	memcpy(copy, data, n);
	law_http(copy + 1, n - 1, data[0]);
	free(copy);
	return 0;
}
