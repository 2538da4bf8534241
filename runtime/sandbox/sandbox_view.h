/* The view of a run: what it sees of the host, with which rights, and by which rules. */
#ifndef RUNTIME_SANDBOX_SANDBOX_VIEW_H
#define RUNTIME_SANDBOX_SANDBOX_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "runtime/base/repo.h"
#include "runtime/bundle/format.h"

/* One place of the view, sorted by path (outer before inner). */
struct sandbox_node {
	char *path;          /* inside the sandbox; absolute */
	char *source;        /* below the place of a mount: the name on the host; NULL:
	                        the same as `path` */
	uint8_t ops;         /* pb_op bits that are granted here and below */
	bool broker;         /* PB_WRITE of `ops` holds for names that the rules allow: the
	                        mount is read-only, and polrun makes the writing calls */
	bool open_by_name;   /* PB_READ of `ops` holds for names that the rules allow:
	                        Landlock lets the run open none, and polrun opens them */
	bool write_by_name;  /* the mount is writable, but Landlock lets the run open no file for
	                        writing and make no socket: polrun does that.  Landlock's rights
	                        would hold in the trees below as well, where a FIFO of the host
	                        must not be written, or a socket must not be made */
	bool no_sockets;     /* the run writes this tree of the host by itself, but makes no socket in
	                        it: other runs could connect to it.  Without seccomp notifications also a
	                        private tree around such a tree */
	char *text;          /* noted: the private tree begins with this copy of the host's file, which is the
	                        run's own then; NULL: it is none */
	size_t ntext;
	bool alone;          /* a file that the run may write, in a private tree: polrun makes a rename
	                        over it (runtime/broker/act_save.c) */
	bool start_by_name;  /* PB_EXEC of `ops` holds for the programs that the rules allow
	                        and that are there when the run begins (plan_programs.h) */
	bool scratch;        /* a private, empty tree */
	bool masked;         /* exists on the host, but shows nothing */
	bool absent;         /* does not exist on the host */
	bool is_dir;
	bool socket;         /* a socket file that a unix rule brought in: rule[0] */
	bool soft;           /* masked, but no wall: a socket that no rule names */
	bool forced_ro;      /* read-only by force, because of a wildcard or an absent
	                        name */
	uint32_t rule[3];    /* deciding rule for read, write, exec; UINT32_MAX none */
	uint32_t forced_by;  /* the rule behind forced_ro or broker */
	char *forced_name;   /* the name behind it: absent, a link, or restricted alone;
	                        NULL: a wildcard */
	bool locked;         /* a name that the run made: empty, read-only */
	bool noted;          /* only shown by --plan: nothing is mounted here */
	/* device and inode that polrun saw on the host; pin_fd (O_PATH, -1 none) holds
	   the object until the view is released */
	uint64_t dev, ino;
	uint64_t at_dev, at_ino; /* dev and ino of the mount point, if it lies in a tree
	                            of the host */
	uid_t uid;
	gid_t gid;
	int pin_fd;
};

/* A symbolic link that is copied from the host into the run's own trees. */
struct sandbox_link {
	char *path;
	char *target;
};

/*
 * A restriction that depends on a name of the host still leading to what it led to when
 * the run started.  When a process of the host renames over a name or removes it, the
 * kernel removes the mounts on that name in every namespace; when the name is moved,
 * the mount moves along.  The supervisor watches these names
 * (runtime/supervise/walls.h).
 */
enum sandbox_wall_kind {
	SANDBOX_WALL_MOUNT,  /* `path` is the root of a mount */
	SANDBOX_WALL_ABSENT, /* nothing is at `path`: if something appeared, the run
	                        would see it */
	SANDBOX_WALL_LINK,   /* `path` is a symbolic link whose text is `target` */
	SANDBOX_WALL_NAME,   /* `path` is not written, in a brokered tree: what appears there
	                        must not be what the run can write by other means */
	SANDBOX_WALL_STAYS   /* the run does not move or remove `path`; the host may */
};

struct sandbox_wall {
	char *path; /* path inside; for the host's path use sandbox_view_host() */
	char *target;
	uint8_t kind;
	bool absent;   /* of SANDBOX_WALL_NAME: nothing is there when the run begins */
	uint32_t rule; /* UINT32_MAX: no rule, the run itself needs it */
};

/* A name of the host that is kept besides those that rules name: what git reads or runs, and the
 * floor's names at the top of a project below. */
struct sandbox_git {
	char *path; /* malloc'ed, absolute */
	bool hooks; /* true: a directory, with all below it; false: a file, or absent */
	bool maybe; /* git may run it: it matters only where the run could write it */
	bool stays; /* it is not moved or removed, and may be written otherwise */
	uint32_t rule;
};

/* A directory of the host, and the repositories that git would find in it before the run. */
struct sandbox_tree {
	char *path; /* malloc'ed, absolute; NULL if the project was not searched */
	enum repo_top top;
	struct repo_list repos;
};

/* A name of the host that no run may write whatever the rules say about its path. */
struct sandbox_denied {
	char *path;
	char *link; /* in a directory that the rule denies, and leads to `path`; or NULL */
	uint32_t rule;
	bool below; /* and what lies below it */
};

/* What a link in a directory that must not be written leads to, and is not kept. */
enum sandbox_unsearched_why {
	SANDBOX_NOT_SEARCHED, /* `path` is a directory that holds too much, another mount, or a
	                         directory that cannot be read */
	SANDBOX_LEADS_AROUND  /* `path` is a link that leads to a directory around it, or around
	                         the project */
};

struct sandbox_unsearched {
	char *path;
	uint32_t rule; /* that denies writing there */
	uint8_t why;
};

/* A literal path of a rule that goes through links of the host. */
struct sandbox_alias {
	char *path, *real; /* as in the rule; physical, when the run began */
	uint32_t rule;
	bool lends; /* the rule is an allow, and no run can have made one of the links */
};

struct sandbox_view {
	struct sandbox_node *nodes; /* malloc'ed */
	size_t n;
	bool brokers; /* polrun makes calls for the run while it goes on */
	bool brokered; /* a node is a brokered directory */
	bool owns;    /* also in a private tree */
	bool opens;   /* a node is open_by_name */
	bool starts;  /* a node is start_by_name */
	/* names in brokered trees that rules without a wildcard are about, also absent ones: paths inside */
	char **restricted;
	size_t nrestricted;
	struct sandbox_denied *denied;
	size_t ndenied;
	struct sandbox_unsearched *unsearched;
	size_t nunsearched;
	struct sandbox_alias *aliases;
	size_t naliases;
	/* names of the floor that do not exist, and that the run may create (below
	 * `under`): host paths */
	struct { char *path; uint32_t rule; } *creatable;
	size_t ncreatable;
	struct sandbox_link *links;
	size_t nlinks;
	struct sandbox_wall *walls;
	size_t nwalls;
	/* what was searched for repositories before the run: the project, and the other trees
	 * of the host that the run writes */
	struct sandbox_tree project;
	struct sandbox_tree *trees;
	size_t ntrees;
	/* names that no run may write because git reads them */
	struct sandbox_git *git;
	size_t ngit;
};

/* What the mount itself gives of `ops`. */
static inline uint8_t sandbox_node_native(const struct sandbox_node *n)
{
	return n->broker ? (uint8_t)(n->ops & ~PB_WRITE) : n->ops;
}

/* Is this a directory of the host in which the kernel lets the run write nothing by itself?  A
 * FIFO in it can be opened for writing all the same, unless Landlock forbids it: the kernel does
 * not ask a read-only mount about FIFOs. */
static inline bool sandbox_node_shows_host_read_only(const struct sandbox_node *n)
{
	return n->is_dir && !n->noted && !n->scratch && !n->masked && !n->locked && !n->absent &&
	       !n->socket && !(sandbox_node_native(n) & PB_WRITE);
}

/* Does the run write the host's objects here, whoever makes the calls? */
static inline bool sandbox_node_writes(const struct sandbox_node *n)
{
	return !n->noted && !n->scratch && !n->masked && !n->locked && !n->absent &&
	       (n->ops & PB_WRITE);
}

/* Does it write them by itself? */
static inline bool sandbox_node_writes_itself(const struct sandbox_node *n)
{
	return sandbox_node_writes(n) && !n->broker;
}

/* Closes the descriptors of the places, which nobody needs once the mounts are made. */
void sandbox_view_close(struct sandbox_view *v);
void sandbox_view_release(struct sandbox_view *v);
/* The node that governs `path` inside (the nearest at or above it), or NULL. */
const struct sandbox_node *sandbox_view_find(const struct sandbox_view *v,
					     const char *path);
/* Does the path lie in a private tree, of a view in which polrun makes calls in such a tree? */
bool sandbox_view_owns(const struct sandbox_view *v, const char *path);

/* The host's name of the inside path `path`.  Written into `buf` if the two differ.
 * NULL: too long. */
const char *sandbox_view_host(const struct sandbox_view *v, const char *path, char *buf,
			      size_t cap);

#endif
