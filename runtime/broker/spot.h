/* What a path is walked for, and what it led to: see resolve.h. */
#ifndef RUNTIME_BROKER_SPOT_H
#define RUNTIME_BROKER_SPOT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "runtime/broker/name_text.h"
#include "runtime/broker/tree.h"

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
	char *path;                       /* resolved, absolute, inside: text.s */
	struct name_text text;
};

/* The path is not the broker's: the kernel's own walls answer. */
#define BROKER_NOT_OURS 1
/* The caller has waited too long; nothing was done. */
#define BROKER_TOO_LATE 2
/* See broker_rules.start. */
#define BROKER_LATER 3
/* The path goes through a link of a process, and where that leads is not known. */
#define BROKER_UNDECIDED 4
/* Internal: the call is to be made once more, with the lock alone. */
#define BROKER_NEEDS_LOCK 5
/* broker_caller.may_follow has refused a link on the way, and has said why. */
#define BROKER_REFUSED 6

#endif
