/*
 * shared_probe SEED SECONDS SHARE: makes random calls from THREADS threads that share memory,
 * working directory and descriptors (SHARE: all; cwd, fds, none: each thread has the others of
 * its own), with paths that two more threads change all the time.  Half of the names are drawn
 * from what the test makes in the project, the other half leads back to it: /proc/self/cwd,
 * /proc/thread-self/fd/N, the project's own path.  Whatever a call opens is read, or written.
 *
 * Prints "LEAK HOW PATH" for each file that holds the text SECRET, "RAN PATH" for each program
 * that ends with 7 (the test's denied one does), then "calls N opened N secret N ran N".  0, or 2
 * for a fault of its own.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#define THREADS 6
#define CHANGERS 2
#define PATHS 8        /* that all threads use and change */
#define PATH_SIZE 600
#define FIRST_FD 3     /* 0 to 2 are the test's */
#define FDS 24
#define OWN_FD 900     /* what the threads may not close begins here */

static char shared[PATHS][PATH_SIZE];
static char project[PATH_SIZE / 2];
static uint64_t seed, calls, opened, leaks, ran;
static time_t end;
static int unshared; /* flags of unshare(2) for each thread */
static int told;     /* a descriptor of standard output that no thread closes */

struct mind {
	uint64_t state;
};

static unsigned below(struct mind *m, unsigned n)
{
	m->state ^= m->state << 13;
	m->state ^= m->state >> 7;
	m->state ^= m->state << 17;
	return (unsigned)(m->state >> 33) % n;
}

static int some_fd(struct mind *m)
{
	return FIRST_FD + (int)below(m, FDS);
}

/* --- paths ----------------------------------------------------------------------------------- */

static const char *const names[] = {
	"a", "b", "c", ".env", "x.secret", "x.ts", "locked", "l1", "l2", "l3", "l4", "..", ".", "sub",
	"bad", "bad", "good", "\xff", "src", ".env\n", "...", "hidden", "free", ".envy", "tmp",
};
#define NAMES (sizeof(names) / sizeof(*names))

static void put_path(struct mind *m, char out[PATH_SIZE])
{
	unsigned parts = 1 + below(m, 3);
	size_t n = 0;

	switch (below(m, 10)) {
	case 0:
		n = (size_t)snprintf(out, PATH_SIZE, "/proc/self/cwd/");
		break;
	case 1:
		n = (size_t)snprintf(out, PATH_SIZE, "/proc/self/fd/%d/", some_fd(m));
		break;
	case 2:
		n = (size_t)snprintf(out, PATH_SIZE, "%s/", project);
		break;
	case 3:
		n = (size_t)snprintf(out, PATH_SIZE, "src/");
		break;
	case 4:
		(void)snprintf(out, PATH_SIZE, "/proc/thread-self/fd/%d", some_fd(m));
		return;
	case 5:
		(void)snprintf(out, PATH_SIZE, "/dev/fd/%d", some_fd(m));
		return;
	case 6:
		n = (size_t)snprintf(out, PATH_SIZE, "/proc/self/task/%d/cwd/",
				     (int)syscall(SYS_gettid));
		break;
	case 7:
		n = (size_t)snprintf(out, PATH_SIZE, "%s/src/a/", project);
		break;
	default:
		break;
	}
	for (unsigned i = 0; i < parts; i++)
		n += (size_t)snprintf(out + n, PATH_SIZE - n, "%s%s", i ? "/" : "",
				      names[below(m, NAMES)]);
	if (below(m, 10) == 0)
		(void)snprintf(out + n, PATH_SIZE - n, "/");
}

/* A path that others change meanwhile, or one of the thread's own. */
static const char *some_path(struct mind *m, char own[PATH_SIZE])
{
	if (below(m, 2))
		return shared[below(m, PATHS)];
	put_path(m, own);
	return own;
}

/* Two roots of the project's tree, and descriptors of whatever they have become. */
static int some_dir(struct mind *m)
{
	return below(m, 3) ? AT_FDCWD : some_fd(m);
}

/* --- what was reached ------------------------------------------------------------------------ */

static void tell(const char *what, const char *how, const char *path)
{
	char line[3 * PATH_SIZE];
	int n = snprintf(line, sizeof(line), "%s %s %s\n", what, how, path);

	(void)!write(told, line, (size_t)n);
}

static void look_at(const char *text, ssize_t n, const char *how, const char *path)
{
	if (n <= 0 || !memmem(text, (size_t)n, "SECRET", 6))
		return;
	__atomic_add_fetch(&leaks, 1, __ATOMIC_RELAXED);
	tell("LEAK", how, path);
}

static void read_it(int fd, const char *how, const char *path)
{
	char text[512];
	char *at;

	look_at(text, pread(fd, text, sizeof(text), 0), how, path);
	at = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	if (at != MAP_FAILED)
		munmap(at, 4096);
}

/* What a call opened is read and written; some stay open for later calls. */
static void use(struct mind *m, int fd, const char *how, const char *path)
{
	if (fd < 0)
		return;
	__atomic_add_fetch(&opened, 1, __ATOMIC_RELAXED);
	read_it(fd, how, path);
	(void)!write(fd, "written\n", 8);
	if (below(m, 3) || fd >= FIRST_FD + FDS)
		close(fd);
}

static void start_it(struct mind *m, int dir, const char *path)
{
	char *const argv[] = { "x", NULL }, *const env[] = { NULL };
	int flags = below(m, 4) ? 0 : AT_EMPTY_PATH, status = 0;
	pid_t child = vfork();

	if (child == 0) {
		syscall(SYS_execveat, dir, path, argv, env, flags);
		_exit(1);
	}
	if (child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
	    WEXITSTATUS(status) == 7) {
		__atomic_add_fetch(&ran, 1, __ATOMIC_RELAXED);
		tell("RAN", "execveat", path);
	}
}

static void bind_it(const char *path)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	memcpy(at.sun_path, path, strnlen(path, sizeof(at.sun_path) - 1));
	(void)bind(fd, (struct sockaddr *)&at, sizeof(at));
	close(fd);
}

/* --- calls ----------------------------------------------------------------------------------- */

static int some_flags(struct mind *m)
{
	static const int all[] = { O_WRONLY, O_RDWR, O_CREAT, O_EXCL, O_TRUNC, O_APPEND, O_NOFOLLOW,
				   O_DIRECTORY, O_PATH, O_TMPFILE, O_DIRECT, O_NOATIME, O_SYNC, 3 };
	int flags = O_NONBLOCK;

	for (unsigned i = 0; i < 2; i++)
		if (below(m, 2))
			flags |= all[below(m, sizeof(all) / sizeof(*all))];
	return flags;
}

static void open_some(struct mind *m, int dir, const char *path)
{
	struct { uint64_t flags, mode, resolve; } how = { .flags = (uint64_t)some_flags(m) };

	switch (below(m, 3)) {
	case 0:
		use(m, (int)syscall(SYS_open, path, some_flags(m), 0600), "open", path);
		break;
	case 1:
		how.mode = how.flags & (O_CREAT | __O_TMPFILE) ? 0600 : 0;
		use(m, (int)syscall(SYS_openat2, dir, path, &how, sizeof(how)), "openat2", path);
		break;
	default:
		use(m, (int)syscall(SYS_openat, dir, path, some_flags(m), 0644), "openat", path);
	}
}

static void change_some(struct mind *m, int dir, const char *path, int dir2, const char *path2)
{
	static const int link_flags[] = { 0, AT_SYMLINK_FOLLOW, AT_EMPTY_PATH };

	switch (below(m, 14)) {
	case 0:
		syscall(SYS_mkdirat, dir, path, 0755);
		break;
	case 1:
		syscall(SYS_unlinkat, dir, path, below(m, 2) ? AT_REMOVEDIR : 0);
		break;
	case 2:
	case 3:
	case 4:
		syscall(SYS_renameat2, dir, path, dir2, path2, below(m, 5));
		break;
	case 5:
	case 6:
		syscall(SYS_linkat, dir, path, dir2, path2, link_flags[below(m, 3)]);
		break;
	case 7:
		syscall(SYS_linkat, some_fd(m), "", dir2, path2, AT_EMPTY_PATH);
		break;
	case 8:
	case 9:
		syscall(SYS_symlinkat, path, dir2, path2);
		break;
	case 10:
		syscall(SYS_mknodat, dir, path, S_IFREG | 0644, 0);
		break;
	case 11:
		syscall(SYS_fchmodat, dir, path, 0700 | below(m, 0100));
		break;
	case 12:
		syscall(SYS_truncate, path, (long)below(m, 100));
		break;
	default:
		syscall(SYS_setxattr, path, "user.x", "y", 1, 0);
	}
}

/* Calls about descriptors, and about where the thread is. */
static void use_some(struct mind *m, const char *path)
{
	int fd = some_fd(m), to[2];
	char text[512];

	switch (below(m, 9)) {
	case 0:
		(void)!chdir(path);
		break;
	case 1:
		(void)!fchdir(fd);
		break;
	case 2:
		(void)dup2(some_fd(m), fd);
		break;
	case 3:
		close(fd);
		break;
	case 4:
		(void)!ftruncate(fd, 10);
		break;
	case 5:
		read_it(fd, "descriptor", path);
		break;
	case 6:
		(void)fcntl(fd, F_SETLEASE, below(m, 3));
		break;
	case 7: /* a copy that can be read is read; one in memory could be started, as is documented */
		if (pipe2(to, O_NONBLOCK | O_CLOEXEC) != 0)
			break;
		(void)sendfile(to[1], fd, NULL, sizeof(text));
		look_at(text, read(to[0], text, sizeof(text)), "sendfile", path);
		close(to[0]);
		close(to[1]);
		break;
	default: /* back to where calls find something */
		(void)!chdir(project);
	}
}

static void *work(void *arg)
{
	struct mind m = { seed ^ ((uint64_t)(uintptr_t)arg + 1) * 0xd1342543de82ef95u };
	char own[PATH_SIZE], own2[PATH_SIZE];

	if (unshared && syscall(SYS_unshare, unshared) != 0)
		exit(2);
	while (time(NULL) < end) {
		const char *path = some_path(&m, own), *path2 = some_path(&m, own2);
		int dir = some_dir(&m), dir2 = some_dir(&m);
		unsigned what = below(&m, 100);

		__atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
		if (what < 30)
			open_some(&m, dir, path);
		else if (what < 70)
			change_some(&m, dir, path, dir2, path2);
		else if (what < 90)
			use_some(&m, path);
		else if (what < 98)
			start_it(&m, dir, path);
		else
			bind_it(path);
	}
	return NULL;
}

/* The bytes change while polrun and the kernel read them. */
static void *change_paths(void *arg)
{
	struct mind m = { seed + 77777u * ((uint64_t)(uintptr_t)arg + 1) };
	char text[PATH_SIZE];

	while (time(NULL) < end) {
		put_path(&m, text);
		memcpy(shared[below(&m, PATHS)], text, strlen(text) + 1);
		__asm__ volatile("" ::: "memory");
		if (below(&m, 50) == 0)
			(void)sched_yield();
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS + CHANGERS];

	if (argc != 4 || !getcwd(project, sizeof(project)))
		return 2;
	seed = strtoull(argv[1], NULL, 10) | 1;
	end = time(NULL) + atoi(argv[2]);
	unshared = !strcmp(argv[3], "all")  ? 0 :
		   !strcmp(argv[3], "fds")  ? CLONE_FS :
		   !strcmp(argv[3], "cwd")  ? CLONE_FILES :
		   !strcmp(argv[3], "none") ? CLONE_FS | CLONE_FILES :
					      -1;
	told = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, OWN_FD);
	if (unshared < 0 || told < 0)
		return 2;
	(void)signal(SIGIO, SIG_IGN);
	(void)signal(SIGPIPE, SIG_IGN);
	for (uintptr_t i = 0; i < THREADS + CHANGERS; i++)
		if (pthread_create(&threads[i], NULL, i < THREADS ? work : change_paths, (void *)i) != 0)
			return 2;
	for (unsigned i = 0; i < THREADS + CHANGERS; i++)
		(void)pthread_join(threads[i], NULL);
	dprintf(told, "calls %lu opened %lu secret %lu ran %lu\n", calls, opened, leaks, ran);
	return 0;
}
