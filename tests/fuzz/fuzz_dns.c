/*
 * A DNS message, behind one byte that chooses the pieces and the answer.  A query has the name of
 * its labels; its answer is read as what was written, has the question byte for byte, fits, and
 * is never answered itself; over TCP the same message comes out of any pieces.
 */
#include "tests/fuzz/egress_law.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct law_input in = law_begin(data, n);

	law_dns(in.p, in.n, in.choice);
	law_end(&in);
	return 0;
}
