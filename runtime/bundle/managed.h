/*
 * Whether a bundle stands under the managed policies of this host.  Their levels meet the
 * others only when polc compiles, so a bundle that was compiled elsewhere, or before an
 * administrator changed a file, does not have them in it.
 */
#ifndef RUNTIME_BUNDLE_MANAGED_H
#define RUNTIME_BUNDLE_MANAGED_H

#include <stdbool.h>

#include "runtime/bundle/reader.h"

/*
 * Compares the managed policies in `dir` (FOUND_MANAGED) with what the bundle's manifest
 * says it was compiled from: each of them, in the same order and with the same digest, and
 * no other of that level.  A file that one of them uses must be unchanged as well; for the
 * standard library this is the version of polc that compiled the bundle.  `by_system`: the
 * system's list of signers allows one of the bundle's keys; else nothing may stand above
 * the managed policies.
 * 0 if they agree, or if the host has no managed policies.  -EPERM, with a text that says
 * which file, if they do not, or if a managed policy is not root's alone to write.
 */
int managed_check(const struct bundle *b, const char *dir, bool by_system,
		  struct rt_err *err);

#endif
