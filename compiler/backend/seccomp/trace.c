/* The list of the calls that the trace filter reports. */
#include "compiler/backend/seccomp/trace.h"

#include <string.h>

#include "compiler/base/vec.h"
#include "compiler/target/target.h"

/*
 * Every call that takes a path or a socket address.  What the supervisor reads there
 * explains why the view or Landlock refused the call.  Calls on descriptors are not
 * traced, because no rule is about them.
 */
static const char *const traced[] = {
	"access", "bind", "chdir", "chmod", "chown", "chroot", "connect", "creat",
	"execve", "execveat", "faccessat", "faccessat2", "fchmodat", "fchmodat2",
	"fchownat", "futimesat", "getxattr", "lchown", "lgetxattr", "link",
	"linkat", "listxattr", "llistxattr", "lremovexattr", "lsetxattr", "lstat",
	"mkdir", "mkdirat", "mknod", "mknodat", "newfstatat", "open", "openat",
	"openat2", "readlink", "readlinkat", "removexattr", "rename", "renameat",
	"renameat2", "rmdir", "sendmmsg", "sendmsg", "sendto", "setxattr", "stat",
	"statfs", "statx", "symlink", "symlinkat", "truncate", "unlink",
	"unlinkat", "utime", "utimensat", "utimes",
};

bool filter_is_traced(uint32_t nr)
{
	const struct target_call *call = target_call_by_nr(nr);

	for (size_t i = 0; call && i < POL_LEN(traced); i++)
		if (strcmp(call->name, traced[i]) == 0)
			return true;
	return false;
}
