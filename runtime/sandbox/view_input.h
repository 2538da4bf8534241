/* What a view is made of: the anchors of a bundle, this run's roots, and who decides. */
#ifndef RUNTIME_SANDBOX_VIEW_INPUT_H
#define RUNTIME_SANDBOX_VIEW_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "runtime/bundle/format.h"

enum view_answer {
	VIEW_ALLOW,
	VIEW_OWN,      /* only scratch rules allow it: a file of the run's own */
	VIEW_DENY,     /* a rule says so */
	VIEW_OTHERWISE /* no rule allows it */
};

/* What the rules say about a name. */
enum { VIEW_READ, VIEW_WRITE, VIEW_EXEC, VIEW_OPS };
struct view_answers {
	uint8_t answer[VIEW_OPS]; /* enum view_answer */
	uint32_t rule[VIEW_OPS];  /* that decides */
};

#define VIEW_AF_FORCE 0x80 /* read-only whatever the rules say (for git's hooks) */
#define VIEW_AF_LIBRARY 0x20 /* a rule of std/base or of the floor */
#define VIEW_AF_FILE 0x40  /* with VIEW_AF_FORCE: a name that may be absent (for git's
                              files) */

struct view_anchor {
	char *path;       /* full, absolute */
	uint8_t kind;     /* enum pb_anchor_kind */
	uint8_t root;     /* enum pb_root */
	uint8_t effect;   /* enum pb_effect */
	uint8_t ops;
	uint8_t flags;    /* enum pb_anchor_flag */
	uint32_t rule;
};

/* A tree of the host that has a second name inside. */
struct view_mount {
	char *host, *place; /* full, absolute */
	uint32_t rule;
};

/* The input of view_make(). */
struct view_in {
	const char *prefix; /* "" or, in tests, a directory that stands for / */
	const char *home, *project, *project_link;
	const char *git_common; /* physical when the run began, or NULL */
	const char *remembered; /* the folder of remembered.h, or NULL */
	/* Returns true if the repository or the .pol at this path is one of the run itself, whose
	   names are not kept from it.  NULL: none is. */
	bool (*is_own)(void *arg, const char *path);
	void *is_own_arg;
	const char *mountinfo; /* the host's mountinfo, in the format of proc(5), or NULL */
	const char *sockets;   /* the sockets that are bound now, in the format of
	                          /proc/net/unix, or NULL */
	bool broker;  /* writing can be decided by name, call by call (runtime/broker);
	                 else a tree in which only some names may be written is read-only */
	bool opens;   /* and so can reading: it also needs Landlock */
	bool host_network; /* mode `full` */
	uid_t uid;    /* the caller's, or --user's */
	bool foreign; /* a run as root: its user owns no files except those that are
	                 mapped */
	const struct view_anchor *anchors;
	size_t n;
	/* No place lies inside another.  Questions about a path below a place are
	   answered for its name on the host. */
	const struct view_mount *mounts;
	size_t nmounts;
	/* files that no run may write, whatever the rules say: see struct sandbox_run */
	const char *const *kept;
	size_t nkept;
	size_t nbelieved; /* the run may not even be able to reach the first `nbelieved`
	                     of them: -EPERM */
	void (*decide)(void *arg, const char *path, struct view_answers *ret);
	/* one answer about a connection to a socket file; NULL: no anchor is a socket's */
	enum view_answer (*decide_socket)(void *arg, const char *path, uint32_t *ret_rule);
	void *arg;
	uint32_t otherwise; /* number of the otherwise-read rule; those for write and
	                       exec follow */
};

/* May the run write there, as the rules alone say? */
static inline enum view_answer view_may_write(const struct view_in *in, const char *path)
{
	struct view_answers a;

	in->decide(in->arg, path, &a);
	return a.answer[VIEW_WRITE];
}

#endif
