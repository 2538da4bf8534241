/* Looks at paths of the host.  `prefix` is "" or, in tests, a directory that stands for
 * /. */
#ifndef RUNTIME_SANDBOX_VIEW_HOST_H
#define RUNTIME_SANDBOX_VIEW_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define VIEW_MAX_LINKS 40

struct view_link {
	char path[4096];   /* path of the link, physical up to its last component */
	char target[4096]; /* its text */
	char full[4096];   /* the absolute path that it stands for, resolved by one step */
};

struct view_object {
	int fd;           /* O_PATH, -1 where it does not exist */
	bool exists, is_dir;
	bool unreachable; /* the caller may not search a directory above it: it may exist */
	bool beyond_link; /* does not exist; a link is on the way, or is the last
	                     component */
	mode_t mode;
	uint64_t dev, ino;
	uid_t uid;
	gid_t gid;
};

/* Looks at `path` without following links: a path through a link is -ELOOP.  0 or
 * -errno. */
int view_look(const char *prefix, const char *path, struct view_object *ret);
/* The length of the path of the topmost directory above `path` that the caller may not search; 0: there is none. */
size_t view_closed_way(const char *prefix, const char *path);
/*
 * Resolves every link in `path` on the host and returns the physical path (with
 * whatever follows the first missing component) and the links that were met, in order.
 */
int view_resolve(const char *prefix, const char *path, char ret[4096],
		 struct view_link **ret_links, size_t *ret_n);

/* True for a directory, or for a link that leads to one. */
bool view_is_dir(const char *prefix, const char *path);

/* What follows `top` in the path, or NULL if the path does not begin with it.  Inline: it is called
 * often for a view with many path entries, and most paths differ early. */
static inline const char *view_rest(const char *path, const char *top)
{
	for (; *top; path++, top++)
		if (*path != *top)
			return NULL;
	return path;
}

/* `path` is strictly below `top`.  Only the root is one byte long. */
static inline bool view_below(const char *path, const char *top)
{
	const char *rest = view_rest(path, top);

	return rest && (rest - path == 1 ? *rest != '\0' : *rest == '/');
}

/* `path` is below `top`, or the same. */
static inline bool view_at(const char *path, const char *top)
{
	const char *rest = view_rest(path, top);

	return rest && (rest - path == 1 || !*rest || *rest == '/');
}

/* True for /proc, /dev (except /dev/shm) and /sys, which the run makes itself: rules
 * can only mask there. */
static inline bool view_is_system(const char *path)
{
	return view_at(path, "/proc") || view_at(path, "/sys") ||
	       (view_at(path, "/dev") && !view_at(path, "/dev/shm"));
}

#endif
