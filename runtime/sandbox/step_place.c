/* Looks up places of the new root without following a link, and attaches trees there. */
#include "runtime/sandbox/step_place.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"

int place_base(const struct init *in, const struct plan_op *op)
{
	return op->flags & PLAN_F_MASKS     ? (in->made >= 0 ? in->made : in->masks)
	       : op->flags & PLAN_F_SCRATCH ? in->scratch
					    : in->root;
}

int place_same_object(int fd, const struct plan_op *op)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	return st.st_dev == op->v && st.st_ino == op->w ? 0 : -ESTALE;
}

int place_open(const struct init *in, const struct plan_op *op, struct rt_err *err)
{
	const char *path = plan_at(in->plan, op->path);
	enum step_id id = (enum step_id)op->step;
	AUTO_CLOSE int fd = sys_open_beneath(
		place_base(in, op), path, O_PATH | O_NOFOLLOW | O_CLOEXEC,
		RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_BENEATH);

	if (fd < 0) {
		if ((op->flags & PLAN_F_MAYBE) && errno == ENOENT)
			return -ENOENT;
		return step_fail(err, id, errno, "/%s", path);
	}
	if ((op->flags & PLAN_F_CHECK) && step_on(STEP_TREE_CHECK)) {
		int r = place_same_object(fd, op);

		if (r < 0)
			return step_fail(err, id, -r, "/%s was exchanged", path);
	}
	return io_steal_fd(&fd);
}

int place_attach(const struct plan_op *op, int tree, int where, struct rt_err *err)
{
	AUTO_CLOSE int fd = tree;
	AUTO_CLOSE int place = where;

	if (sys_move_mount(fd, "", place, "",
			   MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) < 0)
		return step_fail(err, (enum step_id)op->step, errno, "move_mount");
	return 0;
}

static int set_attr(int fd, uint64_t set)
{
	struct mount_attr attr = { .attr_set = set };

	return sys_mount_setattr(fd, "", AT_EMPTY_PATH | AT_RECURSIVE, &attr, sizeof(attr));
}

int place_cover_broker(const struct init *in, const struct plan_op *op, int fd, struct rt_err *err)
{
	const char *path = plan_at(in->plan, op->path);
	/* recursive, as in step_pin_dir() */
	AUTO_CLOSE int upper = sys_open_tree(fd, "", AT_EMPTY_PATH | CLONE_TREE);

	if (upper < 0)
		return step_fail(err, STEP_TREE, errno, "a second clone of /%s", path);
	if (step_on(STEP_TREE_BROKER) && set_attr(upper, MOUNT_ATTR_RDONLY) < 0)
		return step_fail(err, STEP_TREE_BROKER, errno, "/%s", path);
	if (step_on(STEP_BROKER_NOEXEC) && set_attr(fd, MOUNT_ATTR_NOEXEC) < 0)
		return step_fail(err, STEP_BROKER_NOEXEC, errno, "/%s", path);
	if (sys_move_mount(upper, "", fd, "",
			   MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) < 0)
		return step_fail(err, STEP_TREE, errno, "move_mount over /%s", path);
	return 0;
}
