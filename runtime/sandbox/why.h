/* Says in one line why namespaces cannot be made here. */
#ifndef RUNTIME_SANDBOX_WHY_H
#define RUNTIME_SANDBOX_WHY_H

#include "runtime/base/err.h"

/* clone3() with a user namespace failed with e.  Returns -e. */
int why_no_namespaces(int e, struct rt_err *err);

#endif
