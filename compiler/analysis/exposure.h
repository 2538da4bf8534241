/*
 * What can an attacker reach who is inside of a run, or speaks for an agent?  Each fact of
 * the catalogue (exposure.def, target/sockets.def) is decided on the resolved policy; the
 * score is the sum of the weights of those that can be reached.
 *
 * The score never grows when a policy is tightened.  Each fact is a set of requests, and
 * counts by the mildest decision in it: allow in full, ask half, deny not at all.  A
 * tighter policy decides no request more mildly, so the mildest decision cannot get
 * milder.  What cannot be decided counts in full.  doc/exposure.md has the details.
 */
#ifndef COMPILER_ANALYSIS_EXPOSURE_H
#define COMPILER_ANALYSIS_EXPOSURE_H

#include "compiler/analysis/exposure_result.h"

const char *exposure_group_name(enum exposure_group g);  /* "write" */
const char *exposure_group_title(enum exposure_group g); /* a heading */
/* The policy must be lifted. */
void exposure(const struct ir *ir, const struct exposure_where *where, struct arena *a,
	      struct exposure_result *ret);

#endif
