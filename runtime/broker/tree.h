/*
 * The places inside the sandbox that the broker knows, each with a descriptor that was
 * taken before the run began.  A place is an absolute physical path inside, without a
 * trailing '/'; of the places that hold a path, the longest counts.
 *
 * What the descriptor of a BROKER_TREE must be: O_PATH|O_DIRECTORY, on a writable mount
 * of polrun's own that is nosuid, nodev and noexec.  A descriptor that the broker hands
 * out keeps the attributes of this mount, whatever the view inside says: from a mount
 * of the host a run could map what it wrote as code.
 */
#ifndef RUNTIME_BROKER_TREE_H
#define RUNTIME_BROKER_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum broker_place_kind {
	BROKER_TREE, /* writing calls are the broker's */
	BROKER_HOLE, /* another mount inside (a mask, a native tree): not the broker's
		      */
	BROKER_LOOK, /* only walked, for links that lead into a tree: not the broker's
		      */
	BROKER_WRITE_HERE, /* opening a file for writing and naming a socket are the broker's, on
			      the mount that the run sees, and no rule about files is asked: the
			      mounts hold what the rules say.
			      All other calls are the kernel's.  Walked as BROKER_LOOK is */
	BROKER_ALONE, /* in broker.alone_files: a file of the host that is mounted alone in a private tree,
			 and that the run may write */
	/* in broker.reads, and walked as BROKER_LOOK is */
	BROKER_OPEN_HERE, /* opening a file or a directory for reading is the broker's */
	BROKER_OPEN_OWN,  /* the same of a private tree, and no rule is asked */
	BROKER_LIST,      /* opening a directory is, and no rule is asked: it is the run's own,
			     and shows nothing but names of places */
};

struct broker_place {
	const char *at; /* the caller's, as long as the set lives; "/" not as
			   BROKER_TREE */
	size_t len;     /* of `at`; 0 for "/" */
	int fd;         /* -1 for BROKER_HOLE; the caller's */
	uint8_t kind;   /* enum broker_place_kind */
	dev_t dev;      /* its file system; not of BROKER_HOLE and BROKER_LOOK */
};

#define BROKER_MOST_PLACES 4096

/* Zero-initialised it is empty. */
struct broker_trees {
	struct broker_place *v; /* sorted by `at` */
	size_t n, cap;
	uid_t uid; /* who the broker acts as: whose links in a sticky directory are
		      followed */
};

/* 0, -EINVAL (not such a path, or a descriptor that does not fit the kind), -EEXIST,
 * -E2BIG or -ENOMEM. */
int broker_trees_add(struct broker_trees *t, enum broker_place_kind kind,
		     const char *at, int fd);
/* Closes no descriptor. */
void broker_trees_release(struct broker_trees *t);

/* The longest place that is `path` (plain, `len` bytes, "" for the root) or holds it;
 * NULL: none.  *ret_rest, if wanted, is what follows the place, without a '/' in front.
 */
const struct broker_place *broker_trees_find(const struct broker_trees *t,
					     const char *path, size_t len,
					     const char **ret_rest);
/* The place at exactly this path, or NULL. */
const struct broker_place *broker_trees_at(const struct broker_trees *t,
					   const char *path, size_t len);
/* Is there a place below the path (not at it)? */
bool broker_trees_below(const struct broker_trees *t, const char *path, size_t len);

#endif
