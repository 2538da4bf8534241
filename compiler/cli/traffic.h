/* The files of `diff --traffic`: what polquery and polrun have recorded (doc/traffic.md). */
#ifndef COMPILER_CLI_TRAFFIC_H
#define COMPILER_CLI_TRAFFIC_H

#include "compiler/analysis/impact.h"
#include "compiler/cli/options.h"

/*
 * Reads all files; equal requests become one.  False after a message that names file and
 * line: nothing of a file counts that cannot be read as a whole.
 */
bool traffic_read(const struct options *o, struct arena *a, struct impact_requests *ret,
		  FILE *err);

#endif
