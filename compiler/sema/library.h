/*
 * The standard library of the program that runs: the folder
 * ../share/pol/stdlib-policies of the one that its executable lies in.  In a
 * build tree `make` puts a link there, so that one rule holds for all and no
 * program has a path compiled in.
 *
 * std/base and the floor are part of everybody's policy, so whoever may write
 * the library must be somebody who could as well replace the program: root,
 * the caller, an owner of the executable or of a folder above it, and a group
 * that may write one of these.  Others are found by library_writer().
 */
#ifndef COMPILER_SEMA_LIBRARY_H
#define COMPILER_SEMA_LIBRARY_H

#include <sys/types.h>

#include "compiler/base/arena.h"
#include "compiler/base/vec.h"

struct library {
	const char *dir; /* absolute; need not exist */
	/* who may replace the program */
	VEC(uid_t) owners;
	VEC(gid_t) groups;
	VEC(const char *) fine; /* folders that were looked at and are right */
};

/* NULL with errno set where the system does not tell which program runs. */
struct library *library_own(struct arena *a);
/*
 * What another than these may write of `real` (a canonical path below
 * l->dir) or of what it lies in, as "'PATH' is writable by everybody (mode
 * 0777)"; NULL: nothing.  What cannot be looked at is such a thing.
 */
const char *library_writer(struct library *l, struct arena *a, const char *real);

#endif
