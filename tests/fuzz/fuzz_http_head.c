/*
 * The bytes of an HTTP/1.x connection, behind one byte that chooses the pieces.  Heads and
 * bodies end at the same places for any pieces, and a head that is accepted has one Host line,
 * which a second, plain reading finds, and at most one length.
 */
#include "tests/fuzz/egress_law.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct law_input in = law_begin(data, n);

	law_http(in.p, in.n, in.choice);
	law_end(&in);
	return 0;
}
