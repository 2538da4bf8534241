/* What polrun does about the mode of the network. */
#ifndef RUNTIME_POLRUN_NETWORK_H
#define RUNTIME_POLRUN_NETWORK_H

#include "runtime/sandbox/sandbox.h"

/* The mode, in the terms of the run; with `say` one line about what a limited
 * network does not do yet.  No descriptor is open then. */
void network_fill(struct sandbox_run *run, bool say);
/*
 * After a start that failed: where the step was "nft" the run is made ready
 * for polnft, and true is to say that it is worth a second start.  The kernel
 * has refused the bundle's messages, or there are none.  Where there is no polnft
 * the error says that, too.
 */
bool network_by_polnft(struct sandbox_run *run, struct rt_err *err);
/* A line for the report: whose network it is, and by what. */
const char *network_mechanism(const struct sandbox_run *run);
void network_release(struct sandbox_run *run);

#endif
