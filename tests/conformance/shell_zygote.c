/*
 * Preloaded into the shell that shell_oracle runs: before main() it forks once
 * for each line, so that a line costs no exec and no loading of the shell.  The
 * shell that then runs is the real one, with its arguments and a folder changed.
 *
 * Asked through the descriptor SHELL_ZYGOTE: one packet "MODE DIR\0LINE", MODE
 * 'n' (read only, -n) or 'x' (run it).  Answers with the status of waitpid(2),
 * an int, when the line's last process has ended.
 */
#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static char packet[256 * 1024];

static void limit(int what, rlim_t n)
{
	struct rlimit r = { n, n };

	setrlimit((__rlimit_resource_t)what, &r);
}

/* In the child, which goes on to main(). */
static void become(char **argv)
{
	char *dir = packet + 1;

	argv[1] = (char *)(packet[0] == 'n' ? "-n" : "+x");
	argv[4] = dir + strlen(dir) + 1;
	if (chdir(dir) < 0)
		_exit(126);
	setsid();
	limit(RLIMIT_CPU, 1);
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_FSIZE, 1 << 20);
	limit(RLIMIT_AS, 1 << 29);
}

/* The last of the line's processes, orphans as well. */
static int wait_all(pid_t shell)
{
	int status, result = -1;
	pid_t pid;

	while ((pid = waitpid(-1, &status, 0)) > 0 || errno == EINTR)
		if (pid == shell)
			result = status;
	return result;
}

/* argv is the array that main() gets: "SHELL +x -c -- LINE SAY P2 X". */
__attribute__((constructor)) static void serve(int argc, char **argv, char **envp)
{
	const char *at = getenv("SHELL_ZYGOTE");
	int fd = at ? atoi(at) : -1, result = 0;

	(void)envp;
	if (fd < 0 || argc != 8)
		return;
	unsetenv("SHELL_ZYGOTE");
	unsetenv("LD_PRELOAD");
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	/* once for all lines: the files of the locale */
	newlocale(LC_ALL_MASK, getenv("LC_ALL") ? "C.UTF-8" : "C", NULL);
	while (send(fd, &result, sizeof(result), MSG_NOSIGNAL) == sizeof(result)) {
		ssize_t n = recv(fd, packet, sizeof(packet) - 1, 0);
		pid_t pid;

		if (n <= 0)
			break;
		packet[n] = '\0';
		pid = fork();
		if (!pid) {
			close(fd);
			become(argv);
			return;
		}
		result = wait_all(pid);
	}
	_exit(0);
}
