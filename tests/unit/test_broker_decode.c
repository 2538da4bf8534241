/* Each system call that the broker serves, made by a process below a filter, beside the same
 * calls without one: results and trees are equal.  Bad pointers get EFAULT, and a caller that
 * is killed holds nobody up.  Prints what a call costs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>
#include <utime.h>

#include "runtime/base/compat.h"
#include "runtime/base/filter_insn.h"
#include "runtime/base/sys.h"
#include "runtime/broker/serve.h"
#include "runtime/broker/task.h"
#include "tests/lib/broker_twin.h"
#include "tests/unit/broker_stack.h"

static const int served[] = {
	SYS_open, SYS_creat, SYS_openat, SYS_openat2, SYS_mkdir, SYS_mkdirat, SYS_rmdir, SYS_unlink,
	SYS_unlinkat, SYS_mknod, SYS_mknodat, SYS_symlink, SYS_symlinkat, SYS_link, SYS_linkat,
	SYS_rename, SYS_renameat, SYS_renameat2, SYS_truncate, SYS_chmod, SYS_fchmodat, 452, SYS_chown,
	SYS_lchown, SYS_fchownat, SYS_utime, SYS_utimes, SYS_futimesat, SYS_utimensat, SYS_setxattr,
	SYS_lsetxattr, SYS_removexattr, SYS_lremovexattr, SYS_access, SYS_faccessat, SYS_faccessat2, SYS_bind,
	SYS_fchmod, SYS_fchown, SYS_fsetxattr, SYS_fremovexattr,
};
#define SERVED (sizeof(served) / sizeof(served[0]))
#define MOST 200
#define TIMED 300 /* the shortest of so many times EACH */
#define EACH 10

static struct twin t;
static struct shared {
	long result[MOST]; /* or -errno */
	double us[2];      /* a brokered open with close; one that is continued */
} *shared;

static int begin(void **state)
{
	(void)state;
	int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return shared == MAP_FAILED || twin_init(&t, &twin_allow_all) != 0 ||
			       broker_trees_add(&t.broker.trees, BROKER_LOOK, "/", root) != 0 ?
		       -1 :
		       0;
}

static int end(void **state)
{
	(void)state;
	twin_release(&t);
	return munmap(shared, sizeof(*shared));
}

/* --- what the processes do ------------------------------------------------------------- */

static size_t made;

#define P(x) ((long)(uintptr_t)(x))

static void call(long nr, long a, long b, long c, long d, long e)
{
	long r = syscall(nr, a, b, c, d, e);

	shared->result[made++] = r < 0 ? -errno : 0;
	if (r > 2 && (nr == SYS_open || nr == SYS_creat || nr == SYS_openat || nr == SYS_openat2)) {
		int flags = fcntl((int)r, F_GETFD) << 16 | (fcntl((int)r, F_GETFL) & (O_ACCMODE | O_APPEND));

		shared->result[made++] = flags;
		(void)!write((int)r, "hello", 5);
		(void)close((int)r);
	}
}

#define HERE 77 /* where descriptors are whose names the broker is to find */

static void put_here(int fd)
{
	(void)dup2(fd, HERE);
	(void)close(fd);
}

/* Through the links of /proc.  What has "ours" or HERE in its path the broker has to do. */
static void proc_calls(const char *root)
{
	static const struct timespec times[2] = { { 1000, 0 }, { 2000, 0 } };
	const int cwd = AT_FDCWD;
	char path[600], other[64];
	int other_end[2];
	pid_t pid;

	call(SYS_mkdir, P("/proc/self/cwd/ours1"), 0700, 0, 0, 0);
	call(SYS_openat, cwd, P("/proc/thread-self/cwd/./ours1/../ours2"), O_WRONLY | O_CREAT, 0600, 0);
	(void)snprintf(path, sizeof(path), "/proc//self/root%s/ours3", root);
	call(SYS_mkdir, P(path), 0700, 0, 0, 0);
	(void)snprintf(path, sizeof(path), "/proc/%d/cwd/ours4", getpid());
	call(SYS_symlink, P("ours2"), P(path), 0, 0, 0);
	/* another process */
	(void)!pipe2(other_end, O_CLOEXEC);
	pid = fork();
	if (pid == 0) {
		(void)!chdir("ours1");
		(void)!write(other_end[1], "x", 1);
		(void)pause();
	}
	(void)!read(other_end[0], other, 1);
	(void)snprintf(path, sizeof(path), "/proc/%d/cwd/ours5", pid);
	call(SYS_mkdir, P(path), 0700, 0, 0, 0);
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
	(void)snprintf(path, sizeof(path), "/proc/%d/cwd/none", pid);
	call(SYS_mkdir, P(path), 0700, 0, 0, 0);
	/* a directory, a file for reading only, a link */
	put_here(open("ours1", O_RDONLY | O_DIRECTORY));
	call(SYS_mkdir, P("/proc/self/fd/77/ours6"), 0700, 0, 0, 0);
	call(SYS_mkdir, P("/dev/fd/77/ours7/"), 0700, 0, 0, 0);
	call(SYS_chmod, P("/dev/fd/77"), 0750, 0, 0, 0);
	call(452, HERE, P(""), 0755, AT_EMPTY_PATH, 0);
	put_here(open("ours2", O_RDONLY));
	call(SYS_open, P("/proc/self/fd/77"), O_WRONLY | O_APPEND, 0, 0, 0);
	call(SYS_open, P("/dev/fd/77"), O_RDWR | O_CREAT | O_TRUNC, 0600, 0, 0);
	call(SYS_truncate, P("/proc/self/fd/77"), 3, 0, 0, 0);
	call(SYS_utimensat, cwd, P("/proc/self/fd/77"), P(times), 0, 0);
	call(SYS_utimensat, HERE, P(""), P(times), AT_EMPTY_PATH, 0);
	call(SYS_fchownat, HERE, P(""), -1, (long)getegid(), AT_EMPTY_PATH);
	call(SYS_setxattr, P("/proc/self/fd/77"), P("user.x"), P("y"), 1, 0);
	call(SYS_linkat, cwd, P("/proc/self/fd/77"), cwd, P("ours8"), AT_SYMLINK_FOLLOW);
	call(SYS_fchmod, HERE, 0604, 0, 0, 0);
	call(SYS_fchown, HERE, (long)geteuid(), -1, 0, 0);
	call(SYS_fsetxattr, HERE, P("user.x"), P("yz"), 2, 0);
	call(SYS_fsetxattr, HERE, P("user.z"), P("yz"), 2, 0);
	call(SYS_fremovexattr, HERE, P("user.z"), 0, 0, 0);
	call(SYS_utimensat, HERE, 0, P(times), 0, 0);
	call(SYS_utimensat, HERE, 0, P(times), AT_SYMLINK_NOFOLLOW, 0);
	call(SYS_utimensat, cwd, 0, P(times), 0, 0);
	call(SYS_fchmod, 999, 0604, 0, 0, 0);
	put_here(open("ours1", O_RDONLY | O_DIRECTORY));
	call(SYS_fchmod, HERE, 0705, 0, 0, 0);
	call(SYS_utimensat, HERE, 0, P(times), 0, 0);
	put_here(open("ours2", O_PATH));
	call(SYS_fchmod, HERE, 0777, 0, 0, 0);
	put_here(open("ours4", O_PATH | O_NOFOLLOW));
	call(SYS_open, P("/proc/self/fd/77"), O_WRONLY, 0, 0, 0);
	/* the kernel's */
	call(SYS_unlink, P("/proc/self/fd/0"), 0, 0, 0, 0);
	call(SYS_open, P("/proc/self/fd/0"), O_WRONLY | O_NOFOLLOW, 0, 0, 0);
	call(SYS_open, P("/proc/self/fd/999"), O_WRONLY, 0, 0, 0);
	call(SYS_open, P("/proc/self/fd/0/x"), O_WRONLY | O_CREAT, 0600, 0, 0);
	call(SYS_mkdir, P("/proc/self/x"), 0700, 0, 0, 0);
	call(SYS_mkdir, P("/proc/sys/self/cwd/x"), 0700, 0, 0, 0);
	(void)close(HERE);
	call(SYS_open, P("/proc/self/fd/78"), O_WRONLY, 0, 0, 0);
}

/* Files without a name get one; files that have lost it do not. */
static void tmpfile_calls(void)
{
	const int cwd = AT_FDCWD;
	char text[8] = "";
	int fd;

	put_here(open(".", O_TMPFILE | O_RDWR, 0640));
	(void)!write(HERE, "tmp", 3);
	call(SYS_linkat, cwd, P("/proc/self/fd/77"), cwd, P("named1"), AT_SYMLINK_FOLLOW);
	call(SYS_linkat, cwd, P("/proc/self/fd/77"), cwd, P("named1"), AT_SYMLINK_FOLLOW);
	put_here(open(".", O_TMPFILE | O_RDWR, 0640));
	call(SYS_linkat, cwd, P("/proc/self/fd/77"), cwd, P("named2/"), AT_SYMLINK_FOLLOW);
	call(SYS_linkat, HERE, P(""), cwd, P("named2"), AT_EMPTY_PATH);
	put_here(open(".", O_TMPFILE | O_RDWR | O_EXCL, 0640));
	call(SYS_linkat, cwd, P("/proc/self/fd/77"), cwd, P("named3"), AT_SYMLINK_FOLLOW);
	put_here(open("lost", O_CREAT | O_RDWR, 0640));
	(void)unlink("lost");
	call(SYS_linkat, cwd, P("/proc/self/fd/77"), cwd, P("named4"), AT_SYMLINK_FOLLOW);
	fd = open("named1", O_RDONLY);
	(void)!read(fd, text, 3);
	shared->result[made++] = strcmp(text, "tmp");
	(void)close(fd);
	(void)close(HERE);
}

static void bind_to(const char *path, size_t more, int family)
{
	struct sockaddr_un name = { .sun_family = (sa_family_t)family }, got;
	size_t n = offsetof(struct sockaddr_un, sun_path) + strlen(path);
	socklen_t len = sizeof(got);
	int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	memcpy(name.sun_path, path, strlen(path));
	call(SYS_bind, s, P(&name), (long)(n + more), 0, 0);
	/* of a plain name it tells what was bound */
	if (path[0] && !strchr(path, '/') && getsockname(s, (struct sockaddr *)&got, &len) == 0)
		shared->result[made++] = memcmp(&name, &got, len < sizeof(got) ? len : sizeof(got)) + (int)len;
	call(SYS_bind, s, P(&name), (long)(n + more), 0, 0);
	(void)close(s);
}

static void bind_calls(const char *root)
{
	char path[400], leaf[110];

	(void)umask(077);
	bind_to("ours-socket", 1, AF_UNIX);
	bind_to("ours-socket", 0, AF_UNIX);
	(void)snprintf(path, sizeof(path), "%s/ours-at", root);
	bind_to(path, 1, AF_UNIX);
	bind_to("ours1/ours-in", 1, AF_UNIX);
	bind_to("ours-slash/", 1, AF_UNIX);
	bind_to("missing/ours", 1, AF_UNIX);
	memset(leaf, 'n', sizeof(leaf));
	memcpy(leaf, "./ours", 6);
	leaf[107] = '\0';
	bind_to(leaf, 1, AF_UNIX);
	memcpy(leaf, "ours--nn", 8);
	leaf[107] = 'x';
	leaf[108] = '\0';
	bind_to(leaf, 0, AF_UNIX);
	bind_to("x", 1, AF_INET);
	bind_to("", 0, AF_UNIX);
	call(SYS_bind, 0, P("xxxxxxxxxxxxxxxx"), 10, 0, 0);
	call(SYS_unlink, P("ours-socket"), 0, 0, 0, 0);
	call(SYS_bind, 0, 16, 10, 0, 0);
}

/* Every call, relative, absolute and from a descriptor. */
static void all_calls(const char *root)
{
	const int cwd = AT_FDCWD;
	struct open_how how = { .flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, .mode = 0640 };
	struct open_how beneath = { .flags = O_RDONLY, .resolve = RESOLVE_BENEATH };
	struct timespec times[2] = { { 1000, 0 }, { 2000, 0 } };
	struct timeval old[2] = { { 1000, 0 }, { 3000, 0 } };
	struct utimbuf older = { 1000, 4000 };
	static const char large[65537];
	static const long sizes[] = { 4096, 4097, 60000, 65536, 65537 };
	char absolute[300];
	int d, gone;

	(void)umask(027);
	(void)!chdir(root);
	made = 0;
	(void)snprintf(absolute, sizeof(absolute), "%s/absolute", root);
	call(SYS_mkdir, P("d"), 0777, 0, 0, 0);
	d = open("d", O_PATH | O_DIRECTORY | O_CLOEXEC);
	call(SYS_mkdirat, d, P("e"), 0700, 0, 0);
	call(SYS_mkdirat, cwd, P("d"), 0700, 0, 0);
	call(SYS_open, P(absolute), O_RDWR | O_CREAT | O_APPEND, 0666, 0, 0);
	call(SYS_creat, P("d/made"), 0604, 0, 0, 0);
	call(SYS_openat, d, P("../other"), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600, 0);
	call(SYS_openat, d, P("made"), O_RDWR, 0, 0);
	call(SYS_openat, cwd, P("."), O_RDWR | O_TMPFILE, 0600, 0);
	call(SYS_openat, 999, P("x"), O_RDWR, 0, 0);
	call(SYS_openat, cwd, P("missing"), O_WRONLY, 0, 0);
	call(SYS_openat2, d, P("two"), P(&how), sizeof(how), 0);
	call(SYS_openat2, d, P("two"), P(&beneath), sizeof(beneath), 0);
	call(SYS_mknod, P("node"), S_IFREG | 0666, 0, 0, 0);
	call(SYS_mknodat, d, P("fifo"), S_IFIFO | 0666, 0, 0);
	call(SYS_symlink, P("d/made"), P("link"), 0, 0, 0);
	call(SYS_symlinkat, P("made"), d, P("link"), 0, 0);
	call(SYS_link, P("node"), P("hard"), 0, 0, 0);
	call(SYS_linkat, cwd, P("link"), d, P("hard"), AT_SYMLINK_FOLLOW);
	call(SYS_linkat, cwd, P("link"), d, P("soft"), 0);
	call(SYS_linkat, cwd, P("link"), d, P("x"), 0x100000);
	call(SYS_rename, P("node"), P("moved"), 0, 0, 0);
	call(SYS_renameat, cwd, P("moved"), d, P("moved"), 0);
	call(SYS_renameat2, d, P("moved"), cwd, P("other"), RENAME_EXCHANGE);
	call(SYS_renameat2, d, P("moved"), cwd, P("other"), RENAME_NOREPLACE);
	call(SYS_truncate, P("d/moved"), 3, 0, 0, 0);
	call(SYS_truncate, P("d/moved"), -1, 0, 0, 0);
	call(SYS_chmod, P("link"), 0600, 0, 0, 0);
	call(SYS_fchmodat, d, P("moved"), 0640, 0, 0);
	call(452, d, P("link"), 0640, AT_SYMLINK_NOFOLLOW, 0);
	call(SYS_chown, P("link"), (long)geteuid(), -1, 0, 0);
	call(SYS_lchown, P("link"), -1, (long)getegid(), 0, 0);
	call(SYS_fchownat, d, P("link"), -1, -1, AT_SYMLINK_NOFOLLOW);
	call(SYS_utime, P("hard"), P(&older), 0, 0, 0);
	call(SYS_utimes, P("other"), P(old), 0, 0, 0);
	call(SYS_futimesat, d, P("made"), P(old), 0, 0);
	call(SYS_utimensat, cwd, P("link"), P(times), AT_SYMLINK_NOFOLLOW, 0);
	call(SYS_utimensat, cwd, P("absolute"), 0, 0, 0);
	call(SYS_setxattr, P("link"), P("user.x"), P("value"), 5, 0);
	call(SYS_lsetxattr, P("hard"), P("user.x"), P("v"), 1, 1);
	call(SYS_lsetxattr, P("hard"), P("user.x"), P("v"), 1, 1);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		call(SYS_setxattr, P("hard"), P("user.large"), P(large), sizes[i], 0);
	call(SYS_removexattr, P("hard"), P("user.x"), 0, 0, 0);
	call(SYS_lremovexattr, P("hard"), P("user.x"), 0, 0, 0);
	call(SYS_access, P("link"), W_OK, 0, 0, 0);
	call(SYS_access, P("missing"), R_OK, 0, 0, 0);
	call(SYS_faccessat, d, P("missing"), W_OK, 0, 0);
	call(SYS_faccessat2, d, P("made"), W_OK | R_OK, AT_EACCESS, 0);
	call(SYS_unlink, P("link"), 0, 0, 0, 0);
	call(SYS_unlinkat, d, P("e"), 0, 0, 0);
	call(SYS_unlinkat, d, P("e"), AT_REMOVEDIR, 0, 0);
	call(SYS_unlinkat, d, P("e"), 1, 0, 0);
	call(SYS_rmdir, P("d"), 0, 0, 0, 0);
	/* a directory that is gone, and another one that has the name by which /proc tells of it */
	(void)mkdir("gone", 0700);
	gone = open("gone", O_PATH | O_DIRECTORY | O_CLOEXEC);
	call(SYS_rmdir, P("gone"), 0, 0, 0, 0);
	call(SYS_mkdir, P("gone (deleted)"), 0700, 0, 0, 0);
	call(SYS_mkdirat, gone, P("x"), 0700, 0, 0);
	call(SYS_openat, gone, P("y"), O_WRONLY | O_CREAT, 0600, 0);
	proc_calls(root);
	tmpfile_calls();
	bind_calls(root);
	/* memory that is not there */
	call(SYS_mkdir, 0, 0700, 0, 0, 0);
	call(SYS_mkdir, 16, 0700, 0, 0, 0);
	call(SYS_rename, P("hard"), 16, 0, 0, 0);
	call(SYS_openat2, cwd, P("x"), 16, sizeof(how), 0);
	call(SYS_utimensat, cwd, P("hard"), 16, 0, 0);
	call(SYS_setxattr, P("hard"), P("user.x"), 16, 5, 0);
	call(SYS_setxattr, P("hard"), 16, P("v"), 1, 0);
}

static double now_us(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e6 + (double)ts.tv_nsec / 1e3;
}

static void time_calls(const char *root)
{
	static const int flags[] = { O_WRONLY | O_CLOEXEC, O_RDONLY | O_CLOEXEC };

	(void)!chdir(root);
	(void)close(open("f", O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	for (int k = 0; k < 2; k++) {
		shared->us[k] = 1e9;
		for (int i = 0; i < TIMED; i++) {
			double from = now_us(), us;

			for (int n = 0; n < EACH; n++)
				(void)close(open("f", flags[k]));
			us = (now_us() - from) / EACH;
			if (us < shared->us[k])
				shared->us[k] = us;
		}
	}
}

/* What is deep: directories in each other that move, links in links, long paths. */
static void deep_calls(const char *root)
{
	static const char large[65536];
	char path[4096] = "", name[16], to[16];
	int top;

	(void)!chdir(root);
	top = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	for (int i = 0; i < 60; i++)
		if (mkdir("d", 0700) != 0 || chdir("d") != 0)
			_exit(1);
	(void)!fchdir(top);
	if (rename("d", "e") != 0)
		_exit(2);
	(void)close(open("e/f", O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	for (int i = 0; i < 40; i++) {
		(void)snprintf(name, sizeof(name), "l%d", i);
		(void)snprintf(to, sizeof(to), i ? "l%d" : "e", i - 1);
		if (symlink(to, name) != 0)
			_exit(3);
	}
	for (int i = 0; i < 1300; i++)
		(void)strcat(path, "./");
	(void)strcat(path, "l39/f");
	if (setxattr(path, "user.x", large, sizeof(large), 0) != 0 && errno != ENOSPC && errno != E2BIG &&
	    errno != EOPNOTSUPP)
		_exit(4);
	if (rename(path, "e/g") != 0)
		_exit(5);
}

static void make_directory(const char *root)
{
	_exit(chdir(root) != 0 || mkdir("d", 0700) == 0 || errno != EIO);
}

static void wait_to_be_killed(const char *root)
{
	(void)!chdir(root);
	for (;;)
		(void)mkdir("d", 0700);
}

/* --- a process below the filter, and who serves it ---------------------------------------- */

static int load_filter(void)
{
	struct sock_filter v[2 * SERVED + 2] = { LOAD(nr) };
	struct sock_fprog prog = { 1, v };

	for (size_t i = 0; i < SERVED; i++) {
		v[prog.len++] = (struct sock_filter)JEQ(served[i], 0, 1);
		v[prog.len++] = (struct sock_filter)STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
	}
	v[prog.len++] = (struct sock_filter)ALLOW;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return -1;
	return sys_seccomp(SECCOMP_SET_MODE_FILTER,
			   SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, &prog);
}

static pid_t start(void (*does)(const char *root), const char *root, bool filtered, int *ret_listener)
{
	int to[2], fd, pidfd;
	pid_t pid;

	assert_int_equal(pipe2(to, O_CLOEXEC), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		/* where a test has failed, nobody would answer its calls */
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		fd = filtered ? load_filter() : 0;
		(void)!write(to[1], &fd, sizeof(fd));
		if (filtered)
			(void)!read(to[0], &fd, 0);
		does(root);
		_exit(0);
	}
	assert_int_equal(read(to[0], &fd, sizeof(fd)), sizeof(fd));
	(void)close(to[0]);
	(void)close(to[1]);
	assert_true(fd >= 0);
	if (!filtered)
		return pid;
	pidfd = sys_pidfd_open(pid, 0);
	*ret_listener = sys_pidfd_getfd(pidfd, fd, 0);
	assert_true(*ret_listener >= 0);
	(void)close(pidfd);
	(void)ioctl(*ret_listener, SECCOMP_IOCTL_NOTIF_SET_FLAGS, SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP);
	return pid;
}

/* The kernel would make them, too: there is no read-only mount here. */
static void check_ours(void)
{
	const struct broker_decoded *d = &t.broker.work->decoded;

	if (!t.last.ours && (strstr(d->path, "ours") || strstr(d->path, "fd/77")))
		fail_msg("the kernel makes call %u on %s", (unsigned)d->call.verb, d->path);
}

/* Until the process has ended; after `kill_at` calls it is killed while it waits (0: never).
 * The calls came `age` ms ago. */
static unsigned long serve_old(pid_t pid, int listener, unsigned long kill_at, int64_t age)
{
	const struct broker_source from = { listener, open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC),
					    { geteuid(), geteuid(), getegid(), getegid() }, false, false, NULL };
	struct pollfd p = { .fd = listener, .events = POLLIN };
	unsigned long n = 0;
	int status;

	for (;;) {
		struct seccomp_notif req = { 0 };
		struct seccomp_notif_resp resp;

		assert_int_equal(poll(&p, 1, 60000), 1);
		if (!(p.revents & POLLIN))
			break;
		if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &req) != 0)
			continue;
		n++;
		if (n == kill_at)
			assert_int_equal(kill(pid, SIGKILL), 0);
		assert_int_equal(serve_small(&t.broker, &from, &req, sys_now_ms() - age, &resp, &t.last), 0);
		assert_int_equal(t.last.fd, -1);
		check_ours();
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(kill_at ? WIFSIGNALED(status) : status == 0);
	(void)close(from.proc_fd);
	(void)close(listener);
	return n;
}

static unsigned long serve(pid_t pid, int listener, unsigned long kill_at)
{
	return serve_old(pid, listener, kill_at, 0);
}

static void test_each_call_is_made_as_without_a_filter(void **state)
{
	long got[MOST];
	char why[1000];
	int listener, status;
	pid_t pid = start(all_calls, t.root[0], true, &listener);
	unsigned long n = serve(pid, listener, 0);

	(void)state;
	assert_true(n > 50);
	memcpy(got, shared->result, sizeof(got));
	memset(shared->result, 0, sizeof(got));
	pid = start(all_calls, t.root[1], false, NULL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	for (size_t i = 0; i < MOST; i++)
		if (got[i] != shared->result[i])
			fail_msg("result %zu: broker %ld, kernel %ld", i, got[i], shared->result[i]);
	if (!twin_alike(&t, true, why, sizeof(why)))
		fail_msg("%s", why);
}

static void test_a_caller_that_is_killed_holds_nobody_up(void **state)
{
	(void)state;
	for (unsigned long at = 1; at <= 5; at++) {
		int listener;
		pid_t pid = start(wait_to_be_killed, t.root[0], true, &listener);

		assert_true(serve(pid, listener, at) >= at);
	}
}

static void test_a_call_that_is_too_late_is_not_made(void **state)
{
	int listener;
	pid_t pid = start(make_directory, t.root[0], true, &listener);
	char path[200];

	(void)state;
	assert_int_equal(serve_old(pid, listener, 0, BROKER_MOST_WAIT), 1);
	assert_true(t.last.ours);
	assert_int_equal(t.last.err, EIO);
	assert_int_equal(t.last.reason, BROKER_BY_LATE);
	assert_string_equal(t.last.subject, "d");
	(void)snprintf(path, sizeof(path), "%s/d", t.root[0]);
	assert_int_equal(access(path, F_OK), -1);
	/* a little earlier it is */
	pid = start(wait_to_be_killed, t.root[0], true, &listener);
	(void)serve_old(pid, listener, 2, BROKER_MOST_WAIT - 1000);
	assert_int_equal(access(path, F_OK), 0);
}

static void test_a_small_stack_is_enough(void **state)
{
	int listener;
	pid_t pid;

	(void)state;
	/* each name below is looked at */
	t.broker.rules.allows_below = NULL;
	pid = start(deep_calls, t.root[0], true, &listener);
	assert_true(serve(pid, listener, 0) > 100);
	print_message("at most %zu of %u bytes of stack\n", small.most, STACK);
}

static void test_prints_what_it_costs(void **state)
{
	int listener, status;
	pid_t pid = start(time_calls, t.root[0], true, &listener);
	double us[2];

	(void)state;
	(void)serve(pid, listener, 0);
	memcpy(us, shared->us, sizeof(us));
	pid = start(time_calls, t.root[1], false, NULL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	print_message("open and close: brokered %.2f us, continued %.2f us, without a filter %.2f us, at best\n", us[0],
		      us[1], shared->us[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_each_call_is_made_as_without_a_filter, begin, end),
		cmocka_unit_test_setup_teardown(test_a_caller_that_is_killed_holds_nobody_up, begin, end),
		cmocka_unit_test_setup_teardown(test_a_call_that_is_too_late_is_not_made, begin, end),
		cmocka_unit_test_setup_teardown(test_a_small_stack_is_enough, begin, end),
		cmocka_unit_test_setup_teardown(test_prints_what_it_costs, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
