/* The project of the session from which a message comes. */
#ifndef RUNTIME_HOOKS_HOOK_ROOT_H
#define RUNTIME_HOOKS_HOOK_ROOT_H

#include <limits.h>
#include <stdbool.h>

#include "runtime/base/err.h"
#include "runtime/hooks/hook_message.h"
#include "runtime/query/query.h"

/*
 * Writes the project of the session, a physical path: the one recorded for its id, else the
 * project of the directory in which the client says that the session began, which is then
 * recorded.  No field that a model controls has a part in it (stdlib-policies/agent/fields.tsv).
 * False with a message that names the way out: no start was seen, or polrun would refuse the
 * project.
 */
bool hook_root_find(struct query *q, const struct hook_message *m, char out[PATH_MAX],
		    struct rt_err *err);

#endif
