/* The part of a plan that makes overlays of trees. */
#ifndef RUNTIME_SANDBOX_PLAN_STAGED_H
#define RUNTIME_SANDBOX_PLAN_STAGED_H

#include "runtime/sandbox/plan_build.h"

/* A path from the new root. */
uint32_t plan_rel(struct plan_build *b, const char *path, size_t len);

/*
 * A staged run.  First the directory of a node's upper layer is opened; then, before the
 * node's tree is mounted, it becomes an overlay.  A node in a staged tree is compared
 * before the operation that mounts on its name.  All do nothing for other nodes.
 */
void plan_open_layer(struct plan_build *b, size_t i);
void plan_overlay(struct plan_build *b, size_t i);
void plan_check_below(struct plan_build *b, size_t i);
/* Does the node lie in a staged tree? */
bool plan_in_overlay(const struct plan_build *b, size_t i);
/* The run must not see the layers of its overlays, nor what other runs have staged. */
void plan_hide_stages(struct plan_build *b);

#endif
