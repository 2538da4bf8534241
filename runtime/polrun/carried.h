/* What a bundle contains that this version does not act on, and the role for which it
 * was compiled: nothing is ignored silently. */
#ifndef RUNTIME_POLRUN_CARRIED_H
#define RUNTIME_POLRUN_CARRIED_H

#include <stdbool.h>
#include <stdio.h>

#include "runtime/base/err.h"
#include "runtime/bundle/reader.h"

/* Checks that the policy is for this role.  `role` NULL accepts any role. */
int carried_check_role(const struct bundle *b, const char *role, struct rt_err *err);
/* Prints lines "polrun: …": secrets that are not provided, and how much else is
 * ignored. */
void carried_warn(FILE *out, const struct bundle *b);
/* Does a secret of the policy have this name?  Then the caller's variable must not be
 * taken for its value. */
bool carried_is_secret(const struct pb_env *env, const char *name, size_t len);

#endif
