/*
 * Finds what a path of the run means, by descriptors.  Each name is opened from the
 * descriptor of its directory, never through a symbolic link; the broker reads links
 * itself and follows them inside of the sandbox's names.  So the path that comes out,
 * and that the rules judge, is the way by which the descriptors were reached, also
 * while somebody exchanges directories and links.
 *
 * Through the links of a process in the run's /proc (procfs.h) it goes by the path that
 * they lead to, if a BROKER_LOOK place shows that /proc.
 *
 * Another mount below a tree is entered if its file system holds nothing but files and is
 * not that of a tree: a second name of what is in one would not be judged by its first.
 * Those that the host makes later are not there: the mount of a tree is private.
 *
 * Time: a path of n names without links and ".." costs one or two calls of the kernel.
 * Otherwise a name costs three; at most BROKER_MOST_STEPS names are looked at.
 */
#ifndef RUNTIME_BROKER_RESOLVE_H
#define RUNTIME_BROKER_RESOLVE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "runtime/broker/asker.h"
#include "runtime/broker/spot.h"
#include "runtime/broker/tree.h"

#define BROKER_MOST_LINKS 40 /* path_resolution(7) */
#define BROKER_MOST_STEPS 8192

/*
 * `base` is the plain absolute path inside from which a relative `raw` starts; without it (NULL)
 * `raw` is no text of the run's, but a whole name, which may be longer than PATH_MAX.  Returns
 * 0, BROKER_NOT_OURS, BROKER_TOO_LATE, BROKER_UNDECIDED, BROKER_REFUSED, or what the kernel says of such a path: -ENOENT
 * (a directory on the way is missing, or `raw` is empty), -ENOTDIR, -EACCES, -ELOOP,
 * -ENAMETOOLONG …; -EROFS for what lies in other mounts, -ELOOP for more
 * steps than there may be.  A last name that is missing is no error: object is -1. With
 * BROKER_WALK_PARENT `slash` is the caller's to judge; else a '/' behind what is no
 * directory gives -ENOTDIR.
 *
 * *ret is to be released only if 0 is returned.
 */
int broker_resolve(const struct broker_trees *trees, const struct broker_caller *by,
		   const char *base, const char *raw, unsigned how,
		   struct broker_spot *ret);
/* Nothing. */
void broker_spot_init(struct broker_spot *s);
void broker_spot_release(struct broker_spot *s);

#endif
