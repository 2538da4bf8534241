/*
 * What the kernel saw of a shell line: each successful execve's argv below the
 * shell, recorded with ptrace.  Runs in a jail with a PID namespace of its own
 * (shell.py makes it), since a line that takes too long is ended by killing
 * every other process.
 *
 * Reads lines "SHELL HEX" (SHELL: a path), writes for each
 *   "STATUS N SYNTAX" and N lines of argv, its words in hex behind blanks.
 * STATUS is the exit status, -1 past the time; SYNTAX that of `SHELL -n -c`.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t late;
static char *found;
static size_t found_n;
static FILE *out;
static unsigned nfound;

static void on_alarm(int sig)
{
	(void)sig;
	late = 1;
	kill(-1, SIGKILL);
}

static void record(pid_t pid)
{
	char path[64], buf[65536];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, buf, sizeof(buf));
	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return;
	for (ssize_t i = 0; i < n; i++) {
		if (!i || !buf[i - 1])
			fputs(i ? " =" : "=", out);
		if (buf[i])
			fprintf(out, "%02x", (unsigned char)buf[i]);
	}
	fputc('\n', out);
	nfound++;
}

static void quiet(void)
{
	int fd = open("/dev/null", O_RDWR);

	dup2(fd, 0);
	dup2(fd, 1);
	dup2(fd, 2);
	if (fd > 2)
		close(fd);
}

static void run(const char *shell, const char *line, bool check)
{
	quiet();
	signal(SIGALRM, SIG_DFL);
	if (!check) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
	}
	if (check)
		execl(shell, shell, "-n", "-c", "--", line, (char *)NULL);
	else
		execl(shell, shell, "-c", "--", line, (char *)NULL);
	_exit(126);
}

static int code(int status)
{
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int check(const char *shell, const char *line)
{
	pid_t pid = fork();
	int status = 0;

	if (!pid)
		run(shell, line, true);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return code(status);
}

/* Every process of the line, to its end. */
static int trace(const char *shell, const char *line)
{
	const int events = PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE |
			   PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
	pid_t shell_pid = fork(), pid;
	bool first = true;
	int status, result = -1;

	if (!shell_pid)
		run(shell, line, false);
	waitpid(shell_pid, &status, 0);
	ptrace(PTRACE_SETOPTIONS, shell_pid, NULL, (void *)(long)events);
	ptrace(PTRACE_CONT, shell_pid, NULL, NULL);
	for (;;) {
		int sig, event;

		pid = waitpid(-1, &status, __WALL);
		if (pid < 0 && errno == EINTR)
			continue;
		if (pid < 0)
			return late ? -1 : result;
		if (!WIFSTOPPED(status)) {
			if (pid == shell_pid)
				result = code(status);
			continue;
		}
		sig = WSTOPSIG(status);
		event = status >> 16;
		if (event == PTRACE_EVENT_EXEC) {
			if (!first)
				record(pid);
			first = false;
		}
		if (event || sig == SIGSTOP || sig == SIGTRAP)
			sig = 0;
		ptrace(PTRACE_CONT, pid, NULL, (void *)(long)sig);
	}
}

static char *unhex(char *hex)
{
	size_t n = 0;

	for (char *p = hex; p[0] && p[1] && p[0] != '\n'; p += 2) {
		unsigned v;

		if (sscanf(p, "%2x", &v) != 1)
			exit(2);
		hex[n++] = (char)v;
	}
	hex[n] = '\0';
	return hex;
}

/* Each line begins in a folder of its own, with the same files. */
static void place(unsigned long n)
{
	static const char *const names[] = { "a", "b", "aa", "ab", "c d", "p1", "-x" };
	char dir[32];

	snprintf(dir, sizeof(dir), "/w/%lu", n);
	if (mkdir(dir, 0755) < 0 || chdir(dir) < 0)
		exit(2);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		close(open(names[i], O_CREAT | O_WRONLY | O_CLOEXEC, 0644));
}

int main(void)
{
	char *line = NULL, *text;
	unsigned long n = 0;
	size_t cap = 0;

	signal(SIGALRM, on_alarm);
	while (getline(&line, &cap, stdin) > 0) {
		int status, syntax;

		text = strchr(line, ' ');
		if (!text)
			return 2;
		*text++ = '\0';
		unhex(text);
		place(n++);
		nfound = 0;
		late = 0;
		out = open_memstream(&found, &found_n);
		alarm(4);
		syntax = check(line, text);
		status = trace(line, text);
		alarm(0);
		fclose(out);
		printf("%d %u %d\n%s", status, nfound, syntax, found);
		fflush(stdout);
		free(found);
	}
	return 0;
}
