/*
 * A DNS message, behind one byte that chooses the pieces and the answer.  A query has the name of
 * its labels; its answer is read as what was written, has the question byte for byte, fits, and
 * is never answered itself; over TCP the same message comes out of any pieces.
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
	law_dns(copy + 1, n - 1, data[0]);
	free(copy);
	return 0;
}
