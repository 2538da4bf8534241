/* How polrun handles the mode of the network. */
#ifndef RUNTIME_POLRUN_NETWORK_H
#define RUNTIME_POLRUN_NETWORK_H

#include <stdio.h>

#include "runtime/supervise/gateway.h"

/* Fills in the mode.  No descriptor is open afterwards. */
void network_fill(struct sandbox_run *run);
/* Starts polgate if the run needs it. */
int network_start_gateway(const struct sandbox_run *run, struct gateway *g, bool ask,
			  struct rt_err *err);
/* Does a rule ask about connections that can leave the run? */
bool network_asks(const struct sandbox_run *run);
/* The command asks for a network that the run has not got: names the rule. */
void network_off_say(FILE *out, const struct sandbox_run *run);
/* Prints a line about what the mode does not do in this version or on this kernel. */
void network_say(FILE *out, const struct sandbox_run *run);
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
