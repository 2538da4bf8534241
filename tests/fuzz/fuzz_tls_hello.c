/*
 * The first bytes of a TLS connection, behind one byte that chooses the pieces.  The verdict is
 * the same for any pieces, and a name is the one that a second, plain reading finds.
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
	law_tls(copy + 1, n - 1, data[0]);
	free(copy);
	return 0;
}
