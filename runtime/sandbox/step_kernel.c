/*
 * The kernel's own trees: devices, terminals, /proc for the run's processes with its
 * masks, the settings of the run's own namespaces, and the loopback.
 */
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"
#include "runtime/sandbox/step_place.h"

/* The working directory is the new root: step_base() left it there. */
int step_dev(struct init *in, const struct plan_op *op, struct rt_err *err)
{
	const char *path = plan_at(in->plan, op->path);
	const char *source = plan_at(in->plan, op->other);
	struct stat st;

	if (sys_mount(source, path, NULL, MS_BIND, NULL) < 0)
		return step_fail(err, STEP_DEV, errno, "%s", source);
	/* check that /dev/null really is the null device: the host may be a container */
	if (fstatat(in->root, path, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return step_fail(err, STEP_DEV, errno, "/%s", path);
	if (!S_ISCHR(st.st_mode) ||
	    st.st_rdev != makedev((unsigned)op->v, (unsigned)op->w))
		return step_fail(err, STEP_DEV, ENODEV, "%s is another device", source);
	return 0;
}

int step_devpts(struct init *in, const struct plan_op *op, struct rt_err *err)
{
	if (sys_mount("devpts", plan_at(in->plan, op->path), "devpts",
		      MS_NOSUID | MS_NOEXEC, "newinstance,ptmxmode=0666,mode=620,max=1024") < 0)
		return step_fail(err, STEP_DEVPTS, errno, "mount");
	return 0;
}

int step_proc(struct init *in, const struct plan_op *op, struct rt_err *err)
{
	if (sys_mount("proc", plan_at(in->plan, op->path), "proc",
		      MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) == 0)
		return 0;
	if (errno == EPERM)
		return step_fail(err, STEP_PROC, EPERM,
				 "a fresh /proc is refused: the outer /proc is masked "
				 "or not mounted in full");
	return step_fail(err, STEP_PROC, errno, "mount");
}

int step_sysctl(struct init *in, const struct plan_op *op, struct rt_err *err)
{
	const char *path = plan_at(in->plan, op->path);
	const char *value = plan_at(in->plan, op->other);
	AUTO_CLOSE int fd =
		sys_openat(in->root, path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0);
	ssize_t n;

	if (fd < 0) {
		/* EACCES: the setting does not belong to this namespace, so the run
		 * cannot set it */
		if ((op->flags & PLAN_F_MAYBE) && (errno == ENOENT || errno == EACCES))
			return 0;
		return step_fail(err, (enum step_id)op->step, errno, "/%s", path);
	}
	n = SYS_RETRY(write(fd, value, strlen(value)));
	if (n < 0)
		return step_fail(err, (enum step_id)op->step, errno, "/%s", path);
	return 0;
}

int step_proc_sys(struct init *in, const struct plan_op *op, struct rt_err *err)
{
	struct mount_attr attr = { .attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID |
					       MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC };
	AUTO_CLOSE int fd = -1;
	int place = place_open(in, op, err);

	if (place < 0)
		return place;
	fd = sys_open_tree(place, "",
			   AT_EMPTY_PATH | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
	if (fd < 0 ||
	    sys_mount_setattr(fd, "", AT_EMPTY_PATH, &attr, sizeof(attr)) < 0) {
		int e = errno;

		(void)close(place);
		return step_fail(err, STEP_PROC_SYS, e, "mount_setattr");
	}
	return place_attach(op, io_steal_fd(&fd), place, err);
}

int step_ns_net(struct init *in, const struct plan_op *op, struct rt_err *err)
{
	(void)in, (void)op;
	if (unshare(CLONE_NEWNET) < 0)
		return step_fail(err, STEP_NS_NET, errno, "a network namespace");
	return 0;
}

int step_lo(struct init *in, const struct plan_op *op, struct rt_err *err)
{
	struct ifreq r = { .ifr_name = "lo" };
	AUTO_CLOSE int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	(void)in, (void)op;
	if (fd < 0)
		return step_fail(err, STEP_LO, errno, "socket");
	r.ifr_flags = IFF_UP | IFF_LOOPBACK | IFF_RUNNING;
	if (ioctl(fd, SIOCSIFFLAGS, &r) < 0)
		return step_fail(err, STEP_LO, errno, "SIOCSIFFLAGS");
	return 0;
}
