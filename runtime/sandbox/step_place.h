/* Shared by the steps that mount: looking up places of the new root. */
#ifndef RUNTIME_SANDBOX_STEP_PLACE_H
#define RUNTIME_SANDBOX_STEP_PLACE_H

#include "runtime/sandbox/plan.h"

/* For open_tree(2): a clone with all mounts below it. */
#define CLONE_TREE (OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | (unsigned)AT_RECURSIVE)

/* The directory that the operation's path is relative to. */
int place_base(const struct init *in, const struct plan_op *op);
/* Is `fd` the object that polrun saw before the start?  0, -ESTALE or -errno. */
int place_same_object(int fd, const struct plan_op *op);
/*
 * Opens the operation's path with O_PATH, without following any link or magic link.
 * With PLAN_F_CHECK it must be the object that polrun saw before the start.  -errno on
 * failure; with PLAN_F_MAYBE a missing path is -ENOENT without a message.
 */
int place_open(const struct init *in, const struct plan_op *op, struct rt_err *err);
/*
 * `fd` is the attached, writable mount.  Mounts a read-only clone of it over it: this is what
 * the run sees.  polrun keeps `fd`; a file that it opens there for the run has its true name
 * in /proc, but is nothing that can be executed.  Should the upper mount be lost with its
 * place, so is the lower one.
 */
int place_cover_broker(const struct init *in, const struct plan_op *op, int fd, struct rt_err *err);
/* Attaches the detached tree `fd` there; closes both. */
int place_attach(const struct plan_op *op, int fd, int place, struct rt_err *err);

#endif
