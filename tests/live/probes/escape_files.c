/*
 * Races and other tricks with names, each of one verb:
 *   escape_files VERB ARG…   →   "OK" (and what was found) or the errno's name
 * Run inside the sandbox by tests/live/escape/, and outside of it as the
 * control; whether a file was reached is seen by its content afterwards.  Exit
 * 0 for OK, 1 for an errno, 2 for a bad call.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long now_ms(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int exchange(const char *a, const char *b)
{
	return (int)syscall(SYS_renameat2, AT_FDCWD, a, AT_FDCWD, b, 2u);
}

static void stop(pid_t pid)
{
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
}

static int overwrite(const char *path)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);

	if (fd < 0)
		return -1;
	(void)!write(fd, "broken\n", 7);
	return close(fd);
}

/*
 * link LINK OWN TARGET FILE MS: LINK leads to OWN and TARGET in turn while
 * LINK/FILE is written; needs both ends to have been tried.
 */
static int do_link(char **a)
{
	char tmp[PATH_MAX], path[PATH_MAX];
	long end = now_ms() + atol(a[4]), good = 0, failed = 0;
	pid_t pid;

	(void)snprintf(tmp, sizeof(tmp), "%s.new", a[0]);
	(void)snprintf(path, sizeof(path), "%s/%s", a[0], a[3]);
	if (symlink(a[1], a[0]) < 0)
		return -1;
	pid = fork();
	for (unsigned i = 0; pid == 0; i++) {
		(void)unlink(tmp);
		if (symlink(a[1 + i % 2], tmp) < 0 || rename(tmp, a[0]) < 0)
			_exit(1);
	}
	while (now_ms() < end)
		*(overwrite(path) == 0 ? &good : &failed) += 1;
	stop(pid);
	(void)unlink(tmp);
	(void)unlink(a[0]);
	printf("%ld written %ld failed\n", good, failed);
	return 0;
}

/*
 * swap A B PATH MS: A and B change places (as fast as the kernel does it)
 * while PATH is written.
 */
static int do_swap(char **a)
{
	long end = now_ms() + atol(a[3]), good = 0, failed = 0;
	volatile long *swaps = mmap(NULL, sizeof(long), PROT_READ | PROT_WRITE,
				    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pid;

	if ((volatile void *)swaps == MAP_FAILED)
		return -1;
	pid = fork();
	while (pid == 0)
		*swaps += exchange(a[0], a[1]) == 0;
	while (now_ms() < end)
		*(overwrite(a[2]) == 0 ? &good : &failed) += 1;
	stop(pid);
	printf("%ld swaps %ld written %ld failed\n", *swaps, good, failed);
	return 0;
}

/* flip A B MS: only the exchange, for others to start in the middle of it. */
static int do_flip(char **a)
{
	long end = now_ms() + atol(a[2]), swaps = 0;

	while (now_ms() < end) {
		swaps += exchange(a[0], a[1]) == 0;
		(void)sched_yield();
	}
	printf("%ld swaps\n", swaps);
	return swaps ? 0 : -1;
}

/*
 * argument OWN OTHER MS: the path in memory changes while the kernel (and
 * whoever else looks) reads it; both names have one length.
 */
static int do_argument(char **a)
{
	size_t len = strlen(a[0]);
	long end = now_ms() + atol(a[2]), good = 0, failed = 0;
	char *path = mmap(NULL, PATH_MAX, PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pid;

	errno = EINVAL;
	if (path == MAP_FAILED || len >= PATH_MAX || strlen(a[1]) != len)
		return -1;
	memcpy(path, a[0], len);
	pid = fork();
	for (unsigned i = 0; pid == 0; i++) {
		memcpy(path, a[i % 2], len);
		for (volatile int wait = 0; wait < 300; wait++)
			;
	}
	while (now_ms() < end)
		*(overwrite(path) == 0 ? &good : &failed) += 1;
	stop(pid);
	printf("%ld written %ld failed\n", good, failed);
	return good ? 0 : -1;
}

static void wait_for(int dir, const char *name)
{
	struct stat st;

	for (int i = 0; i < 500 && fstatat(dir, name, &st, 0) < 0; i++)
		(void)usleep(10000);
}

/*
 * climb DIR HOME FILE: goes to DIR, makes HOME/ready, waits for HOME/go
 * (meanwhile somebody moves DIR), then looks for FILE in every directory up
 * from there, by the working directory and by a descriptor.
 */
static int do_climb(char **a)
{
	int home = open(a[1], O_PATH | O_CLOEXEC), fd, up, next;

	if (chdir(a[0]) < 0 || home < 0)
		return -1;
	up = open(".", O_PATH | O_CLOEXEC);
	fd = openat(home, "ready", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	if (up < 0 || fd < 0)
		return -1;
	wait_for(home, "go");
	for (int i = 0; i < 24; i++) {
		if (openat(up, a[2], O_RDONLY | O_CLOEXEC) >= 0 ||
		    open(a[2], O_RDONLY | O_CLOEXEC) >= 0) {
			printf("found %d levels up\n", i);
			return 0;
		}
		next = openat(up, "..", O_PATH | O_CLOEXEC);
		if (next < 0 && chdir("..") < 0)
			return -1;
		(void)chdir("..");
		up = next < 0 ? up : next;
	}
	errno = ENOENT;
	return -1;
}

/* link-fd FILE NEW: a name for an open file, by both ways of linkat(). */
static int do_link_fd(char **a)
{
	char path[64];
	int fd = open(a[0], O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -1;
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (linkat(AT_FDCWD, path, AT_FDCWD, a[1], AT_SYMLINK_FOLLOW) == 0)
		return 0;
	return linkat(fd, "", AT_FDCWD, a[1], AT_EMPTY_PATH);
}

/* link-unnamed DIR NAME: a file without a name in DIR gets one. */
static int do_link_unnamed(char **a)
{
	char path[64];
	int fd = open(a[0], O_TMPFILE | O_RDWR | O_CLOEXEC, 0644);

	if (fd < 0 || write(fd, "x", 1) != 1)
		return -1;
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return linkat(AT_FDCWD, path, AT_FDCWD, a[1], AT_SYMLINK_FOLLOW);
}

/* at FD PATH: reads PATH from a descriptor that was left open. */
static int do_at(char **a)
{
	char buf[64] = "";
	int fd = openat(atoi(a[0]), a[1], O_RDONLY | O_CLOEXEC);

	if (fd < 0 || read(fd, buf, sizeof(buf) - 1) < 0)
		return -1;
	printf("%.*s\n", (int)strcspn(buf, "\n"), buf);
	return 0;
}

/* with-fd NUMBER PATH COMMAND…: the command has PATH open at NUMBER. */
static int do_with_fd(char **a)
{
	int fd = open(a[1], O_RDONLY);

	if (fd < 0 || dup2(fd, atoi(a[0])) < 0)
		return -1;
	return execvp(a[2], a + 2);
}

static const struct {
	const char *name;
	int args;
	int (*run)(char **a);
} verbs[] = {
	{ "link", 5, do_link },	    { "swap", 4, do_swap },	{ "flip", 3, do_flip },
	{ "argument", 3, do_argument }, { "climb", 3, do_climb },
	{ "link-unnamed", 2, do_link_unnamed },
	{ "link-fd", 2, do_link_fd }, { "at", 2, do_at },	{ "with-fd", 3, do_with_fd },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc >= 2 && i < sizeof(verbs) / sizeof(*verbs); i++) {
		if (strcmp(argv[1], verbs[i].name) != 0 || argc - 2 < verbs[i].args)
			continue;
		if (verbs[i].run(argv + 2) == 0) {
			puts("OK");
			return 0;
		}
		puts(strerrorname_np(errno));
		return 1;
	}
	(void)fputs("usage: escape_files VERB ARG...\n", stderr);
	return 2;
}
