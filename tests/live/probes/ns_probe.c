/*
 * Tries one way out of the sandbox and says what came back:
 *   ns_probe VERB [ARG]   →   "OK" (and what was found) or the errno's name.
 * Static, knows nothing of the policy: run inside the sandbox by the live
 * tests, and outside of it as the control; `with-key NAME COMMAND…` executes
 * the command with a key in its session keyring.  Exit 0 for OK, 1 for an errno,
 * 2 for a bad call.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/keyctl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

static long number(const char *s, long otherwise)
{
	return s ? strtol(s, NULL, 0) : otherwise;
}

static int do_userns(const char *arg)
{
	(void)arg;
	return unshare(CLONE_NEWUSER);
}

/* The limit of user namespaces, past every filter of flags. */
static int do_userns_clone3(const char *arg)
{
	struct {
		unsigned long long v[11];
	} args = { { CLONE_NEWUSER, 0, 0, 0, SIGCHLD } };
	long pid = syscall(SYS_clone3, &args, sizeof(args));

	(void)arg;
	if (pid == 0)
		_exit(0);
	return pid < 0 ? -1 : 0;
}

static int do_unshare(const char *arg)
{
	return unshare((int)number(arg, CLONE_NEWNS));
}

static int do_mount(const char *arg)
{
	return mount("tmpfs", arg ? arg : "/tmp", "tmpfs", 0, NULL);
}

static int do_remount(const char *arg)
{
	return mount(NULL, arg ? arg : "/usr", NULL, MS_REMOUNT | MS_BIND, NULL);
}

static int do_umount(const char *arg)
{
	return umount2(arg ? arg : "/usr", MNT_DETACH);
}

static int do_chroot(const char *arg)
{
	return chroot(arg ? arg : "/tmp");
}

static int do_ptrace(const char *arg)
{
	return (int)ptrace(PTRACE_SEIZE, (pid_t)number(arg, 1), NULL, NULL);
}

static int do_kill(const char *arg)
{
	return kill((pid_t)number(arg, 0), 0);
}

static int do_signal(const char *arg)
{
	return kill((pid_t)number(arg, 0), SIGKILL);
}

static int do_keyctl(const char *arg)
{
	long id =
		syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, 0);

	(void)arg;
	if (id >= 0)
		printf("session keyring %ld\n", id);
	return id < 0 ? -1 : 0;
}

static int do_keysearch(const char *arg)
{
	long id = syscall(SYS_keyctl, KEYCTL_SEARCH, KEY_SPEC_SESSION_KEYRING, "user",
			  arg ? arg : "pol-probe", 0);

	return id < 0 ? -1 : 0;
}

static int do_tiocsti(const char *arg)
{
	char c = 'x';
	int fd = arg ? open(arg, O_RDWR | O_NOCTTY) : 0;

	return fd < 0 ? -1 : ioctl(fd, TIOCSTI, &c);
}

/* The kernel reads the low 32 bits of the command. */
static int do_tiocsti_high(const char *arg)
{
	char c = 'x';

	(void)arg;
	return (int)syscall(SYS_ioctl, 0, 0x100000000UL | TIOCSTI, &c);
}

static int do_setuid(const char *arg)
{
	return setuid((uid_t)number(arg, 0));
}

static int do_setgroups(const char *arg)
{
	(void)arg;
	return (int)syscall(SYS_setgroups, 0, NULL);
}

static int do_caps(const char *arg)
{
	struct __user_cap_header_struct h = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct d[2];
	unsigned long bounding = 0;

	(void)arg;
	if (syscall(SYS_capget, &h, d) < 0)
		return -1;
	for (unsigned long c = 0; c < 64; c++)
		if (prctl(PR_CAPBSET_READ, c, 0, 0, 0) == 1)
			bounding |= 1UL << c;
	printf("effective %x%08x permitted %x%08x inheritable %x%08x bounding %lx "
	       "securebits %x nnp %d dumpable %d seccomp %d\n",
	       d[1].effective, d[0].effective, d[1].permitted, d[0].permitted,
	       d[1].inheritable, d[0].inheritable, bounding,
	       (unsigned)prctl(PR_GET_SECUREBITS, 0, 0, 0, 0),
	       prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0),
	       prctl(PR_GET_DUMPABLE, 0, 0, 0, 0), prctl(PR_GET_SECCOMP, 0, 0, 0, 0));
	return 0;
}

/* What ping does: keeps its capabilities over a change of its user, of which there are none here. */
static int do_keep_caps(const char *arg)
{
	struct __user_cap_header_struct h = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct d[2] = { { 0, 1U << CAP_NET_RAW, 0 }, { 0, 0, 0 } };

	if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) < 0 || setuid(getuid()) < 0)
		return -1;
	printf("kept %d, CAP_NET_RAW %s, ", prctl(PR_GET_KEEPCAPS, 0, 0, 0, 0),
	       syscall(SYS_capset, &h, d) == 0 ? "permitted" : strerrorname_np(errno));
	return do_caps(arg);
}

static int do_ambient(const char *arg)
{
	return prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE,
		     (unsigned long)number(arg, CAP_NET_ADMIN), 0, 0);
}

static int do_sethostname(const char *arg)
{
	const char *name = arg ? arg : "probe";

	return sethostname(name, strlen(name));
}

static int do_shm(const char *arg)
{
	int id = shmget((key_t)number(arg, 0x706f6c), 1, 0);

	if (id >= 0)
		printf("segment %d\n", id);
	return id < 0 ? -1 : 0;
}

static int do_abstract(const char *arg)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	size_t n = arg ? strlen(arg) : 0;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || !n || n >= sizeof(a.sun_path) - 1) {
		errno = n ? errno : EINVAL;
		return -1;
	}
	memcpy(a.sun_path + 1, arg, n);
	return connect(fd, (struct sockaddr *)&a,
		       (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + n));
}

static int do_fds(const char *arg)
{
	int found = 0;

	for (int fd = (int)number(arg, 3); fd < 1024; fd++)
		if (fcntl(fd, F_GETFD) >= 0) {
			printf("descriptor %d\n", fd);
			found++;
		}
	errno = EBADF;
	return found ? 0 : -1;
}

static int do_rlimit(const char *arg)
{
	struct rlimit r;

	if (getrlimit((__rlimit_resource_t)number(arg, RLIMIT_NOFILE), &r) < 0)
		return -1;
	printf("%llu %llu\n", (unsigned long long)r.rlim_cur,
	       (unsigned long long)r.rlim_max);
	return 0;
}

/* A second listener would answer the first one's notifications. */
static int do_listener(const char *arg)
{
	struct {
		unsigned short code;
		unsigned char jt, jf;
		unsigned k;
	} allow = { 6, 0, 0, SECCOMP_RET_ALLOW };
	struct {
		unsigned short len;
		void *filter;
	} prog = { 1, &allow };

	(void)arg;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -1;
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
		       SECCOMP_FILTER_FLAG_NEW_LISTENER, &prog) < 0
		       ? -1
		       : 0;
}

static int do_setns(const char *arg)
{
	int fd = open(arg ? arg : "/proc/1/ns/mnt", O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -1 : setns(fd, 0);
}

/* open_by_handle_at reaches any file of a file system by number. */
static int do_handle(const char *arg)
{
	struct {
		struct file_handle h;
		unsigned char bytes[128];
	} u = { .h.handle_bytes = 128 };
	int id, fd, mnt;

	if (name_to_handle_at(AT_FDCWD, arg ? arg : "/usr", &u.h, &id, 0) < 0)
		return -1;
	mnt = open(arg ? arg : "/usr", O_RDONLY | O_CLOEXEC);
	fd = open_by_handle_at(mnt, &u.h, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -1 : 0;
}

static int do_mem(const char *arg)
{
	char path[64];
	int fd;

	(void)snprintf(path, sizeof(path), "/proc/%ld/mem", number(arg, 1));
	fd = open(path, O_RDWR | O_CLOEXEC);
	return fd < 0 ? -1 : 0;
}

static int do_session(const char *arg)
{
	(void)arg;
	printf("pid %d ppid %d pgrp %d sid %d\n", getpid(), getppid(), getpgrp(),
	       getsid(0));
	return 0;
}

static const struct {
	const char *name;
	int (*run)(const char *arg);
} verbs[] = {
	{ "userns", do_userns },
	{ "userns-clone3", do_userns_clone3 },
	{ "unshare", do_unshare },
	{ "mount", do_mount },
	{ "remount", do_remount },
	{ "umount", do_umount },
	{ "chroot", do_chroot },
	{ "ptrace", do_ptrace },
	{ "kill", do_kill },
	{ "signal", do_signal },
	{ "keyctl", do_keyctl },
	{ "keysearch", do_keysearch },
	{ "tiocsti", do_tiocsti },
	{ "tiocsti-high", do_tiocsti_high },
	{ "setuid", do_setuid },
	{ "setgroups", do_setgroups },
	{ "caps", do_caps },
	{ "keep-caps", do_keep_caps },
	{ "ambient", do_ambient },
	{ "sethostname", do_sethostname },
	{ "shm", do_shm },
	{ "abstract", do_abstract },
	{ "fds", do_fds },
	{ "rlimit", do_rlimit },
	{ "listener", do_listener },
	{ "setns", do_setns },
	{ "handle", do_handle },
	{ "mem", do_mem },
	{ "session", do_session },
};

/* Adds a key to a session keyring of its own, then executes the rest. */
static int with_key(char **argv)
{
	if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL, 0, 0, 0) < 0 ||
	    syscall(SYS_add_key, "user", argv[0], "secret", 6,
		    KEY_SPEC_SESSION_KEYRING) < 0)
		return -1;
	return execvp(argv[1], argv + 1);
}

int main(int argc, char **argv)
{
	if (argc > 3 && !strcmp(argv[1], "with-key")) {
		(void)with_key(argv + 2);
		puts(strerrorname_np(errno));
		return 1;
	}
	for (size_t i = 0; argc >= 2 && i < sizeof(verbs) / sizeof(*verbs); i++) {
		if (strcmp(argv[1], verbs[i].name))
			continue;
		if (verbs[i].run(argc > 2 ? argv[2] : NULL) == 0) {
			puts("OK");
			return 0;
		}
		puts(strerrorname_np(errno));
		return 1;
	}
	(void)fputs("usage: ns_probe VERB [ARG]\nverbs:", stderr);
	for (size_t i = 0; i < sizeof(verbs) / sizeof(*verbs); i++)
		(void)fprintf(stderr, " %s", verbs[i].name);
	(void)fputc('\n', stderr);
	return 2;
}
