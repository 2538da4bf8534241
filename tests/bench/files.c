/*
 * Times calls on files, for files.py:
 *   files open DIR N            open DIR/f.ts for writing, and close it
 *   files continue DIR N        the same, each call answered by a second process with CONTINUE
 *   files rewrite DIR N         write and read 64 KiB blocks of one open file
 * Prints the median and the smallest of 20 rounds, in nanoseconds for one.
 *   files time FILE ARGS...     the time of one program, in nanoseconds
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/compat.h"

enum { ROUNDS = 20, BLOCK = 1 << 16, BLOCKS = 64 };

static double now(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void open_and_close(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

	if (fd < 0)
		fail(path);
	(void)close(fd);
}

static void rewrite(const char *path)
{
	static char block[BLOCK];
	static int fd = -1;

	if (fd < 0)
		fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	for (int i = 0; i < BLOCKS; i++)
		if (pwrite(fd, block, BLOCK, (off_t)i * BLOCK) != BLOCK ||
		    pread(fd, block, BLOCK, (off_t)i * BLOCK) != BLOCK)
			fail("rewrite");
}

/* Every openat(2) of the caller is answered by somebody else from here on. */
static void be_notified(void)
{
	struct sock_filter f[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog p = { sizeof(f) / sizeof(f[0]), f };
	struct seccomp_notif req;
	struct seccomp_notif_resp resp;
	int listener;
	pid_t child, parent = getpid();

	(void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	listener = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
				SECCOMP_FILTER_FLAG_NEW_LISTENER, &p);
	if (listener < 0)
		fail("seccomp");
	/* as polrun's listener: the other one runs on the processor that the first one leaves (6.6) */
	(void)ioctl(listener, SECCOMP_IOCTL_NOTIF_SET_FLAGS, SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP);
	child = fork();
	if (child)
		return;
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (getppid() == parent) {
		memset(&req, 0, sizeof(req));
		if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &req) != 0)
			continue;
		resp = (struct seccomp_notif_resp){ .id = req.id,
						    .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE };
		(void)ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &resp);
	}
	_exit(0);
}

static int time_program(char **argv)
{
	double from = now();
	pid_t child = fork();
	int st = 0;

	if (child == 0) {
		(void)execvp(argv[0], argv);
		_exit(127);
	}
	if (child < 0 || waitpid(child, &st, 0) != child || st)
		fail(argv[0]);
	printf("%.0f\n", now() - from);
	return 0;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	double round[ROUNDS];
	char path[4096];
	void (*act)(const char *);
	int n;

	if (argc > 2 && strcmp(argv[1], "time") == 0)
		return time_program(argv + 2);
	if (argc != 4)
		return 2;
	n = atoi(argv[3]);
	act = strcmp(argv[1], "rewrite") == 0 ? rewrite : open_and_close;
	(void)snprintf(path, sizeof(path), "%s/f.ts", argv[2]);
	if (strcmp(argv[1], "continue") == 0)
		be_notified();
	for (int i = -2; i < ROUNDS; i++) { /* two to warm up */
		double from = now();

		for (int k = 0; k < n; k++)
			act(path);
		if (i >= 0)
			round[i] = (now() - from) / n;
	}
	qsort(round, ROUNDS, sizeof(round[0]), by_value);
	printf("%.0f %.0f\n", round[ROUNDS / 2], round[0]);
	return 0;
}
