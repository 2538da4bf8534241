/* What a bundle says that this version does not act on, and the role it was
 * compiled for: nothing of it is passed over in silence. */
#ifndef RUNTIME_POLRUN_CARRIED_H
#define RUNTIME_POLRUN_CARRIED_H

#include <stdbool.h>
#include <stdio.h>

#include "runtime/base/err.h"
#include "runtime/bundle/reader.h"

/* Is it the policy of this role?  `role` NULL: whatever role it has. */
int carried_check_role(const struct bundle *b, const char *role, struct rt_err *err);
/* Lines "polrun: …": secrets that are not given, and how much is carried. */
void carried_warn(FILE *out, const struct bundle *b);
/* Does a secret of the policy have this name?  Then the caller's variable is
 * not its value. */
bool carried_is_secret(const struct pb_env *env, const char *name, size_t len);

#endif
