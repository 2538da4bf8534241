/* Raw system calls. Decides nothing. */
#include "runtime/base/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef __NR_landlock_create_ruleset
#define __NR_landlock_create_ruleset 444
#define __NR_landlock_add_rule 445
#define __NR_landlock_restrict_self 446
#endif

pid_t sys_clone3(struct clone_args *args, size_t size)
{
	return (pid_t)syscall(SYS_clone3, args, size);
}

int sys_open(const char *path, int flags, mode_t mode)
{
	return SYS_RETRY(open(path, flags, mode));
}

int sys_openat(int dirfd, const char *path, int flags, mode_t mode)
{
	return SYS_RETRY(openat(dirfd, path, flags, mode));
}

int sys_openat2(int dirfd, const char *path, struct open_how *how)
{
	int fd;

	for (int i = 0; i < 16; i++) {
		fd = (int)SYS_RETRY(
			syscall(SYS_openat2, dirfd, path, how, sizeof(*how)));
		if (fd >= 0 || errno != EAGAIN)
			break;
	}
	return fd;
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
	return (int)syscall(SYS_open_tree, dirfd, path, flags);
}

int sys_move_mount(int from_fd, const char *from, int to_fd, const char *to,
		   unsigned flags)
{
	return (int)syscall(SYS_move_mount, from_fd, from, to_fd, to, flags);
}

int sys_mount_setattr(int dirfd, const char *path, unsigned flags,
		      struct mount_attr *attr, size_t size)
{
	return (int)syscall(SYS_mount_setattr, dirfd, path, flags, attr, size);
}

int sys_mount(const char *source, const char *target, const char *type,
	      unsigned long flags, const void *data)
{
	return (int)syscall(SYS_mount, source, target, type, flags, data);
}

int sys_umount2(const char *target, int flags)
{
	return (int)syscall(SYS_umount2, target, flags);
}

int sys_pivot_root(const char *new_root, const char *put_old)
{
	return (int)syscall(SYS_pivot_root, new_root, put_old);
}

int sys_pidfd_open(pid_t pid, unsigned flags)
{
	return (int)syscall(SYS_pidfd_open, pid, flags);
}

int sys_pidfd_getfd(int pidfd, int fd, unsigned flags)
{
	return (int)syscall(SYS_pidfd_getfd, pidfd, fd, flags);
}

int sys_pidfd_send_signal(int pidfd, int sig, siginfo_t *info, unsigned flags)
{
	return (int)syscall(SYS_pidfd_send_signal, pidfd, sig, info, flags);
}

int sys_close_range(unsigned first, unsigned last, unsigned flags)
{
	return (int)syscall(SYS_close_range, first, last, flags);
}

int sys_execveat(int fd, const char *path, char *const *argv, char *const *envp,
		 int flags)
{
	return (int)syscall(SYS_execveat, fd, path, argv, envp, flags);
}

int sys_die_with(pid_t parent)
{
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0)
		return -errno;
	return getppid() == parent ? 0 : -ESRCH;
}

void sys_end_child(pid_t pid, int ms)
{
	const int fd = sys_pidfd_open(pid, 0);
	struct pollfd p = { fd, POLLIN, 0 };

	if (fd < 0)
		(void)kill(pid, SIGKILL);
	else if (SYS_RETRY(poll(&p, 1, ms)) <= 0)
		(void)sys_pidfd_send_signal(fd, SIGKILL, NULL, 0);
	if (fd >= 0)
		(void)close(fd);
	(void)SYS_RETRY(waitpid(pid, NULL, 0));
}

int64_t sys_now_ms(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

void sys_advise(const void *p, size_t n, int advice)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t from = ((uintptr_t)p + page - 1) & ~(page - 1);
	uintptr_t to = ((uintptr_t)p + n) & ~(page - 1);

	if (from < to)
		(void)madvise((void *)from, to - from, advice);
}

int sys_seccomp(unsigned op, unsigned flags, void *args)
{
	return (int)syscall(SYS_seccomp, op, flags, args);
}

int sys_landlock_abi(void)
{
	long v = syscall(__NR_landlock_create_ruleset, NULL, (size_t)0,
			 LANDLOCK_CREATE_RULESET_VERSION);

	return v < 0 ? 0 : (int)v;
}

int sys_landlock_create(const struct rt_landlock_attr *attr, size_t size,
			uint32_t flags)
{
	return (int)syscall(__NR_landlock_create_ruleset, attr, size, flags);
}

int sys_landlock_add(int ruleset, int type, const void *attr, uint32_t flags)
{
	return (int)syscall(__NR_landlock_add_rule, ruleset, type, attr, flags);
}

int sys_landlock_restrict(int ruleset, uint32_t flags)
{
	return (int)syscall(__NR_landlock_restrict_self, ruleset, flags);
}
