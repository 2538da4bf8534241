/*
 * Where a run or a decision takes place. polrun and polc both use this to find the
 * project's directory. Paths are absolute and physical, without '.', '..', '//' and a
 * trailing '/'.
 */
#ifndef RUNTIME_BASE_PLACE_H
#define RUNTIME_BASE_PLACE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Is the path absolute, without '.', '..', '//' and a trailing '/'? Only such paths are
 * judged as they are. NULL is not such a path. */
bool place_is_plain(const char *path);
/* Removes "//", "." and ".." from an absolute path, in place; "" is left of "/".  A ".."
 * removes the name before it, even if that is a link, so that a path that does not exist
 * yet gets a name, too. */
void place_make_plain(char *path);
/* How many of the first `n` bytes two paths share; both have so many. */
size_t place_shared(const char *a, const char *b, size_t n);
/* Is `path` equal to `dir`, or below it? */
bool place_is_below(const char *path, const char *dir);
/* Does the directory hold .pol or .git, which makes it a project?  1, 0 or -errno. */
int place_is_marked(const char *dir);
/*
 * The nearest ancestor of `from` (or `from` itself) that holds .pol or .git and is
 * strictly below `home` (or below "/", if `from` is outside of `home`); else `from`.
 * malloc'ed. NULL and errno if memory is short, or if a directory cannot be looked at for
 * another reason than missing permission to enter it.
 */
char *place_project(const char *from, const char *home);
/*
 * True if the physical path lies in a project, where a run can have made it: in what holds .pol or
 * .git, or else in the working directory.  Also if that cannot be found out.
 */
bool place_in_project(const char *real);
/* Finds the program in PATH, but not in a project.  0 or -ENOENT. */
int place_program(const char *name, char out[PATH_MAX]);
/*
 * The nearest directory strictly above `project`, and strictly below `home` (or "/") as above,
 * that holds the folder .pol: its policies do not hold in `project`, which is nearer.
 * malloc'ed; NULL if there is none, or memory is short.
 */
char *place_outer_project(const char *project, const char *home);
/*
 * The physical path of `path` (absolute, without '.', '..', '//' and a trailing '/'):
 * follows symbolic links in the beginning that exists, and keeps the rest. Returns 0,
 * -ENAMETOOLONG, or -ELOOP if a link leads nowhere or in a circle. What the caller may
 * not look at counts as missing. `out` has PATH_MAX bytes.
 */
int place_physical(const char *path, char *out);
/* The same for a path whose first `known` bytes, up to a '/', were found physical just
 * now. */
int place_physical_below(const char *path, size_t known, char *out);
enum { PLACE_MAX_LINKS = 40 };
/*
 * Places that rules name, and that lie behind a symbolic link on this machine: what a rule says of
 * `path` it says of `real` as well (semantics 5).
 */
struct place_links {
	struct place_link {
		char *path, *real;
	} *v;
	size_t n;
};
/* Adds a place, unless its path is physical, or leads nowhere.  0 or -ENOMEM. */
int place_links_add(struct place_links *l, const char *path);
void place_links_release(struct place_links *l);
/*
 * For many paths that are judged together: a directory without a link on its way is
 * remembered, so that a path in it costs one look and not one for each component.  Zeroed
 * before the first call, and used for one judgement only.
 */
struct place_memory {
	char dir[PATH_MAX];
	size_t n;
	/* NULL: none.  Before the physical path `each` gets it also as it is named through the link of such a
	 * place. */
	const struct place_links *links;
};
/*
 * Calls `each` for the names of an absolute path (semantics 5): as given, with "." and ".."
 * removed without following, and after each symbolic link that is followed on the way; the
 * last one is the physical path where everything could be followed.  A link below /proc and
 * its like leads elsewhere for each process, so the walk ends there.  0, what `each`
 * returned if that is not 0, -ELOOP after PLACE_MAX_LINKS links, or -errno.
 */
int place_names_in(struct place_memory *m, const char *path,
		   int (*each)(void *arg, const char *name), void *arg);
/*
 * Calls `each` for what lies below a directory, with the path from there; no link on the way is
 * followed, and nothing that is not readable is.  `leave_repo`: not for its .git.  What is no
 * directory has nothing below.  0, what `each` returned if that is not 0, or -errno if a
 * directory could not be read.  A judgement looks at PLACE_MAX_BELOW names.
 */
enum { PLACE_MAX_BELOW = 100000 };
int place_below(const char *dir, bool leave_repo, int (*each)(void *arg, const char *rest), void *arg);
/* Calls `each` for what exists and matches the pattern of glob(3).  0, what `each` returned if
 * that is not 0, or -ENOMEM. */
int place_matches(const char *pattern, int (*each)(void *arg, const char *path), void *arg);
/* How a judge of text looks at this machine: it has these, or a NULL pointer to them. */
struct place_look {
	int (*names)(struct place_memory *m, const char *path,
		     int (*each)(void *arg, const char *name), void *arg);
	int (*below)(const char *dir, bool leave_repo, int (*each)(void *arg, const char *rest),
		     void *arg);
	int (*matches)(const char *pattern, int (*each)(void *arg, const char *path), void *arg);
};
extern const struct place_look place_look;

/*
 * The physical path of the socket of the caller's ssh-agent, from the value of
 * SSH_AUTH_SOCK.  -ENOENT if there is no value or nothing at its path, -EINVAL if it is
 * no absolute path, -ENOTSOCK, or -EPERM if the socket belongs to somebody else than
 * `uid`: whoever owns it answers for the agent.  `out` has PATH_MAX bytes.
 */
int place_agent(const char *value, uid_t uid, char *out);

/* The second name that what a commit of a staged run makes has for a moment begins so.  No run opens or makes
 * what has such a name, or lies below it: the rules are about the name that it gets. */
#define PLACE_SECOND_NAME ".pol-stage-"
bool place_is_second_name(const char *path);

/*
 * Where the text of a link at `path` leads from the link's directory, as the text says it.
 * The links on the way need not be followed: of those that a run makes, each gives no denied
 * name away.  False: that is not known: ".." behind a name leads on from wherever that name
 * leads, and each process has its own /proc/self; and what does not fit into `cap` bytes.
 */
bool place_of_link(const char *path, const char *text, char *out, size_t cap);

#endif
