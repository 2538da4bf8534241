/*
 * The supervisor's own walls, from inside: confines itself with the code of
 * polrun, then does what its argument says.
 *
 *     confine_probe WHAT
 *
 * 0: it was possible; 1: it was refused (the errno is printed); a fatal signal:
 * it was deadly.  "none" shows that the walls alone do no harm.
 */
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "runtime/base/err.c"
#include "runtime/base/io.c"
#include "runtime/base/own_filter.c"
#include "runtime/base/sys.c"
#include "runtime/supervise/confine.c"

static int dir_fd, file_fd;

static long by_openat2(int dirfd, const char *path)
{
	return sys_open_beneath(dirfd, path, O_RDONLY | O_CLOEXEC, 0);
}

static long attempt(const char *what)
{
	char *const argv[] = { (char *)(uintptr_t)"true", NULL };
	struct stat st;
	char c;

	if (strcmp(what, "none") == 0)
		return 0;
	if (strcmp(what, "open") == 0)
		return syscall(SYS_open, "/etc/passwd", O_RDONLY);
	if (strcmp(what, "openat") == 0)
		return syscall(SYS_openat, AT_FDCWD, "/etc/passwd", O_RDONLY);
	if (strcmp(what, "openat-fd") == 0)
		return syscall(SYS_openat, dir_fd, "passwd", O_RDONLY);
	if (strcmp(what, "creat") == 0)
		return syscall(SYS_creat, "/nonexistent/x", 0600);
	if (strcmp(what, "openat2-cwd") == 0)
		return by_openat2(AT_FDCWD, "passwd");
	if (strcmp(what, "openat2") == 0)
		return by_openat2(dir_fd, "passwd");
	if (strcmp(what, "openat2-absolute") == 0)
		return by_openat2(dir_fd, "/etc/passwd");
	if (strcmp(what, "openat2-up") == 0)
		return by_openat2(dir_fd, "../etc/passwd");
	if (strcmp(what, "execve") == 0)
		return execve("/bin/true", argv, NULL);
	if (strcmp(what, "socket") == 0)
		return socket(AF_UNIX, SOCK_STREAM, 0);
	if (strcmp(what, "fork") == 0)
		return fork();
	if (strcmp(what, "ptrace") == 0)
		return syscall(SYS_ptrace, 0, 0, 0, 0);
	if (strcmp(what, "unlink") == 0)
		return unlink("/nonexistent/x");
	if (strcmp(what, "exec-memory") == 0)
		return mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0) == MAP_FAILED ? -1 : 0;
	if (strcmp(what, "kill") == 0)
		return kill(getppid(), SIGCONT); /* signal 0 is allowed: it only asks */
	if (strcmp(what, "read") == 0)
		return read(file_fd, &c, 1);
	if (strcmp(what, "stat") == 0)
		return fstatat(dir_fd, "passwd", &st, 0);
	fprintf(stderr, "confine_probe: what is '%s'?\n", what);
	exit(2);
}

int main(int argc, char **argv)
{
	struct rt_err err = { 0 };
	long r;

	dir_fd = open("/etc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	file_fd = open("/etc/passwd", O_RDONLY | O_CLOEXEC);
	if (argc != 2 || dir_fd < 0 || file_fd < 0)
		return 2;
	/* "free-WHAT" is the control: the same without the walls */
	if (strncmp(argv[1], "free-", 5) == 0) {
		argv[1] += 5;
	} else if (confine_self(NULL, 0, &err) < 0) {
		fprintf(stderr, "confine_probe: %s\n", err.text);
		return 2;
	}
	r = attempt(argv[1]);
	if (r < 0)
		printf("%s\n", strerrorname_np(errno));
	fflush(stdout);
	_exit(r < 0);
}
