/*
 * Trees of the host in the view: they are opened (and compared with what polrun saw),
 * restricted and attached.  Pins keep the directories above a restriction where they
 * are, and covers make a pinned tree one mount again.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/mount.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"
#include "runtime/sandbox/sandbox.h"
#include "runtime/sandbox/status.h"
#include "runtime/sandbox/step_place.h"

int step_open(struct init *in, const struct plan_op *op, struct rt_err *err)
{
	const char *path = plan_at(in->plan, op->path);
	AUTO_CLOSE int fd =
		sys_open_tree(AT_FDCWD, path, CLONE_TREE | AT_SYMLINK_NOFOLLOW);

	if (fd < 0)
		return step_fail(err, STEP_OPEN, errno, "%s", path);
	if (step_on(STEP_OPEN_CHECK)) {
		int r = place_same_object(fd, op);

		if (r < 0)
			return step_fail(err, STEP_OPEN, -r, "%s was exchanged", path);
	}
	in->slots[op->fd] = io_steal_fd(&fd);
	return 0;
}

/* Takes the operation's tree out of its slot and removes the rights that it must not
 * give. */
static int take_tree(struct init *in, const struct plan_op *op, struct rt_err *err)
{
	AUTO_CLOSE int fd = op->flags & PLAN_F_GIVEN ? op->fd : in->slots[op->fd];
	struct mount_attr attr = {0};

	if (!(op->flags & PLAN_F_GIVEN))
		in->slots[op->fd] = -1;
	/* through a shared mount the run's masks would propagate to the host */
	if (step_on(STEP_TREE_PRIVATE))
		attr.propagation = MS_PRIVATE;
	if (step_on(STEP_TREE_NOSUID))
		attr.attr_set |= MOUNT_ATTR_NOSUID;
	if (step_on(STEP_TREE_NODEV))
		attr.attr_set |= MOUNT_ATTR_NODEV;
	if ((op->flags & PLAN_F_RO) && step_on(STEP_TREE_RO))
		attr.attr_set |= MOUNT_ATTR_RDONLY;
	if ((op->flags & PLAN_F_NOEXEC) && step_on(STEP_TREE_NOEXEC))
		attr.attr_set |= MOUNT_ATTR_NOEXEC;
	if (sys_mount_setattr(fd, "", AT_EMPTY_PATH | AT_RECURSIVE, &attr,
			      sizeof(attr)) < 0)
		return step_fail(err, (enum step_id)op->step, errno,
				 "mount_setattr on /%s", plan_at(in->plan, op->path));
	return io_steal_fd(&fd);
}

int step_root_tree(struct init *in, const struct plan_op *op, struct rt_err *err)
{
	AUTO_CLOSE int fd = take_tree(in, op, err);

	if (fd < 0)
		return fd;
	if (sys_move_mount(fd, "", in->root, "",
			   MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) < 0)
		return step_fail(err, STEP_ROOT_TREE, errno, "move_mount to /");
	(void)close(in->root);
	in->root = io_steal_fd(&fd);
	/* as step_base() does for the empty root */
	if (fchdir(in->root) < 0)
		return step_fail(err, STEP_ROOT_TREE, errno, "fchdir");
	return 0;
}

int step_tree(struct init *in, const struct plan_op *op, struct rt_err *err)
{
	AUTO_CLOSE int fd = take_tree(in, op, err);
	int place, r = 0;

	if (fd < 0)
		return fd;
	place = place_open(in, op, err);
	if (place < 0)
		return place;
	if (sys_move_mount(fd, "", place, "",
			   MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) < 0)
		r = step_fail(err, STEP_TREE, errno, "move_mount to /%s",
			      plan_at(in->plan, op->path));
	(void)close(place);
	/* fd is now the attached mount, so its clone has all of its flags */
	if (r == 0 && (op->flags & PLAN_F_COVER)) {
		in->slots[op->aux] = sys_open_tree(fd, "", AT_EMPTY_PATH | CLONE_TREE);
		if (in->slots[op->aux] < 0)
			r = step_fail(err, STEP_TREE, errno, "a second clone of /%s",
				      plan_at(in->plan, op->path));
	}
	if (r == 0 && (op->flags & PLAN_F_BROKER)) {
		r = place_cover_broker(in, op, fd, err);
		in->slots[op->aux] = io_steal_fd(&fd);
	}
	return r;
}

int step_broker(struct init *in, const struct plan_op *op, struct rt_err *err)
{
	bool root = op->flags & PLAN_F_SPECIAL;
	int fd = root ? in->root : in->slots[op->fd];
	int r = status_send_fds(in->sock, SANDBOX_TREE, root ? SANDBOX_TREE_ROOT : (int)op->v, &fd, 1);

	if (!root) {
		(void)close(fd);
		in->slots[op->fd] = -1;
	}
	return r < 0 ? step_fail(err, STEP_BROKER, -r, "passing a tree on") : 0;
}

int step_pin_dir(struct init *in, const struct plan_op *op, struct rt_err *err)
{
	int place = place_open(in, op, err), fd;

	if (place < 0)
		return place;
	/* recursive, because the kernel refuses to clone a tree without the mounts that
	 * are locked into it */
	fd = sys_open_tree(place, "", AT_EMPTY_PATH | CLONE_TREE);
	if (fd < 0) {
		int e = errno;

		(void)close(place);
		return step_fail(err, STEP_PIN_DIR, e, "/%s",
				 plan_at(in->plan, op->path));
	}
	return place_attach(op, fd, place, err);
}

int step_cover(struct init *in, const struct plan_op *op, struct rt_err *err)
{
	int fd = in->slots[op->fd], place;

	in->slots[op->fd] = -1;
	place = place_open(in, op, err);
	if (place < 0) {
		(void)close(fd);
		return place;
	}
	return place_attach(op, fd, place, err);
}
