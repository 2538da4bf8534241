/*
 * Processes that are hard to end.
 *
 *   stuck_probe daemon|stopped|traced|vfork|pipe MARK
 *       inside: starts one and goes on; MARK only stands in its command line
 *   stuck_probe fuse DIR
 *       outside, as root: DIR is a file system that takes every question for a
 *       name and answers none, until somebody ends it
 */
#include <fcntl.h>
#include <linux/fuse.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <unistd.h>

static void wait_for_ever(void)
{
	for (;;)
		(void)pause();
}

/* Away from the session, deaf to all that can be ignored, and busy. */
static int be_daemon(void)
{
	if (fork() != 0)
		return 0;
	(void)setsid();
	if (fork() != 0)
		_exit(0);
	(void)setsid();
	for (int s = 1; s < 65; s++)
		(void)signal(s, SIG_IGN);
	for (;;)
		(void)access(".env", F_OK);
}

static int be_stopped(void)
{
	if (fork() != 0)
		return 0;
	(void)setpgid(0, 0);
	for (;;)
		(void)raise(SIGSTOP);
}

/* Stopped for a tracer that never continues it; where nobody may trace, stopped. */
static int be_traced(void)
{
	if (fork() != 0)
		return 0;
	if (fork() != 0)
		wait_for_ever();
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
		(void)kill(getpid(), SIGSTOP);
	(void)raise(SIGTRAP);
	wait_for_ever();
	return 1;
}

/* Whoever called vfork(2) waits for its child, which only a kill interrupts. */
static int be_vforked(void)
{
	pid_t child;

	if (fork() != 0)
		return 0;
	child = vfork();
	if (child == 0)
		for (;;)
			(void)pause();
	return 1;
}

static int be_reader(void)
{
	int p[2];
	char c;

	if (fork() != 0)
		return 0;
	if (pipe(p) != 0)
		return 1;
	for (;;)
		(void)!read(p[0], &c, 1);
}

static int answer(int fd, uint64_t unique, const void *body, size_t n)
{
	struct {
		struct fuse_out_header head;
		char body[512];
	} out = { .head = { .len = (uint32_t)(sizeof(out.head) + n),
			    .unique = unique } };

	memcpy(out.body, body, n);
	return write(fd, &out, out.head.len) == (ssize_t)out.head.len ? 0 : -1;
}

static int serve(const char *dir)
{
	static char in[1 << 17];
	struct fuse_in_header h;
	char options[100];
	int fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);

	(void)snprintf(options, sizeof(options),
		       "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other", fd);
	if (fd < 0 || mount("stuck", dir, "fuse", MS_NOSUID | MS_NODEV, options) != 0)
		return 1;
	while (read(fd, in, sizeof(in)) >= (ssize_t)sizeof(h)) {
		struct fuse_init_out init = { .major = FUSE_KERNEL_VERSION,
					      .minor = FUSE_KERNEL_MINOR_VERSION,
					      .max_write = 4096 };
		struct fuse_attr_out attr = {
			.attr_valid = 3600,
			.attr = { .ino = 1, .mode = S_IFDIR | 0755, .nlink = 2 },
		};

		memcpy(&h, in, sizeof(h));
		if (h.opcode == FUSE_INIT) {
			(void)answer(fd, h.unique, &init, sizeof(init));
			(void)puts("ready");
			(void)fflush(stdout);
		} else if (h.opcode == FUSE_GETATTR) {
			(void)answer(fd, h.unique, &attr, sizeof(attr));
		} else if (h.opcode == FUSE_LOOKUP) {
			(void)puts("asked");
			(void)fflush(stdout);
		}
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	if (!strcmp(argv[1], "daemon"))
		return be_daemon();
	if (!strcmp(argv[1], "stopped"))
		return be_stopped();
	if (!strcmp(argv[1], "traced"))
		return be_traced();
	if (!strcmp(argv[1], "vfork"))
		return be_vforked();
	if (!strcmp(argv[1], "pipe"))
		return be_reader();
	return serve(argv[2]);
}
