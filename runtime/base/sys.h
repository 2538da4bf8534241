/*
 * Raw system calls that libc lacks, wraps badly or hides. Each returns the kernel's
 * value, or -1 with errno. They are safe between fork and exec. Calls that open something
 * are repeated after EINTR; for others there is SYS_RETRY().
 *
 * In the variant "faults" each can be made to fail: runtime/base/fault.h.
 */
#ifndef RUNTIME_BASE_SYS_H
#define RUNTIME_BASE_SYS_H

#include <errno.h>
#include <linux/filter.h>
#include <linux/openat2.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "runtime/base/compat.h"

struct mount_attr;

/* The value of `call`, which is repeated as long as a signal interrupts it. */
#define SYS_RETRY(call)                                                                \
	({                                                                             \
		__typeof__(call) retried_;                                             \
		do                                                                     \
			retried_ = (call);                                             \
		while (retried_ < 0 && errno == EINTR);                                \
		retried_;                                                              \
	})

/* `mode` only matters with O_CREAT. */
int sys_open(const char *path, int flags, mode_t mode);
int sys_openat(int dirfd, const char *path, int flags, mode_t mode);
/* Like fork() if args->stack is 0. */
pid_t sys_clone3(struct clone_args *args, size_t size);
/* Also repeated after EAGAIN: something was renamed on the way. */
int sys_openat2(int dirfd, const char *path, struct open_how *how);
/* openat2() in one line. */
int sys_open_beneath(int dirfd, const char *path, uint64_t flags, uint64_t resolve);
int sys_open_tree(int dirfd, const char *path, unsigned flags);
int sys_move_mount(int from_fd, const char *from, int to_fd, const char *to,
		   unsigned flags);
int sys_mount_setattr(int dirfd, const char *path, unsigned flags,
		      struct mount_attr *attr, size_t size);
int sys_mount(const char *source, const char *target, const char *type,
	      unsigned long flags, const void *data);
int sys_umount2(const char *target, int flags);
int sys_pivot_root(const char *new_root, const char *put_old);
int sys_pidfd_open(pid_t pid, unsigned flags);
int sys_pidfd_getfd(int pidfd, int fd, unsigned flags);
int sys_pidfd_send_signal(int pidfd, int sig, siginfo_t *info, unsigned flags);
int sys_close_range(unsigned first, unsigned last, unsigned flags);
int sys_execveat(int fd, const char *path, char *const *argv, char *const *envp,
		 int flags);
/* The calling process is killed when `parent` ends.  -ESRCH: it has already.  A change of credentials clears it. */
int sys_die_with(pid_t parent);
/* Waits until the child has ended, and kills it after `ms` milliseconds.  Also under a filter that refuses kill(2). */
void sys_end_child(pid_t pid, int ms);
/* Milliseconds of CLOCK_MONOTONIC. */
int64_t sys_now_ms(void);
/* madvise() for the whole pages within these bytes; there may be none. Only a hint. */
void sys_advise(const void *p, size_t n, int advice);
int sys_seccomp(unsigned op, unsigned flags, void *args);

/* The ABI version; 0 if Landlock is missing or switched off at boot. */
int sys_landlock_abi(void);
int sys_landlock_create(const struct rt_landlock_attr *attr, size_t size,
			uint32_t flags);
int sys_landlock_add(int ruleset, int type, const void *attr, uint32_t flags);
int sys_landlock_restrict(int ruleset, uint32_t flags);

#endif
