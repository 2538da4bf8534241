/* Shared by the halves of the view: places under consideration. */
#ifndef RUNTIME_SANDBOX_VIEW_CAND_H
#define RUNTIME_SANDBOX_VIEW_CAND_H

#include "runtime/sandbox/view.h"

#define VIEW_NO_RULE UINT32_MAX

/* A place under consideration. */
struct cand {
	char *path;
	char *from;      /* below the place of a mount: the host's name; else NULL */
	bool mounted;    /* the place itself */
	uint64_t at_dev, at_ino; /* what the host has at the place */
	bool private_;   /* begins a private tree */
	bool scratch;    /* a rule makes it the run's own */
	bool named;      /* an allow names it: the host's object is shown */
	bool restricts;  /* a deny or hide names it */
	bool floor;      /* only rules of the floor do */
	bool deep_ro;    /* nothing below is writable: `by` */
	bool ro;         /* itself is read-only: `by` */
	bool made;       /* a wildcard's directory in a private tree */
	bool project;
	uint32_t by, rule;
	/* filled by settle() */
	struct view_place place;
	bool looked, from_host;
	uint8_t ops, wanted;
	uint32_t rules[3];
	int up;          /* the kept place above, or -1 */
	bool keep, mask, lock, absent, note;
};

/* A literal path of a rule that goes through links on the host. */
struct alias {
	char *path, *real; /* as the rule has it; physical */
	uint32_t rule;
	bool lends;        /* an allow, and no run can have made a link of it */
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
	bool anywhere;   /* all of the host can be read: its "/" is the root */
	bool spread;     /* the root is empty all the same, and the host's top names
	                    are mounted one by one: a place needs a new name there */
	bool again;      /* a place changed that was settled already */
	bool at_once;    /* and what was settled since may be wrong */
	struct rt_err *err;
};

/* The candidate for `path`, made where there is none; NULL: no memory. */
struct cand *view_cand_at(struct maker *m, const char *path);
/* --- view_binds.c --- */
/* The names that other mounts of the host give to what rules take away. */
int view_binds(struct maker *m);
/* What is at `real` has the name `path`, too, which denies and lends nothing. */
int view_alias(struct maker *m, const char *path, const char *real, uint32_t rule);

/* The host's link at `path`, as it is, in the view. */
int view_copy_link(struct maker *m, const char *path);
/* Every place that the anchors, the run and git name. */
int view_cands(struct maker *m);
/* --- view_mount.c --- */
/* The trees that are mounted, and where; refused where a place cannot be. */
int view_mounts(struct maker *m);
/* Below each place stands what stands below its tree, with what was found out
 * about it since. */
int view_mirror(struct maker *m);
/* --- view_walls.c --- */
/* The link is to stay what it is. */
int view_guard_link(struct maker *m, const struct view_link *link, uint32_t rule);
/* Of settled candidates: what a process of the host could take away. */
int view_walls(struct maker *m);
/* Where the object is on the host. */
static inline const char *view_host_name(const struct cand *c)
{
	return c->from ? c->from : c->path;
}

/*
 * Root's run: is there a directory above `path` that a user without anything
 * of his own cannot pass?  `ret_dir` is the first.  Trees of the run's own
 * stand in nobody's way.
 */
bool view_beyond_reach(const struct maker *m, const char *path, char ret_dir[4096]);
/* /proc, /dev but /dev/shm, /sys: the run's own make, rules only ever mask. */
bool view_is_system(const char *path);

#endif
