/* Which commands are there to fetch something from a network. */
#ifndef RUNTIME_POLRUN_FETCHES_H
#define RUNTIME_POLRUN_FETCHES_H

#include "runtime/entry/entry.h"

/* True if some command of the line is one.  It decides only when a message comes, and what it says. */
bool fetches(const struct entry *e);
/* True if this command is one. */
bool fetches_part(const struct cmd_part *p);

#endif
