/*
 * The second wall: the view's trees again, as Landlock rules.  Landlock can only allow,
 * so only the mounts enforce what is read-only or hidden below a writable tree.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/landlock.h"
#include "runtime/base/sys.h"
#include "runtime/sandbox/plan.h"
#include "runtime/sandbox/sandbox.h"
#include "runtime/sandbox/step_landlock.h"

static int create(struct init *in, const struct plan_op *op, struct rt_err *err)
{
	struct rt_landlock_attr attr = {
		.handled_access_fs = op->v,
		.handled_access_net = op->w,
		.scoped = step_on(STEP_LANDLOCK_SCOPE) ? op->aux : 0,
	};

	in->ruleset = landlock_ruleset(&attr, op->fd);
	if (in->ruleset < 0)
		return step_fail(err, STEP_LANDLOCK, errno, "create_ruleset");
	return 0;
}

static int add(struct init *in, const struct plan_op *op, struct rt_err *err)
{
	const char *path = plan_at(in->plan, op->path);
	struct landlock_path_beneath_attr attr = {
		.allowed_access = op->v,
	};
	AUTO_CLOSE int fd = sys_open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC, 0);

	if (fd < 0)
		return step_fail(err, STEP_LANDLOCK, errno, "%s", path);
	attr.parent_fd = fd;
	if (sys_landlock_add(in->ruleset, LANDLOCK_RULE_PATH_BENEATH, &attr, 0) < 0)
		return step_fail(err, STEP_LANDLOCK, errno, "rule for %s", path);
	return 0;
}

/* A name may be gone by now, or another's: then nothing is allowed by it. */
static int add_programs(struct init *in, const struct plan_op *op, struct rt_err *err)
{
	const char *path = plan_at(in->plan, op->other), *end = path + op->len;

	for (; path < end; path += strlen(path) + 1) {
		struct landlock_path_beneath_attr attr = { .allowed_access = op->v };
		struct open_how how = { .flags = O_PATH | O_NOFOLLOW | O_CLOEXEC,
					.resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS };
		AUTO_CLOSE int fd = sys_openat2(AT_FDCWD, path, &how);
		struct stat st;

		if (fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
			continue;
		attr.parent_fd = fd;
		if (sys_landlock_add(in->ruleset, LANDLOCK_RULE_PATH_BENEATH, &attr, 0) < 0)
			return step_fail(err, STEP_LANDLOCK, errno, "rule for %s", path);
	}
	return 0;
}

/* Files of the run's own, in which polrun puts programs. */
static int add_copies(struct init *in, const struct plan_op *op, struct rt_err *err)
{
	char name[SANDBOX_COPY_NAME];

	for (uint32_t i = 0; i < op->aux; i++) {
		struct landlock_path_beneath_attr attr = { .allowed_access = op->v };

		sandbox_copy_name(i, name);
		AUTO_CLOSE int fd = sys_openat(in->copies, name, O_PATH | O_NOFOLLOW | O_CLOEXEC, 0);

		attr.parent_fd = fd;
		if (fd < 0 ||
		    sys_landlock_add(in->ruleset, LANDLOCK_RULE_PATH_BENEATH, &attr, 0) < 0)
			return step_fail(err, STEP_LANDLOCK, errno, "rule for a copy");
	}
	return 0;
}

int step_landlock(struct init *in, const struct plan_op *op, struct rt_err *err)
{
	switch ((enum landlock_part)op->mode) {
	case LANDLOCK_PART_CREATE:
		return create(in, op, err);
	case LANDLOCK_PART_RULE:
		return add(in, op, err);
	case LANDLOCK_PART_COPIES:
		return add_copies(in, op, err);
	case LANDLOCK_PART_PROGRAMS:
		return add_programs(in, op, err);
	case LANDLOCK_PART_RESTRICT:
		break;
	}
	if (sys_landlock_restrict(in->ruleset, 0) < 0)
		return step_fail(err, STEP_LANDLOCK, errno, "restrict_self");
	(void)close(in->ruleset);
	in->ruleset = -1;
	return 0;
}
