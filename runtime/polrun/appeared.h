/* Names of the floor that a run could create, looked for after the run. */
#ifndef RUNTIME_POLRUN_APPEARED_H
#define RUNTIME_POLRUN_APPEARED_H

#include <stdbool.h>
#include <stdio.h>

#include "runtime/sandbox/sandbox.h"

/*
 * True if the name exists now.  Also true if a directory of its path has become a file
 * or a link that leads nowhere here (git follows a .git file to another repository),
 * and if the name cannot be looked at: then somebody should.
 */
bool appeared_at(const struct sandbox_view *view, const char *path);
/* Prints one line for each name that has appeared.  `which` receives their indexes in
 * view->creatable and has room for all of them; their number is added to *ret_n. */
void appeared_say(FILE *out, const struct bundle *b, const struct sandbox_view *view,
		  size_t *which, size_t *ret_n);

#endif
