/*
 * How to look at a protected path below a directory that the run has closed.
 *
 * A run can take the search permission of a directory away (chmod(2)), also from polrun, which runs as the same user:
 * polrun can then not look up a path below it.  But a process whose working directory lies deeper (the user's shell,
 * an editor, a process of the run) can still use relative paths there.  If the user saves a hidden file, the mount over
 * it is detached, the run reads the file, and polrun would see only EACCES.  So a mount is looked for in the mount
 * table, which has its mount point whatever the modes of the directories are.  For the other kinds of protected paths
 * polrun keeps the directories above them open, and looks up the rest of the path from there.
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
		const char *path; /* a protected path; its first `len` bytes are the directory's path */
		size_t len;
		int fd; /* O_PATH */
	} *dirs;
	size_t n;
	bool all; /* false: some directory could not be kept open */
};

#define WALLS_WAY_NONE { .all = true }

/* Opens the existing directories above the protected paths that are no mounts.  A later call opens these paths again,
 * since another directory may have come to one of them.  `root` is the sandbox's "/". */
void walls_way_keep(struct walls_way *w, const struct sandbox_view *view, int root);
void walls_way_release(struct walls_way *w);
/*
 * Opens `path` (O_PATH, not following a link) from one of the kept directories above it: from the topmost one that does
 * not answer EACCES.  A descriptor, or -errno as of open(2).  -EACCES: no kept directory leads
 * there.  Either the directory in which the name lies is closed itself, so that no process with the caller's
 * permissions can look the name up; or it has come there since a directory above was closed.  -ESTALE: unknown, since
 * not all directories were kept open.
 */
int walls_way_open(const struct walls_way *w, const char *path);
/* 1 if the mount with this id is at `path`, else 0, or -errno.  `mountinfo`: /proc/PID/mountinfo of the run, open. */
int walls_way_has_mount(int mountinfo, uint64_t id, const char *path);

#endif
