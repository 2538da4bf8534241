/*
 * A bundle, as it lies on disk.  What is accepted has filters that are whole,
 * and every decision on it is one of the effects, by a rule that it has.
 */
#include "tests/fuzz/bundle_law.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	for (int run = 0; run < 2; run++)
		law_bundle((uint8_t *)law_text(data, n), n, run);
	return 0;
}
