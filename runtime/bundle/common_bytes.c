/* For a program that is linked without build/…/gen/common.o: see common_bytes.h. */
#include "runtime/bundle/common_bytes.h"

const struct bundle_common bundle_common = { NULL, 0, "" };
