/*
 * What Landlock can take away at each ABI version, for our own processes, which leave
 * themselves nothing but what they name.  (What a run keeps comes from the bundle.)
 *
 * The facts are those of linux/landlock.h: ABI 1 (Linux 5.13) has thirteen rights of files,
 * ABI 2 (5.19) REFER, 3 (6.2) TRUNCATE, 4 (6.7) the ports of TCP, 5 (6.10) IOCTL_DEV, 6 (6.12)
 * the scopes.  Rights that a later kernel adds are not handled, and stay.
 */
#ifndef RUNTIME_BASE_LANDLOCK_H
#define RUNTIME_BASE_LANDLOCK_H

#include <stddef.h>

#include "runtime/base/compat.h"

/* Everything that a kernel of this ABI takes away; nothing for ABI 0 (no Landlock).  A process
 * keeps what its caller takes out of it again. */
struct rt_landlock_attr landlock_all(int abi);

/* The bytes of the attribute that a kernel of this ABI knows: it refuses members that are set
 * behind them (E2BIG). */
size_t landlock_attr_size(int abi);

/* A ruleset that handles `attr`, whose members a kernel of this ABI has.  The descriptor
 * (close-on-exec, the caller's), or -1 with errno. */
int landlock_ruleset(const struct rt_landlock_attr *attr, int abi);

#endif
