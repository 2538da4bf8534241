/*
 * Constants that are newer than bookworm's headers (linux-libc-dev 6.1, glibc 2.36). The
 * comment at each names the kernel that introduced it. Whether the running kernel
 * supports one is always probed, never concluded from this file.
 */
#ifndef RUNTIME_BASE_COMPAT_H
#define RUNTIME_BASE_COMPAT_H

#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <stdint.h>

/* The ruleset attribute as of ABI 6; bookworm's struct has only the first member. The
 * kernel reads as much of it as the passed size says. */
struct rt_landlock_attr {
	uint64_t handled_access_fs;
	uint64_t handled_access_net; /* ABI 4 */
	uint64_t scoped;             /* ABI 6 */
};

struct rt_landlock_net_port { /* ABI 4 */
	uint64_t allowed_access;
	uint64_t port;
};

#define RT_LANDLOCK_RULE_NET_PORT 2

#ifndef LANDLOCK_ACCESS_FS_REFER /* ABI 2, 5.19 */
#define LANDLOCK_ACCESS_FS_REFER (1ULL << 13)
#endif
#ifndef LANDLOCK_ACCESS_FS_TRUNCATE /* ABI 3, 6.2 */
#define LANDLOCK_ACCESS_FS_TRUNCATE (1ULL << 14)
#endif
#ifndef LANDLOCK_ACCESS_NET_BIND_TCP /* ABI 4, 6.7 */
#define LANDLOCK_ACCESS_NET_BIND_TCP (1ULL << 0)
#define LANDLOCK_ACCESS_NET_CONNECT_TCP (1ULL << 1)
#endif
#ifndef LANDLOCK_ACCESS_FS_IOCTL_DEV /* ABI 5, 6.10 */
#define LANDLOCK_ACCESS_FS_IOCTL_DEV (1ULL << 15)
#endif
#ifndef LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET /* ABI 6, 6.12 */
#define LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET (1ULL << 0)
#define LANDLOCK_SCOPE_SIGNAL (1ULL << 1)
#endif

#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV /* 5.19 */
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif
#ifndef SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP /* 6.6 */
#define SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP (1UL << 0)
#define SECCOMP_IOCTL_NOTIF_SET_FLAGS SECCOMP_IOW(4, uint64_t)
#endif

#ifndef PIDFD_SELF /* 6.14 */
#define PIDFD_SELF (-10000)
#endif

#endif
