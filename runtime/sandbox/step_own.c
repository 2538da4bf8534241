/*
 * The run's own tmpfs: one superblock holds the new root, the scratch trees and the
 * masks, so that one size limits all of them.  Also makes names, hides places, writes
 * texts and detaches the host's root.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"
#include "runtime/sandbox/sandbox.h"
#include "runtime/sandbox/status.h"
#include "runtime/sandbox/step_place.h"

#define BASE_DIR "/proc" /* where the run's tmpfs is mounted during the set-up */

int step_private(struct init *in, const struct plan_op *op, struct rt_err *err)
{
	(void)in, (void)op;
	if (sys_mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return step_fail(err, STEP_PRIVATE, errno, "mount");
	return 0;
}

/* Clones `name` below `dir` and attaches the clone over it, so that it is the root of a
 * mount. */
static int own_mount(int dir, const char *name)
{
	AUTO_CLOSE int fd =
		sys_open_tree(dir, name, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (sys_move_mount(fd, "", dir, name, MOVE_MOUNT_F_EMPTY_PATH) < 0)
		return -errno;
	return io_steal_fd(&fd);
}

static int own_dir(int dir, const char *name)
{
	int fd;

	if (mkdirat(dir, name, 0755) < 0)
		return -errno;
	fd = sys_openat(dir, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
	return fd < 0 ? -errno : fd;
}

int step_base(struct init *in, const struct plan_op *op, struct rt_err *err)
{
	(void)op;
	/* the trees of the host may not be open yet: a run has its own /proc, so no tree
	 * of the host that lies there is shown (plan_ground_fits) */
	if (sys_mount("pol", BASE_DIR, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755") < 0)
		return step_fail(err, STEP_BASE, errno, "tmpfs");
	in->base = sys_open(BASE_DIR, O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
	if (in->base < 0)
		return step_fail(err, STEP_BASE, errno, "open");
	if (mkdirat(in->base, "r", 0755) < 0)
		return step_fail(err, STEP_BASE, errno, "mkdir");
	in->root = own_mount(in->base, "r");
	if (in->root < 0)
		return step_fail(err, STEP_BASE, -in->root, "the root");
	in->scratch = own_dir(in->base, "s");
	if (in->scratch < 0)
		return step_fail(err, STEP_BASE, -in->scratch, "scratch trees");
	in->masks = own_dir(in->base, "m");
	if (in->masks < 0)
		return step_fail(err, STEP_BASE, -in->masks, "masks");
	/* the file systems below are mounted with mount(2) relative to the working
	 * directory */
	if (fchdir(in->root) < 0)
		return step_fail(err, STEP_BASE, errno, "fchdir");
	return 0;
}

/* The size of the run's own tmpfs: known only after it was made. */
int step_disk(struct init *in, const struct plan_op *op, struct rt_err *err)
{
	if (sys_mount(NULL, BASE_DIR, NULL, MS_REMOUNT | MS_NOSUID | MS_NODEV,
		      plan_at(in->plan, op->other)) < 0)
		return step_fail(err, STEP_DISK, errno, "remount");
	return 0;
}

/*
 * While the host's root is cloned, the run's own tree, which lies below it, must not be a
 * part of the clone: the kernel leaves out what is unbindable, and all below it.
 */
int step_aside(struct init *in, const struct plan_op *op, struct rt_err *err)
{
	struct mount_attr attr = { .propagation = op->v };

	if (sys_mount_setattr(in->base, "", AT_EMPTY_PATH, &attr, sizeof(attr)) < 0)
		return step_fail(err, STEP_ASIDE, errno, "mount_setattr");
	return 0;
}

int step_mkdir(struct init *in, const struct plan_op *op, struct rt_err *err)
{
	const char *path = plan_at(in->plan, op->path);

	if (mkdirat(place_base(in, op), path, op->mode) < 0 && errno != EEXIST)
		return step_fail(err, STEP_MKDIR, errno, "/%s", path);
	return 0;
}

int step_mkfile(struct init *in, const struct plan_op *op, struct rt_err *err)
{
	const char *path = plan_at(in->plan, op->path);
	int dir = place_base(in, op);

	if (!op->len) {
		if (mknodat(dir, path, S_IFREG | op->mode, 0) < 0 && errno != EEXIST)
			return step_fail(err, STEP_MKFILE, errno, "/%s", path);
		return 0;
	}
	AUTO_CLOSE int fd = sys_openat(
		dir, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, op->mode);
	int r = fd < 0 ? -errno
		       : io_write_all(fd, plan_at(in->plan, op->other), op->len);

	return r < 0 ? step_fail(err, STEP_MKFILE, -r, "/%s", path) : 0;
}

int step_symlink(struct init *in, const struct plan_op *op, struct rt_err *err)
{
	const char *path = plan_at(in->plan, op->path);

	if (symlinkat(plan_at(in->plan, op->other), place_base(in, op), path) < 0 &&
	    errno != EEXIST)
		return step_fail(err, STEP_SYMLINK, errno, "/%s", path);
	return 0;
}

/* From here on the masks that can be attached are read-only, and so are all their clones.
 * More of them can be made in the directory that this mount covers. */
int step_masks(struct init *in, const struct plan_op *op, struct rt_err *err)
{
	struct mount_attr attr = { .attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID |
					       MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC };
	int fd = own_mount(in->base, "m");

	(void)op;
	if (fd < 0)
		return step_fail(err, STEP_MASKS, -fd, "clone");
	in->made = in->masks;
	in->masks = fd;
	if (sys_mount_setattr(fd, "", AT_EMPTY_PATH, &attr, sizeof(attr)) < 0)
		return step_fail(err, STEP_MASKS, errno, "mount_setattr");
	return 0;
}

/* Attaches a clone of a mask (`other`) over the path. */
static int attach_mask(struct init *in, const struct plan_op *op, struct rt_err *err)
{
	int place, fd;

	if (op->flags & PLAN_F_MADE) {
		/* one call instead of five, since a policy hides dozens of names; the
		 * masks lie beside the new root, which is the working directory here */
		char source[64];

		(void)snprintf(source, sizeof(source), "../m/%s",
			       plan_at(in->plan, op->other));
		if (sys_mount(source, plan_at(in->plan, op->path), NULL, MS_BIND,
			      NULL) < 0)
			return step_fail(err, (enum step_id)op->step, errno, "/%s",
					 plan_at(in->plan, op->path));
		return 0;
	}
	place = place_open(in, op, err);
	if (place == -ENOENT && (op->flags & PLAN_F_MAYBE))
		return 0;
	if (place < 0)
		return place;
	fd = sys_open_tree(in->masks, plan_at(in->plan, op->other),
			   OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
	if (fd < 0) {
		int e = errno;

		(void)close(place);
		return step_fail(err, (enum step_id)op->step, e, "/%s",
				 plan_at(in->plan, op->path));
	}
	return place_attach(op, fd, place, err);
}

int step_hide(struct init *in, const struct plan_op *op, struct rt_err *err)
{
	return attach_mask(in, op, err);
}

int step_text(struct init *in, const struct plan_op *op, struct rt_err *err)
{
	return attach_mask(in, op, err);
}

int step_scratch(struct init *in, const struct plan_op *op, struct rt_err *err)
{
	struct mount_attr attr = { .attr_set = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV };
	const char *name = plan_at(in->plan, op->other);
	enum step_id id = (enum step_id)op->step;
	AUTO_CLOSE int fd = -1;
	int place, r;

	if (mkdirat(in->scratch, name, 0755) < 0 && errno != EEXIST)
		return step_fail(err, id, errno, "mkdir");
	if (fchmodat(in->scratch, name, op->mode, 0) < 0)
		return step_fail(err, id, errno, "chmod");
	fd = sys_open_tree(in->scratch, name, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
	if (fd < 0)
		return step_fail(err, id, errno, "open_tree");
	if ((op->flags & PLAN_F_RO) && step_on(STEP_TREE_RO))
		attr.attr_set |= MOUNT_ATTR_RDONLY;
	if ((op->flags & PLAN_F_NOEXEC) && step_on(STEP_TREE_NOEXEC))
		attr.attr_set |= MOUNT_ATTR_NOEXEC;
	if (sys_mount_setattr(fd, "", AT_EMPTY_PATH, &attr, sizeof(attr)) < 0)
		return step_fail(err, id, errno, "mount_setattr");
	place = place_open(in, op, err);
	if (place < 0)
		return place;
	if (sys_move_mount(fd, "", place, "",
			   MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) < 0)
		r = step_fail(err, STEP_SCRATCH, errno, "move_mount");
	else
		r = 0;
	(void)close(place);
	if (r == 0 && (op->flags & PLAN_F_COVER)) {
		in->slots[op->aux] = sys_open_tree(
			fd, "", AT_EMPTY_PATH | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
		if (in->slots[op->aux] < 0)
			r = step_fail(err, id, errno, "a second clone");
	}
	if (r == 0 && (op->flags & PLAN_F_BROKER)) {
		r = place_cover_broker(in, op, fd, err);
		in->slots[op->aux] = io_steal_fd(&fd);
	}
	return r;
}

/*
 * Files for copies of programs (copies.h).  Their mount has to be one of the run's own mount
 * namespace, where polrun clones it, and no path may lead there: it lies below the mount of the
 * run's terminals.
 */
int step_copies(struct init *in, const struct plan_op *op, struct rt_err *err)
{
	static const char under[] = "dev/pts";
	struct mount_attr attr = { .attr_set = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV };
	AUTO_CLOSE int dir = own_dir(in->base, "x"), tree = -1, over = -1;
	char name[SANDBOX_COPY_NAME];
	int r;

	if (dir < 0)
		return step_fail(err, STEP_COPIES, -dir, "mkdir");
	for (uint32_t i = 0; i < op->aux; i++) {
		sandbox_copy_name(i, name);
		if (mknodat(dir, name, S_IFREG | 0755, 0) < 0)
			return step_fail(err, STEP_COPIES, errno, "mknod");
	}
	tree = sys_open_tree(in->base, "x", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
	over = sys_open_tree(in->root, under, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
	if (tree < 0 || over < 0 ||
	    sys_mount_setattr(tree, "", AT_EMPTY_PATH, &attr, sizeof(attr)) < 0 ||
	    sys_move_mount(tree, "", in->root, under, MOVE_MOUNT_F_EMPTY_PATH) < 0 ||
	    sys_move_mount(over, "", in->root, under, MOVE_MOUNT_F_EMPTY_PATH) < 0)
		return step_fail(err, STEP_COPIES, errno, "/%s", under);
	in->copies = io_steal_fd(&tree);
	r = status_send_fds(in->sock, SANDBOX_TREE, SANDBOX_TREE_COPIES, &in->copies, 1);
	return r < 0 ? step_fail(err, STEP_COPIES, -r, "passing the files on") : 0;
}

int step_root_ro(struct init *in, const struct plan_op *op, struct rt_err *err)
{
	struct mount_attr attr = { .attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID |
					       MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC };

	(void)op;
	if (sys_mount_setattr(in->root, "", AT_EMPTY_PATH, &attr, sizeof(attr)) < 0)
		return step_fail(err, STEP_ROOT_RO, errno, "mount_setattr");
	return 0;
}

int step_pivot(struct init *in, const struct plan_op *op, struct rt_err *err)
{
	(void)op;
	if (fchdir(in->root) < 0 || sys_pivot_root(".", ".") < 0)
		return step_fail(err, STEP_PIVOT, errno, "pivot_root");
	return 0;
}

int step_detach(struct init *in, const struct plan_op *op, struct rt_err *err)
{
	(void)in, (void)op;
	/* both roots are mounted at "/", with the host's on top of ours */
	if (sys_umount2(".", MNT_DETACH) < 0 || chdir("/") < 0)
		return step_fail(err, STEP_DETACH, errno, "umount");
	return 0;
}

int step_cwd(struct init *in, const struct plan_op *op, struct rt_err *err)
{
	const char *path = plan_at(in->plan, op->path);

	if (chdir(path) < 0)
		return step_fail(err, STEP_CWD, errno,
				 "the working directory %s is not in the sandbox",
				 path);
	return 0;
}
