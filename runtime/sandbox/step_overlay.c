/*
 * A staged run: a tree of the host becomes the lower layer of an overlay, whose upper layer
 * lies in the user's state.  What the run writes in the tree goes there.  An overlay that
 * does not take a write in its upper layer ends the set-up: a run never writes the tree
 * itself instead.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"
#include "runtime/sandbox/step_place.h"

/* Names below the run's own tmpfs, in a directory of the overlay's own. */
#define LAYERS "o"
#define LOWER "l"
#define OUTER "s" /* holds the upper layer and the work directory */
#define MERGED "m"

/*
 * userxattr: the layer's own marks are attributes of users, since nobody in a user namespace
 * may set others; directories are then never redirected.  index, metacopy: a file in the
 * upper layer is whole, whatever the kernel's defaults are.
 */
#define OPTIONS                                                                        \
	"lowerdir=" LOWER ",upperdir=" OUTER "/upper,workdir=" OUTER "/work,"          \
	"userxattr,index=off,metacopy=off"

/* The directory in which the three are attached: O_PATH, or -errno. */
static int make_room(const struct init *in, const char *name)
{
	static const char *const dirs[] = { LOWER, OUTER, MERGED };
	AUTO_CLOSE int fd = -1;
	char path[64];

	(void)snprintf(path, sizeof(path), LAYERS "/%s", name);
	if ((mkdirat(in->base, LAYERS, 0700) < 0 && errno != EEXIST) ||
	    mkdirat(in->base, path, 0700) < 0)
		return -errno;
	fd = sys_openat(in->base, path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++)
		if (mkdirat(fd, dirs[i], 0700) < 0)
			return -errno;
	return io_steal_fd(&fd);
}

/* What the mount's errno means here. */
static const char *reason(int e)
{
	switch (e) {
	case EPERM:
	case EACCES:
		return "no user may mount an overlay here";
	case ENODEV:
		return "this kernel has no overlayfs";
	case EINVAL:
	case ELOOP:
	case EXDEV:
		return "the tree's file system, or that of the state, cannot be a layer";
	default:
		return "mount";
	}
}

/* Mounts the overlay, and returns a clone of it that is attached nowhere.  The kernel looks
 * the layers up by names, below the working directory, and before Linux 6.15 only where
 * something is attached. */
static int mount_it(const struct init *in, const struct plan_op *op, int room, int lower,
		    int outer, struct rt_err *err)
{
	const char *path = plan_at(in->plan, op->path);
	int fd;

	if (sys_move_mount(lower, "", room, LOWER, MOVE_MOUNT_F_EMPTY_PATH) < 0 ||
	    sys_move_mount(outer, "", room, OUTER, MOVE_MOUNT_F_EMPTY_PATH) < 0)
		return step_fail(err, STEP_OVERLAY, errno, "attaching the layers of /%s", path);
	if (fchdir(room) < 0)
		return step_fail(err, STEP_OVERLAY, errno, "fchdir");
	if (sys_mount("pol", MERGED, "overlay", MS_NOSUID | MS_NODEV, OPTIONS) < 0)
		return step_fail(err, STEP_OVERLAY, errno, "/%s cannot be staged: %s", path,
				 reason(errno));
	fd = sys_open_tree(room, MERGED, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
	if (fd < 0)
		return step_fail(err, STEP_OVERLAY, errno, "a clone of the overlay of /%s", path);
	if (fchdir(in->root) < 0) {
		int e = errno;

		(void)close(fd);
		return step_fail(err, STEP_OVERLAY, e, "fchdir");
	}
	return fd;
}

/* --- does it take what is written? ------------------------------------------------------ */

static bool is_at(int dir, const char *name, off_t size)
{
	struct stat st;

	return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
	       st.st_size == size;
}

static bool is_gone(int dir, const char *name)
{
	struct stat st;

	return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT;
}

/* 0; -EBADE: what was written lies elsewhere; -errno of the write. */
static int write_one(int merged, int lower, int outer, const char *name, const char *upper)
{
	static const char text[] = "staged";
	AUTO_CLOSE int fd = sys_openat(merged, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW |
				       O_CLOEXEC, 0600);
	int r = fd < 0 ? -errno : io_write_all(fd, text, sizeof(text));

	if (fd < 0)
		return r;
	if (r == 0 && (!is_at(outer, upper, sizeof(text)) || !is_gone(lower, name)))
		r = -EBADE;
	if (unlinkat(merged, name, 0) < 0 && r == 0)
		r = -errno;
	if (r == 0 && !is_gone(outer, upper))
		r = -EBADE;
	return r;
}

/* Writes a file as the run will, and looks where it went.  Nothing is left of it, nor of the
 * directory's change. */
static int probe(const struct init *in, const struct plan_op *op, int merged, int lower,
		 int outer, struct rt_err *err)
{
	const char *path = plan_at(in->plan, op->path);
	char name[48], upper[64];
	struct timespec times[2];
	struct statfs fs;
	struct stat st;
	int r;

	if (!step_on(STEP_OVERLAY_PROBE))
		return 0;
	if (fstatfs(merged, &fs) < 0 || fstat(lower, &st) < 0)
		return step_fail(err, STEP_OVERLAY_PROBE, errno, "/%s", path);
	if (fs.f_flags & ST_RDONLY)
		return step_fail(err, STEP_OVERLAY_PROBE, EROFS, "/%s cannot be staged: the state's "
				 "file system takes no upper layer", path);
	(void)snprintf(name, sizeof(name), ".pol-probe-%llx", (unsigned long long)st.st_ino);
	(void)snprintf(upper, sizeof(upper), "upper/%s", name);
	r = write_one(merged, lower, outer, name, upper);
	if (r == -EBADE)
		return step_fail(err, STEP_OVERLAY_PROBE, EBADE, "/%s cannot be staged: what was "
				 "written there is not in the upper layer", path);
	if (r < 0)
		return step_fail(err, STEP_OVERLAY_PROBE, -r, "/%s cannot be staged: a write for a "
				 "trial failed", path);
	times[0] = st.st_atim;
	times[1] = st.st_mtim;
	if (utimensat(outer, "upper", times, 0) < 0)
		return step_fail(err, STEP_OVERLAY_PROBE, errno, "/%s", path);
	return 0;
}

/* --- the rows ---------------------------------------------------------------------------- */

static int take(struct init *in, const struct plan_op *op, uint64_t slot)
{
	int fd;

	if (op->flags & PLAN_F_GIVEN)
		return (int)slot;
	fd = in->slots[slot];
	in->slots[slot] = -1;
	return fd;
}

/* Takes the tree out of its slot `fd` and the directory of its layer out of `aux` (both
 * inherited with PLAN_F_GIVEN), and puts the overlay in slot `v` and the tree in slot `w`. */
int step_overlay(struct init *in, const struct plan_op *op, struct rt_err *err)
{
	AUTO_CLOSE int lower = take(in, op, (uint64_t)op->fd);
	AUTO_CLOSE int outer = take(in, op, op->aux);
	AUTO_CLOSE int room = make_room(in, plan_at(in->plan, op->other));
	AUTO_CLOSE int merged = -1;
	int r;

	if (room < 0)
		return step_fail(err, STEP_OVERLAY, -room, "room for layers");
	merged = mount_it(in, op, room, lower, outer, err);
	if (merged < 0)
		return merged;
	r = probe(in, op, merged, lower, outer, err);
	if (r < 0)
		return r;
	in->slots[op->v] = io_steal_fd(&merged);
	in->slots[op->w] = io_steal_fd(&lower);
	return 0;
}

/*
 * In an overlay an object has another device and inode number than in its layer: before
 * something is mounted on a name there, the object of this name in the layer below is
 * compared.  `other` is the name from the top of the tree in slot `fd`.
 */
int step_overlay_check(struct init *in, const struct plan_op *op, struct rt_err *err)
{
	const char *path = plan_at(in->plan, op->other);
	AUTO_CLOSE int fd = sys_open_beneath(in->slots[op->fd], path,
					     O_PATH | O_NOFOLLOW | O_CLOEXEC,
					     RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS |
						     RESOLVE_BENEATH);
	int r;

	if (fd < 0 && errno == ENOENT && (op->flags & PLAN_F_MAYBE))
		return 0;
	if (fd < 0)
		return step_fail(err, STEP_OVERLAY_CHECK, errno, "%s", path);
	r = place_same_object(fd, op);
	return r < 0 ? step_fail(err, STEP_OVERLAY_CHECK, -r, "%s was exchanged", path) : 0;
}
