/* What symbolic links in directories that must not be written lead to. */
#ifndef RUNTIME_SANDBOX_VIEW_LEAD_H
#define RUNTIME_SANDBOX_VIEW_LEAD_H

#include "runtime/sandbox/view_place.h"

/*
 * Searches the directories of the host that rules keep from being written for symbolic links,
 * and denies writing what the links lead to, with the same rule (semantics 5: a path has the
 * names of the links on the way).  Call it when all rules have their places.  What it leaves
 * out stands in b->out->unsearched.
 */
int view_lead(struct view_builder *b);

#endif
