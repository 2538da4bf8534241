/* A run as root maps only one owner: files of other owners in the project stay foreign. */
#ifndef RUNTIME_POLRUN_FOREIGN_H
#define RUNTIME_POLRUN_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

/*
 * Looks below `dirfd` for an entry whose owner is not that of `dirfd`, through a few
 * levels and a few thousand entries: it is only for a message.  Returns the path
 * relative to dirfd, escaped.  Opens only beneath dirfd.
 */
bool foreign_find(int dirfd, char *out, size_t cap);
/* Prints one line if there is such an entry below the project. */
void foreign_say(FILE *out, int dirfd, const char *project);

#endif
