/*
 * The standard library of the running program: the folder ../share/pol/stdlib-policies,
 * relative to the folder of its executable.  In a build tree, `make` puts a link there.
 * So one rule holds everywhere, and no program has a path compiled in.
 *
 * std/base and the floor are part of everybody's policy.  So whoever may write the
 * library must be somebody who could just as well replace the program: root, the
 * caller, an owner of the executable or of a folder above it, or a group that may write
 * one of these.  library_writer() finds others.
 */
#ifndef COMPILER_SEMA_LIBRARY_H
#define COMPILER_SEMA_LIBRARY_H

#include <sys/types.h>

#include "compiler/base/arena.h"
#include "compiler/base/vec.h"

struct library {
	const char *dir; /* absolute; may not exist */
	/* who may replace the program */
	VEC(uid_t) owners;
	VEC(gid_t) groups;
	VEC(const char *) fine; /* folders that were checked and are safe */
};

/* Returns NULL with errno set if the system does not say which program is running. */
struct library *library_own(struct arena *a);
/*
 * Can anybody other than these write `real` (a canonical path below l->dir) or a folder
 * that contains it?  Returns a text such as "'PATH' is writable by everybody (mode
 * 0777)", or NULL if nobody can.  A path that cannot be examined counts as writable.
 */
const char *library_writer(struct library *l, struct arena *a, const char *real);

#endif
