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
#include "runtime/broker/tree.h"

#define BROKER_MOST_LINKS 40 /* path_resolution(7) */
#define BROKER_MOST_STEPS 8192

enum broker_last {
	BROKER_LAST_NAME,     /* an ordinary name: parent and leaf are set */
	BROKER_LAST_DOT,      /* "." */
	BROKER_LAST_DOTDOT,   /* ".." */
	BROKER_LAST_PLACE,    /* a tree's own directory: inside it is a mount point */
	BROKER_LAST_NAMELESS, /* a descriptor of what has no name: only `object` is set
			       */
};

enum broker_walk {
	BROKER_WALK_PARENT,   /* the last name itself, even with a '/' behind it */
	BROKER_WALK_NOFOLLOW, /* a link at the end is followed only if a '/' is behind
				 it */
	BROKER_WALK_FOLLOW,
	BROKER_WALK_CREATE, /* as open(2) with O_CREAT: a link with a '/' behind it ends
			       it */
	BROKER_WALK_LINK,   /* as FOLLOW; what a descriptor leads to needs no name */
};
/* With one of these: `parent` is not wanted where the object is found at once (it may be -1). */
#define BROKER_WALK_ALONE 0x10u

/* What a path leads to.  Descriptors are O_PATH; `own` ones are closed by
 * broker_spot_release(), the others belong to the set of trees. */
struct broker_spot {
	int parent; /* the directory that holds the last name; -1 unless
		       BROKER_LAST_NAME */
	int object; /* what is there, never followed further; -1: nothing */
	bool own_parent, own_object;
	int missing;  /* if nothing is there: ENOENT, or ENAMETOOLONG for a name that
			 cannot be */
	bool slash;   /* a '/' stands behind the last name */
	uint8_t last; /* enum broker_last */
	mode_t mode;  /* of the object; 0: nothing is there */
	dev_t dev;    /* of the object, as ino and uid are */
	ino_t ino;
	uid_t uid;
	const struct broker_place *place; /* the tree */
	size_t len;                       /* of path */
	const char *leaf;                 /* the last name, at the end of `path` */
	char path[PATH_MAX];              /* resolved, absolute, inside */
};

/* The path is not the broker's: the kernel's own walls answer. */
#define BROKER_NOT_OURS 1
/* The caller has waited too long; nothing was done. */
#define BROKER_TOO_LATE 2

/*
 * `base` is the plain absolute path inside from which a relative `raw` starts.  Returns
 * 0, BROKER_NOT_OURS, BROKER_TOO_LATE, or what the kernel says of such a path: -ENOENT
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
