/* The mounts of a mount namespace, as /proc/PID/mountinfo lists them (proc_pid_mountinfo(5)). */
#ifndef RUNTIME_SANDBOX_HOST_MOUNTS_H
#define RUNTIME_SANDBOX_HOST_MOUNTS_H

#include <stddef.h>
#include <stdint.h>

#define HOST_MOUNT_PATH 8300

struct host_mount {
	uint64_t id;      /* as STATX_MNT_ID of statx(2) */
	char *dev;        /* "MAJOR:MINOR" */
	char *root, *at;  /* the root inside its file system, and the mount point */
};

struct host_mounts {
	struct host_mount *v;
	size_t n;
	char *text; /* theirs */
};

/* 0 or -errno; host_mounts_release() is safe after both. */
int host_mounts_read(const char *file, struct host_mounts *ret);
/* The same for a file that is open, from its beginning. */
int host_mounts_read_fd(int fd, struct host_mounts *ret);
void host_mounts_release(struct host_mounts *m);
/* The mount that shows the path: the innermost, and the last of those at the same place.
 * NULL: none. */
const struct host_mount *host_mount_of(const struct host_mounts *all, const char *path);
/* The path inside of the file system of what `path`, at or below the mount point, shows.
 * -ENAMETOOLONG. */
int host_mount_inside(const struct host_mount *m, const char *path, char out[HOST_MOUNT_PATH]);
/* The name of `inside`, at or below `root`, if `root` is shown at `at`.  -ENAMETOOLONG. */
int host_mount_name(const char *at, const char *root, const char *inside,
		    char out[HOST_MOUNT_PATH]);

#endif
