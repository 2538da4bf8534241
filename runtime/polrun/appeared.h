/* Names of the floor that a run could create, after the run. */
#ifndef RUNTIME_POLRUN_APPEARED_H
#define RUNTIME_POLRUN_APPEARED_H

#include <stdbool.h>
#include <stdio.h>

#include "runtime/sandbox/sandbox.h"

/*
 * Also where a directory of its path has become a file or a link that leads
 * nowhere here: git follows a .git file to another repository.  And where it
 * cannot be looked at: somebody should.
 */
bool appeared_at(const struct sandbox_view *view, const char *path);
/* One line for each; `which` gets their numbers in view->creatable, of which it
 * has room for all; how many there are is added to *ret_n. */
void appeared_say(FILE *out, const struct bundle *b, const struct sandbox_view *view,
		  size_t *which, size_t *ret_n);

#endif
