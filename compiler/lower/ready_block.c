/* For a program that is linked without build/…/gen/ready.o: see ready_block.h. */
#include "compiler/lower/ready_block.h"

const struct facts_ready facts_ready = { NULL, 0, "" };
