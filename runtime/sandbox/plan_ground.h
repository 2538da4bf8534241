/* The part of a plan that needs no view. */
#ifndef RUNTIME_SANDBOX_PLAN_GROUND_H
#define RUNTIME_SANDBOX_PLAN_GROUND_H

#include "runtime/sandbox/plan.h"

/*
 * Appends all of the following for a run with an empty root.  A plan can begin with it, and
 * plan_view() is then called with `grounded`; a view for which plan_ground_fits() is false
 * needs one plan.
 */
void plan_ground(struct plan *p, bool host_network);
/* The run's own tmpfs: the new root, scratch trees, masks. */
void plan_base(struct plan *p);
/* Its size in bytes; 0: no limit. */
void plan_limit(struct plan *p, uint64_t disk);
/* The devices and /proc of the root.  `anywhere`: it is the host's, and the names for them
 * are there. */
void plan_kernel(struct plan *p, bool anywhere, bool host_network);
/* The path of the i-th device that a run has; NULL: there are no more. */
const char *plan_device(size_t i);
/* The names for devices, terminals and links in the directory `top`. */
void plan_devices(struct plan *p, const char *top, uint32_t flags);
/* An object that can be attached as a mask. */
struct plan_op *plan_mask(struct plan *p, enum step_id step, const char *name, unsigned mode);
struct plan_op *plan_add_at(struct plan *p, enum step_id step, const char *path,
			    const char *other, uint32_t flags);

#endif
