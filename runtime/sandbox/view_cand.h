/* Shared by the halves of the view: places under consideration. */
#ifndef RUNTIME_SANDBOX_VIEW_CAND_H
#define RUNTIME_SANDBOX_VIEW_CAND_H

#include "runtime/sandbox/view.h"

#define VIEW_NO_RULE UINT32_MAX

/* A place under consideration. */
struct cand {
	char *path;
	char *from;      /* the host's name, if this is below the place of a mount; else
	                    NULL */
	bool mounted;    /* this is the place of a mount itself */
	uint64_t at_dev, at_ino; /* dev and ino of what the host has at the place */
	bool private_;   /* a private tree begins here */
	bool scratch;    /* a scratch rule makes the tree writable for the run */
	bool named;      /* an allow names it: show the host's object */
	bool restricts;  /* a deny or hide names it */
	bool floor;      /* only rules of the floor restrict it */
	bool deep_ro;    /* nothing below is writable, because of rule `by` */
	bool ro;         /* itself is read-only, because of rule `by` */
	bool made;       /* the directory of a wildcard in a private tree */
	bool project;
	uint32_t by, rule;
	/* filled by settle() */
	struct view_place place;
	bool looked, from_host;
	uint8_t ops, wanted;
	uint32_t rules[3];
	int up;          /* index of the kept place above, or -1 */
	bool keep, mask, lock, absent, note;
};

/* A literal path of a rule that goes through links of the host. */
struct alias {
	char *path, *real; /* as in the rule; physical */
	uint32_t rule;
	bool lends;        /* the rule is an allow, and no run can have made one of the
	                      links */
};

/* A link of the host through which a rule takes something away. */
struct guarded {
	char *path, *target;
	uint32_t rule;
};

struct maker {
	const struct view_in *in;
	struct cand *c;
	size_t n, cap;
	struct alias *alias;
	size_t nalias;
	struct guarded *guarded;
	size_t nguarded;
	struct sandbox_view *out;
	uint32_t any_ro; /* an any-depth deny of writing, or VIEW_NO_RULE */
	bool anywhere;   /* all of the host can be read: the host's "/" is the root */
	bool spread;     /* the root is empty all the same, and the top names of the
	                    host are mounted one by one, because a mount needs a new
	                    name there */
	bool again;      /* a place that was settled already has changed */
	bool at_once;    /* and what was settled since then may be wrong */
	struct rt_err *err;
};

/* Finds or makes the candidate for `path`.  NULL: no memory. */
struct cand *view_cand_at(struct maker *m, const char *path);
/* --- view_binds.c --- */
/* Adds the names that other mounts of the host give to what rules take away. */
int view_binds(struct maker *m);
/* Notes that the object at `real` is also called `path`; a deny of that name then
 * holds, but an allow does not. */
int view_alias(struct maker *m, const char *path, const char *real, uint32_t rule);

/* Copies the link at `path` on the host into the view. */
int view_copy_link(struct maker *m, const char *path);
/* Adds every place that the anchors, the run and git name. */
int view_cands(struct maker *m);
/* --- view_mount.c --- */
/* Adds the trees that are mounted elsewhere; fails if a mount point is impossible. */
int view_mounts(struct maker *m);
/* Copies the candidates below each mounted tree to its mount point, with what was found
 * out about them since. */
int view_mirror(struct maker *m);
/* --- view_walls.c --- */
/* Notes that the link must not change during the run. */
int view_guard_link(struct maker *m, const struct view_link *link, uint32_t rule);
/* Finds, among settled candidates, what a process of the host could take away. */
int view_walls(struct maker *m);
/* The name of the object on the host. */
static inline const char *view_host_name(const struct cand *c)
{
	return c->from ? c->from : c->path;
}

/*
 * For a run as root: is there a directory above `path` that a user who owns no files
 * cannot pass?  `ret_dir` is the first one.  Trees of the run's own do not count.
 */
bool view_beyond_reach(const struct maker *m, const char *path, char ret_dir[4096]);
/* True for /proc, /dev (except /dev/shm) and /sys, which the run makes itself: rules
 * can only mask there. */
bool view_is_system(const char *path);

#endif
