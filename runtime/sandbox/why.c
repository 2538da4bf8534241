/* Says in one line why namespaces cannot be made here. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/sandbox/why.h"

/* The number in a file of /proc, or -1. */
static long setting(const char *path)
{
	AUTO_FREE char *text = NULL;
	size_t len;

	return io_read_file(path, 64, &text, &len) < 0 ? -1 : strtol(text, NULL, 10);
}

/* In a chroot our root directory differs from that of pid 1's mount namespace. */
static bool in_chroot(void)
{
	struct stat a, b;

	if (stat("/proc/1/root/.", &a) == 0 && stat("/", &b) == 0)
		return a.st_dev != b.st_dev || a.st_ino != b.st_ino;
	/* ordinary users may not look there, so we cannot tell */
	return false;
}

int why_no_namespaces(int e, struct rt_err *err)
{
	static const char nothing[] = "no file, network or process rule would hold";
	const char *why;

	if (e == ENOSPC || setting("/proc/sys/user/max_user_namespaces") == 0)
		why = "user namespaces are used up or forbidden "
		      "(user.max_user_namespaces; inside another sandbox?)";
	else if (e == EPERM &&
		 setting("/proc/sys/kernel/unprivileged_userns_clone") == 0)
		why = "kernel.unprivileged_userns_clone is 0: set it to 1";
	else if (e == EPERM &&
		 setting("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == 1)
		why = "AppArmor restricts user namespaces: set "
		      "kernel.apparmor_restrict_unprivileged_userns to 0 or give "
		      "polrun a profile with 'userns,'";
	else if (e == EPERM && in_chroot())
		why = "a chroot cannot make user namespaces: enter the tree by "
		      "pivot_root in a mount namespace of its own";
	else if (e == EPERM)
		why = "user namespaces are not permitted here (a chroot, another "
		      "sandbox, or a container's system call filter: Docker wants "
		      "--security-opt seccomp=unconfined)";
	else if (e == EINVAL || e == ENOSYS)
		why = "this kernel lacks user, pid, network, ipc or uts namespaces";
	else
		return rt_fail_errno(err, e, "clone3 with new namespaces: %s", nothing);
	if (err)
		(void)snprintf(err->step, sizeof(err->step), "namespaces");
	(void)rt_fail(err, e, "%s: %s (%s)", nothing, why, strerrorname_np(e));
	return -e;
}
