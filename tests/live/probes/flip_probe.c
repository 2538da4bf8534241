/*
 * Calls the kernel with a path that another thread changes all the time between two names, one
 * that the rules allow and one that they deny.  polrun looks at the path and may leave the call to
 * the kernel, which reads the path once more.
 *
 *   flip_probe CALL ALLOWED DENIED MILLISECONDS
 *
 * CALL: read, write (open), exec, or a row of `changes`.  rename and link are tried from a path that
 * changes between ALLOWED and "free.txt" beside DENIED, to DENIED.  Prints what was reached by the denied
 * name, or "none in N calls, M of the allowed one".  stat(2), which no rule keeps back, tells
 * whether a file is the denied one, and whether the denied name was changed or made.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

/* As bind(2) takes it, so that the kernel reads there what another thread changes. */
static struct {
	sa_family_t family;
	char path[2 * PATH_MAX];
} address = { .family = AF_UNIX };
static char *const path = address.path;
static const char *names[2];
static const char *denied_name;
static volatile bool done;

static void pass_time(int turns)
{
	for (volatile int i = 0; i < turns; i++)
		;
}

static void *flip(void *arg)
{
	(void)arg;
	for (unsigned i = 0; !done; i++) {
		const char *name = names[i & 1];

		memcpy(path, name, strlen(name) + 1);
		__asm__ volatile("" ::: "memory");
		pass_time(100 + (int)(i % 300));
	}
	return NULL;
}

static long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* 1: the denied one; 0: another; -1: none. */
static int try_open(int flags, const struct stat *denied)
{
	struct stat st;
	int fd = open(path, flags | O_NONBLOCK | O_CLOEXEC), r = -1;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0)
		r = st.st_dev == denied->st_dev && st.st_ino == denied->st_ino;
	if (r == 1 && (flags & O_ACCMODE) != O_RDONLY)
		(void)!write(fd, "written\n", 8);
	close(fd);
	return r;
}

/* The denied program ends with 7, the allowed one with 0. */
static int try_exec(void)
{
	pid_t child = vfork();
	int status = 0;

	if (child == 0) {
		char *const none[] = { path, NULL };

		execve(path, none, none + 1);
		_exit(1);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status) == 7 ? 1 : WEXITSTATUS(status) == 0 ? 0 : -1;
}

static int do_truncate(void) { return truncate(path, 0); }
static int do_chmod(void) { return chmod(path, 0640); }
static int do_utimens(void) { return utimensat(AT_FDCWD, path, (struct timespec[2]){ { 12345, 0 }, { 12345, 0 } }, 0); }
static int do_setxattr(void) { return setxattr(path, "user.flip", "x", 1, 0); }
static int do_unlink(void) { return unlink(path); }
static int do_mkdir(void) { return mkdir(path, 0755); }
static int do_mknod(void) { return mknod(path, S_IFREG | 0644, 0); }
static int do_symlink(void) { return symlink("x", path); }
static int do_create(void) { int fd = open(path, O_WRONLY | O_CREAT, 0644); return fd < 0 ? fd : close(fd); }

static int do_rename(void) { return rename(path, denied_name); }
static int do_link(void) { return link(path, denied_name); }

static int do_bind(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0), r;

	r = bind(fd, (const struct sockaddr *)&address, sizeof(struct sockaddr_un));
	close(fd);
	return r;
}

static const struct change {
	const char *name;
	int (*call)(void);
	bool makes; /* the denied name is absent, and the allowed one is removed after each call */
	bool from;  /* it is absent as well, and the paths that change exist */
} changes[] = {
	{ "truncate", do_truncate, false, false }, { "chmod", do_chmod, false, false },
	{ "utimens", do_utimens, false, false },   { "setxattr", do_setxattr, false, false },
	{ "unlink", do_unlink, false, false },	   { "mkdir", do_mkdir, true, false },
	{ "mknod", do_mknod, true, false },	   { "symlink", do_symlink, true, false },
	{ "create", do_create, true, false },	   { "bind", do_bind, true, false },
	{ "rename", do_rename, true, true },	   { "link", do_link, true, true },
};

static const struct change *change_of(const char *name)
{
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++)
		if (strcmp(changes[i].name, name) == 0)
			return &changes[i];
	return NULL;
}

/* As try_open(); a call that succeeded at another name counts as 0. */
static int try_change(const struct change *c, const struct stat *denied)
{
	struct stat st;
	bool worked = c->call() == 0, there = lstat(denied_name, &st) == 0;

	if (there == c->makes || (there && (st.st_size != denied->st_size || st.st_mode != denied->st_mode ||
					    st.st_ctim.tv_sec != denied->st_ctim.tv_sec ||
					    st.st_ctim.tv_nsec != denied->st_ctim.tv_nsec)))
		return 1;
	if (c->makes && !c->from)
		(void)remove(names[0]);
	else if (worked && access(names[0], F_OK) != 0)
		close(open(names[0], O_WRONLY | O_CREAT, 0644));
	return worked ? 0 : -1;
}

int main(int argc, char **argv)
{
	static char beside[PATH_MAX];
	long until, calls = 0, allowed = 0;
	struct stat denied = { 0 };
	const struct change *change;
	pthread_t thread;

	change = argc == 5 ? change_of(argv[1]) : NULL;
	if (argc != 5 || strlen(argv[2]) >= sizeof(address.path) || strlen(argv[3]) >= sizeof(address.path) ||
	    (lstat(argv[3], &denied) != 0) != (change && change->makes)) {
		fprintf(stderr, "flip_probe: %s\n", argc == 5 ? strerror(errno) : "usage");
		return 2;
	}
	names[0] = argv[2];
	names[1] = denied_name = argv[3];
	if (change && change->from) {
		snprintf(beside, sizeof(beside), "%.*sfree.txt", (int)(strrchr(argv[3], '/') + 1 - argv[3]), argv[3]);
		names[1] = beside;
	}
	memcpy(path, names[0], strlen(names[0]) + 1);
	if (pthread_create(&thread, NULL, flip, NULL) != 0)
		return 2;
	for (until = now_ms() + atol(argv[4]); now_ms() < until; calls++) {
		int r = change			      ? try_change(change, &denied) :
			strcmp(argv[1], "exec") == 0  ? try_exec() :
			strcmp(argv[1], "write") == 0 ? try_open(O_WRONLY, &denied) :
							try_open(O_RDONLY, &denied);

		if (r > 0) {
			printf("REACHED %s after %ld calls\n", argv[3], calls);
			return 1;
		}
		allowed += r == 0;
	}
	done = true;
	pthread_join(thread, NULL);
	printf("none in %ld calls, %ld of the allowed one\n", calls, allowed);
	/* from another mount nothing is moved or linked */
	return allowed == 0 && !(change && change->from);
}
