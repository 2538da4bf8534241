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
enum { CARRIED_LINE = 360 };

/* Says of the next secret at or after entry *at that it is not provided, and moves *at past
 * it.  False if there is none. */
bool carried_secret(const struct bundle *b, uint32_t *at, char *ret, size_t cap);
/* The same as lines that begin with `head`; if there are many, only their number. */
void carried_secrets(FILE *out, const char *head, const struct bundle *b);
/* Says how much else is ignored.  False if nothing is. */
bool carried_values(const struct bundle *b, char *ret, size_t cap);
/* Does a secret of the policy have this name?  Then the caller's variable must not be
 * taken for its value. */
bool carried_is_secret(const struct pb_env *env, const char *name, size_t len);

#endif
