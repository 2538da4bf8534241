/* Raw system calls.  Nothing is decided here; see sys.h for fault injection. */
#include "runtime/base/sys.h"

#include <errno.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef __NR_landlock_create_ruleset
#define __NR_landlock_create_ruleset 444
#define __NR_landlock_add_rule 445
#define __NR_landlock_restrict_self 446
#endif

/* Leaves the calling function with -1 and errno where a test asks for it. */
#define FAULT(name)                                                                    \
	do {                                                                           \
		int fault_ = SYS_FAULT(name);                                          \
		if (fault_ != 0) {                                                     \
			errno = fault_;                                                \
			return -1;                                                     \
		}                                                                      \
	} while (0)

pid_t sys_clone3(struct clone_args *args, size_t size)
{
	FAULT("clone3");
	return (pid_t)syscall(SYS_clone3, args, size);
}

int sys_openat2(int dirfd, const char *path, struct open_how *how)
{
	FAULT("openat2");
	return (int)syscall(SYS_openat2, dirfd, path, how, sizeof(*how));
}

int sys_open_beneath(int dirfd, const char *path, uint64_t flags, uint64_t resolve)
{
	struct open_how how = {
		.flags = flags,
		.resolve = resolve | RESOLVE_BENEATH,
	};

	return sys_openat2(dirfd, path, &how);
}

int sys_open_tree(int dirfd, const char *path, unsigned flags)
{
	FAULT("open_tree");
	return (int)syscall(SYS_open_tree, dirfd, path, flags);
}

int sys_move_mount(int from_fd, const char *from, int to_fd, const char *to,
		   unsigned flags)
{
	FAULT("move_mount");
	return (int)syscall(SYS_move_mount, from_fd, from, to_fd, to, flags);
}

int sys_mount_setattr(int dirfd, const char *path, unsigned flags,
		      struct mount_attr *attr, size_t size)
{
	FAULT("mount_setattr");
	return (int)syscall(SYS_mount_setattr, dirfd, path, flags, attr, size);
}

int sys_mount(const char *source, const char *target, const char *type,
	      unsigned long flags, const void *data)
{
	FAULT("mount");
	return (int)syscall(SYS_mount, source, target, type, flags, data);
}

int sys_umount2(const char *target, int flags)
{
	FAULT("umount2");
	return (int)syscall(SYS_umount2, target, flags);
}

int sys_pivot_root(const char *new_root, const char *put_old)
{
	FAULT("pivot_root");
	return (int)syscall(SYS_pivot_root, new_root, put_old);
}

int sys_pidfd_open(pid_t pid, unsigned flags)
{
	FAULT("pidfd_open");
	return (int)syscall(SYS_pidfd_open, pid, flags);
}

int sys_pidfd_getfd(int pidfd, int fd, unsigned flags)
{
	FAULT("pidfd_getfd");
	return (int)syscall(SYS_pidfd_getfd, pidfd, fd, flags);
}

int sys_pidfd_send_signal(int pidfd, int sig, siginfo_t *info, unsigned flags)
{
	return (int)syscall(SYS_pidfd_send_signal, pidfd, sig, info, flags);
}

int sys_close_range(unsigned first, unsigned last, unsigned flags)
{
	FAULT("close_range");
	return (int)syscall(SYS_close_range, first, last, flags);
}

int sys_execveat(int fd, const char *path, char *const *argv, char *const *envp,
		 int flags)
{
	FAULT("execveat");
	return (int)syscall(SYS_execveat, fd, path, argv, envp, flags);
}

int sys_seccomp(unsigned op, unsigned flags, void *args)
{
	FAULT("seccomp");
	return (int)syscall(SYS_seccomp, op, flags, args);
}

int sys_landlock_abi(void)
{
	long v;

	if (SYS_FAULT("landlock_abi") != 0)
		return 0;
	v = syscall(__NR_landlock_create_ruleset, NULL, (size_t)0,
		    LANDLOCK_CREATE_RULESET_VERSION);
	return v < 0 ? 0 : (int)v;
}

int sys_landlock_create(const struct rt_landlock_attr *attr, size_t size,
			uint32_t flags)
{
	FAULT("landlock_create_ruleset");
	return (int)syscall(__NR_landlock_create_ruleset, attr, size, flags);
}

int sys_landlock_add(int ruleset, int type, const void *attr, uint32_t flags)
{
	FAULT("landlock_add_rule");
	return (int)syscall(__NR_landlock_add_rule, ruleset, type, attr, flags);
}

int sys_landlock_restrict(int ruleset, uint32_t flags)
{
	FAULT("landlock_restrict_self");
	return (int)syscall(__NR_landlock_restrict_self, ruleset, flags);
}
