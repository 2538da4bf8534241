/*
 * Who may write a file or a folder besides its owner and root.  Whatever is believed because of its
 * owner and mode is judged here: what root keeps for everybody, and what polrun makes for itself with
 * mode 0600 or 0700, is judged more strictly, and no group may write it.
 */
#ifndef RUNTIME_BASE_WRITERS_H
#define RUNTIME_BASE_WRITERS_H

#include <sys/stat.h>

#include "runtime/base/err.h"

/*
 * NULL if only the owner, the caller and root may write what `st` describes; else the reason.  A group may
 * write if it is the private group of the owner or of the caller, and there is no access control list.
 * `fd` is the open file (also with O_PATH), or -1: then it is looked for at `path`, and must be the same.
 */
const char *writers_others(const char *path, int fd, const struct stat *st);

/* Fails with the reason, and says what to do.  `what` is the file in words, `shown` its escaped path. */
int writers_refuse(struct rt_err *err, const char *what, const char *shown, const struct stat *st,
		   const char *why);

/*
 * Is `gid` the private group of `uid` by these texts of /etc/passwd and /etc/group?  It is if it is this
 * user's primary group and no other's, and if the one entry of the group has the user's name and no other
 * member.  NULL, or the reason.  root has none.  A line that is neither an entry, empty nor a comment
 * decides against it: another reader of the file could find a user or a member in it.
 */
const char *writers_private_group(const char *passwd, const char *group, uid_t uid, gid_t gid);

#endif
