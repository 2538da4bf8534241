/* Shared by the steps that mount: places of the new root. */
#ifndef RUNTIME_SANDBOX_STEP_PLACE_H
#define RUNTIME_SANDBOX_STEP_PLACE_H

#include "runtime/sandbox/plan.h"

/* The directory that the operation's path is relative to. */
int place_base(const struct init *in, const struct plan_op *op);
/*
 * O_PATH of the operation's path, reached through no link and no magic link.
 * With PLAN_F_CHECK it must be the object that was seen before the start.
 * -errno on failure; -ENOENT without a message under PLAN_F_MAYBE.
 */
int place_open(const struct init *in, const struct plan_op *op, struct rt_err *err);
/* Attaches the detached tree `fd` there; closes both. */
int place_attach(const struct plan_op *op, int fd, int place, struct rt_err *err);

#endif
