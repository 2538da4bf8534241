/* Names that no run may write, whatever the rules say. */
#ifndef RUNTIME_SANDBOX_VIEW_PROTECT_H
#define RUNTIME_SANDBOX_VIEW_PROTECT_H

#include "runtime/sandbox/view_place.h"

/*
 * Protects what git runs or reads, names in the user's home, and the files that the next
 * run relies on.  Lists git's names and the repositories below the project in b->out.
 * -EPERM: the run could reach a file that the next run would believe.
 */
int view_protect(struct view_builder *b);

#endif
