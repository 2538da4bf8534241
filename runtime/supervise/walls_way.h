/*
 * The look at a wall whose way has been closed.
 *
 * A run may take the right to search a directory from everybody (chmod(2)), also from polrun, which has the same
 * user.  Whoever works in a directory below it, a person's shell, an editor or a process of the run, still goes on
 * from there: the person saves a hidden file, its mount is gone, and the run reads it, while polrun cannot reach the
 * name by its path.  So a mount is then looked for in the table of mounts, which tells its place whatever the
 * directories' modes are; and of the other walls the directories above are kept open.
 */
#ifndef RUNTIME_SUPERVISE_WALLS_WAY_H
#define RUNTIME_SUPERVISE_WALLS_WAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/sandbox/sandbox_view.h"

#define WALLS_WAY_MOST 512u /* directories that are kept open */

struct walls_way {
	struct walls_way_dir {
		const char *path; /* of a wall, which begins with the directory's name */
		size_t len;
		int fd; /* O_PATH */
	} *dirs;
	size_t n;
	bool all; /* false: some could not be kept */
};

#define WALLS_WAY_NONE { .all = true }

/* Opens the directories above the walls that are no mounts, as far as they exist now, or those that have come to these
 * names since the last call.  `root` is the sandbox's "/". */
void walls_way_keep(struct walls_way *w, const struct sandbox_view *view, int root);
void walls_way_release(struct walls_way *w);
/*
 * Opens `path` (O_PATH, not following a link) from the first directory on its way, beginning with the topmost, from
 * which it can be reached or is absent.  A descriptor, or -errno as of open(2): -EACCES if the directory in which
 * it lies is closed itself, so that nobody with the caller's permissions can look it up; -ESTALE if that cannot be
 * told, since not all directories were kept.
 */
int walls_way_open(const struct walls_way *w, const char *path);
/* Is the mount with this id at `path`?  1 or 0, or -errno.  `mountinfo` is proc(5)'s file of the run, open. */
int walls_way_has_mount(int mountinfo, uint64_t id, const char *path);

#endif
