/* How polrun handles the mode of the network. */
#ifndef RUNTIME_POLRUN_NETWORK_H
#define RUNTIME_POLRUN_NETWORK_H

#include "runtime/sandbox/sandbox.h"

/* Fills in the mode.  With `say` it prints one line about what a limited network does
 * not do yet.  No descriptor is open afterwards. */
void network_fill(struct sandbox_run *run, bool say);
/*
 * Call it after a failed start.  If the failed step was "nft" (the kernel refused the
 * bundle's messages, or there are none), it prepares the run for polnft and returns
 * true: a second start is worthwhile.  If there is no polnft, the error says that as
 * well.
 */
bool network_by_polnft(struct sandbox_run *run, struct rt_err *err);
/* Returns a line for the report: whose network it is, and what enforces it. */
const char *network_mechanism(const struct sandbox_run *run);
void network_release(struct sandbox_run *run);

#endif
