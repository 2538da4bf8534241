/*
 * The first bytes of a TLS connection, behind one byte that chooses the pieces.  The verdict is
 * the same for any pieces, and a name is the one that a second, plain reading finds.
 */
#include "tests/fuzz/egress_law.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct law_input in = law_begin(data, n);

	law_tls(in.p, in.n, in.choice);
	law_end(&in);
	return 0;
}
