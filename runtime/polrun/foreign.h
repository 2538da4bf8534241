/* Root's runs map one owner: what others own in the project stays foreign. */
#ifndef RUNTIME_POLRUN_FOREIGN_H
#define RUNTIME_POLRUN_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

/*
 * Looks below `dirfd` for an entry that its top directory's owner does not
 * own: a few levels and a few thousand entries, it is for a message.  The
 * path relative to dirfd, escaped.  Opens only beneath dirfd.
 */
bool foreign_find(int dirfd, char *out, size_t cap);
/* One line where there is such an entry below the project. */
void foreign_say(FILE *out, int dirfd, const char *project);

#endif
