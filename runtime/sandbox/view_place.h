/*
 * The places of a view while it is built.  Three stages look at a place, one after the
 * other: what is wanted there, what the host has there, and what the run gets there.
 * Each stage fills its own part of the place and reads the parts before it.
 */
#ifndef RUNTIME_SANDBOX_VIEW_PLACE_H
#define RUNTIME_SANDBOX_VIEW_PLACE_H

#include "runtime/base/err.h"
#include "runtime/sandbox/host_mounts.h"
#include "runtime/sandbox/sandbox_view.h"
#include "runtime/sandbox/view_host.h"
#include "runtime/sandbox/view_input.h"

#define VIEW_NO_RULE UINT32_MAX
#define VIEW_MOST_COPIED 65536

/*
 * 1. What is wanted.  Filled by view_want.c and the files that it calls: view_anchor.c
 * (rules), view_protect.c (names that no run may write), view_binds.c (other names of
 * what is restricted) and view_mount.c (mounts at another place).  Wishes are only ever
 * added.  The third stage adds to `ro` and `scratch`, and then settles the places again.
 */
struct view_wanted {
	bool named;      /* an allow names it: show the host's object */
	bool restricted; /* a deny or hide names it */
	bool floor;      /* only rules of the floor restrict it */
	bool library;    /* only rules of std/base and of the floor do, or polrun for git
	                    (VIEW_AF_FORCE): they are about files of the host */
	bool private_;   /* a private tree begins here */
	bool scratch;    /* the private tree is writable for the run */
	bool wildcard;   /* a rule with a wildcard restricts names in this directory */
	bool opens;      /* a rule with a wildcard lets names in this directory be written */
	uint32_t unread, unstarted; /* this rule with a wildcard takes reading (executing)
	                               away from names here or below; VIEW_NO_RULE */
	bool forced;     /* read-only whatever the rules say: VIEW_AF_FORCE */
	bool project;
	bool socket;     /* a unix rule lets the run connect to a socket of this name */
	bool no_socket;  /* a unix rule denies connections to a socket of this name */
	bool listens;    /* the host has a socket of this name, which no rule allows */
	bool mounted;    /* a mount shows another tree of the host here */
	bool copied;     /* settings that the run may change for itself: a private tree begins
	                    with a copy of the file (view_copy.c) */
	uint32_t rule;   /* that restricts or mounts */
	struct {
		bool here;   /* the place itself is read-only, or (view_in.broker, and it
		                is not `forced`) its names are decided one by one */
		bool below;  /* and so is everything below */
		uint32_t by; /* because of this rule */
		char *name;  /* an absent name, or a link that a run could replace, is the
		                reason; NULL: a wildcard is.  malloc'ed */
	} ro;
};

/* 2. What the host has.  Filled by view_find.c. */
struct view_found {
	bool looked;               /* `object` is valid */
	struct view_object object; /* at the place's name on the host */
	uint64_t at_dev, at_ino;   /* of a mounted tree's mount point, if it lies in a
	                              tree of the host */
};

/* 3. What the run gets.  Filled by view_settle.c. */
struct view_given {
	int up;            /* index of the kept place above, or -1 */
	uint8_t ops;       /* pb_op bits */
	uint8_t allowed;   /* pb_op bits that the rules alone would give */
	bool broker;       /* PB_WRITE in `ops` is decided by name, call by call: what is
	                      mounted is read-only */
	uint32_t rules[3]; /* the rules that decide read, write, exec */
	bool keep;         /* differs from the place above: becomes a node of the view */
	bool from_host;    /* shows the host's object */
	bool mask;         /* shows nothing */
	bool lock;         /* the run makes an empty, read-only name */
	bool absent;       /* the host has nothing there */
	bool is_dir;       /* the run makes a directory there */
	bool note;         /* nothing is mounted, but --plan shows it */
	bool copy;         /* the private tree begins with a copy of the host's file */
	bool socket;       /* a socket file that is brought in alone */
	bool soft;         /* the mask is of what the run found and not of a rule: the
	                      host may take the name away */
};

/* What the rules alone say about `path`, and about a name below it that no rule knows: asked
 * once, as it stays the same.  Filled by view_decide.c. */
struct view_said {
	bool at, below; /* it was asked */
	struct view_answers at_path, below_path;
};

struct view_place {
	uint32_t key; /* of the path, for view_place_at() */
	uint32_t len; /* of the path */
	char *path;   /* inside; absolute */
	char *source; /* at or below a mounted tree: the name on the host; else NULL */
	struct view_said said;
	struct view_wanted wanted;
	struct view_found found;
	struct view_given given;
};

/* A link of the host through which a rule takes something away. */
struct view_guarded {
	char *path, *target;
	uint32_t rule;
};

/* A directory in which a name was missing.  Thousands of rules may name what would lie in one
 * that is not there. */
#define VIEW_MISSED 1024u
struct view_missed {
	char *dir; /* NULL: none */
	bool looked, absent; /* `absent` is valid if `looked` */
};

struct view_builder {
	const struct view_in *in;
	struct view_place *places;
	size_t n, cap;
	uint32_t *index; /* by path, open addressing: index of the place + 1; 0: empty */
	uint32_t nindex; /* a power of 2 */
	struct view_missed missed[VIEW_MISSED]; /* by a hash of `dir` */
	struct host_mounts mounts; /* of the host; read by view_binds() */
	/* the rest of what is wanted (stage 1) */
	struct sandbox_alias *aliases;
	size_t naliases;
	struct view_guarded *guarded;
	size_t nguarded;
	uint32_t any_ro; /* an any-depth deny of writing, or VIEW_NO_RULE */
	uint32_t any_unread, any_unstarted; /* of reading, of executing */
	bool anywhere;   /* all of the host can be read: the host's "/" is the root */
	bool spread;     /* the root is empty all the same, and the top names of the
	                    host are mounted one by one: a mount needs a new name there,
	                    or names can be written anywhere */
	/* the rest of what the run gets (stage 3) */
	bool below, opens; /* a place has ro.below, or `opens` */
	bool again;      /* a place that was settled already has changed */
	bool at_once;    /* and what was settled since then may be wrong */
	struct sandbox_view *out;
	struct rt_err *err;
};

/* Finds or adds the place `path`.  Adding one moves the others.  NULL: no memory. */
struct view_place *view_place_at(struct view_builder *b, const char *path);
/* The place `path`, or NULL. */
const struct view_place *view_place_find(const struct view_builder *b, const char *path);
void view_places_release(struct view_builder *b);
/* Finds the places anew after they have been moved.  0 or -ENOMEM. */
int view_places_index(struct view_builder *b);
/*
 * The places above a path (not at it), one after the other from the top; NULL: no more.  *at
 * starts as { 0 }.
 */
struct view_upwards {
	size_t len; /* of what has been seen */
	uint32_t key;
};
struct view_place *view_places_above(const struct view_builder *b, const char *path,
				     struct view_upwards *at);
/* Notes why a place is read-only, unless that is known: by the first rule that says so.
 * `name` is copied.  -ENOMEM, or 0. */
int view_place_ro_by(struct view_place *p, uint32_t rule, const char *name);
/* view_look(); what is below a directory that is missing is not looked for each time. */
int view_look_once(struct view_builder *b, const char *path, struct view_object *ret);
/* True for a path in a private tree, or at its top. */
bool view_is_private(const struct view_builder *b, const char *path);

/* Keeps the name from being written, whatever the rules say; `below`: and what lies below
 * it.  The path is copied.  -ENOMEM, or 0. */
int view_deny_name(struct view_builder *b, const char *path, uint32_t rule, bool below);
/* Notes that the last such name is denied because this link leads there.  -ENOMEM, or 0. */
int view_denied_by_link(struct view_builder *b, const char *link);

/* What the mount itself gives of `ops`. */
static inline uint8_t view_native(const struct view_given *g)
{
	return g->broker ? (uint8_t)(g->ops & ~PB_WRITE) : g->ops;
}

/* The name of the object on the host. */
static inline const char *view_host_name(const struct view_place *p)
{
	return p->source ? p->source : p->path;
}

#endif
