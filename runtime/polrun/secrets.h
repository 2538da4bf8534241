/* The secrets that rules of the network name: `via … user from secret NAME` and `inject
 * header … from secret NAME`. */
#ifndef RUNTIME_POLRUN_SECRETS_H
#define RUNTIME_POLRUN_SECRETS_H

#include "runtime/sandbox/sandbox.h"
#include "runtime/supervise/gateway.h"

enum secret_use { SECRET_VIA, SECRET_INJECT };

/*
 * Reads them, for the process that uses them; the caller releases the result.  A secret
 * that cannot be read, or that the run itself could read, is an error that names the
 * rule: the run does not start.
 */
int secrets_take(const struct sandbox_run *run, enum secret_use use,
		 struct gateway_secrets *ret, struct rt_err *err);
/* The same once the view is known: a rule for a link may show the file by another name. */
int secrets_check_view(const struct sandbox_run *run, const struct sandbox_view *v,
		       struct rt_err *err);
/* Overwrites and frees them. */
void secrets_release(struct gateway_secrets *s);

#endif
