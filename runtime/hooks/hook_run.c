/*
 * Decides how a hook's line is run, as seen in Claude Code 2.1.197, Codex 0.169 and
 * Gemini CLI 0.61.0.  The agents pass on the environment in which they were started;
 * what they add, we add, too.
 */
#include "runtime/hooks/hook_run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"

/* The shell.  NULL: the user's own if Codex knows it, else bash. */
static const struct {
	const char *shell, *option;
	const char *here[3]; /* variables that hold the current directory */
} ways[HOOK_AGENT_COUNT] = {
	[HOOK_CLAUDE] = { "/bin/sh", "-c", { "CLAUDE_PROJECT_DIR" } },
	[HOOK_CODEX] = { NULL, "-c", { NULL } },
	[HOOK_GEMINI] = { "bash",
			  "-c",
			  { "GEMINI_PROJECT_DIR", "GEMINI_CWD",
			    "CLAUDE_PROJECT_DIR" } },
	[HOOK_CURSOR] = { "/bin/sh", "-c", { "CURSOR_PROJECT_DIR" } },
	[HOOK_QWEN] = { "bash", "-c", { "QWEN_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CLAUDE_PROJECT_DIR" } },
	[HOOK_OPENCODE] = { "/bin/sh", "-c", { NULL } },
	[HOOK_PI] = { "/bin/sh", "-c", { NULL } },
	[HOOK_COPILOT] = { "bash", "-c", { "COPILOT_PROJECT_DIR", "CLAUDE_PROJECT_DIR" } },
};

static bool is_shell(const char *path, const char *shell)
{
	const char *name = strrchr(path, '/');

	return strcmp(name ? name + 1 : path, shell) == 0;
}

static const char *own_shell(void)
{
	static const char *const known[] = { "sh", "bash", "zsh" };
	const struct passwd *p = getpwuid(geteuid());

	for (size_t i = 0; p && p->pw_shell[0] == '/' && i < sizeof(known) / sizeof(known[0]); i++)
		if (is_shell(p->pw_shell, known[i]))
			return p->pw_shell;
	return "bash";
}

/* The path of a shell that Claude Code accepts, or NULL. */
static const char *bash_or_zsh(const char *path)
{
	return path && (strstr(path, "bash") || strstr(path, "zsh")) && access(path, X_OK) == 0 ? path
												: NULL;
}

/* What Claude Code (2.1.332) takes: CLAUDE_CODE_SHELL, SHELL, else zsh before bash. */
static const char *claude_shell(void)
{
	static const char *const zsh[] = { "/bin/zsh", "/usr/bin/zsh", "/usr/local/bin/zsh" };
	const char *shell = bash_or_zsh(getenv("CLAUDE_CODE_SHELL"));

	if (!shell)
		shell = bash_or_zsh(getenv("SHELL"));
	for (size_t i = 0; !shell && i < sizeof(zsh) / sizeof(zsh[0]); i++)
		shell = bash_or_zsh(zsh[i]);
	return shell ? shell : "bash";
}

bool hook_run_has_zsh(enum hook_agent agent)
{
	return (agent == HOOK_CLAUDE && is_shell(claude_shell(), "zsh")) ||
	       (agent == HOOK_CODEX && is_shell(own_shell(), "zsh"));
}

void hook_run_surround(enum hook_agent agent)
{
	char *cwd = getcwd(NULL, 0);

	for (size_t i = 0; i < 3 && ways[agent].here[i] && cwd; i++)
		(void)setenv(ways[agent].here[i], cwd, 1);
	free(cwd);
}

static void become(enum hook_agent agent, const char *command, int in, int out, int err)
	__attribute__((noreturn));
static void become(enum hook_agent agent, const char *command, int in, int out, int err)
{
	const char *shell = ways[agent].shell;

	if (!shell)
		shell = own_shell();
	hook_run_surround(agent);
	(void)signal(SIGPIPE, SIG_DFL);
	(void)setpgid(0, 0);
	if (dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0 &&
	    dup2(err, STDERR_FILENO) >= 0)
		(void)execlp(shell, shell, ways[agent].option, command, (char *)NULL);
	_exit(127);
}

/* Reads what arrives until both outputs end or until `until`; cuts what is too much. */
static bool read_both(int out, int err, int64_t until, struct hook_ran *ret)
{
	struct pollfd p[2] = { { .fd = out, .events = POLLIN },
			       { .fd = err, .events = POLLIN } };
	char *const texts[2] = { ret->out, ret->err };
	size_t *const lengths[2] = { &ret->n, &ret->err_n };
	char rest[4096];

	while (p[0].fd >= 0 || p[1].fd >= 0) {
		int64_t left = until - sys_now_ms();

		if (left <= 0 || (poll(p, 2, (int)left) < 0 && errno != EINTR))
			return false;
		for (size_t i = 0; i < 2; i++) {
			size_t room = HOOK_RUN_MAX - *lengths[i];
			ssize_t k;

			if (p[i].fd < 0 || !p[i].revents)
				continue;
			k = room ? read(p[i].fd, texts[i] + *lengths[i], room)
				 : read(p[i].fd, rest, sizeof(rest));
			if (k == 0 || (k < 0 && errno != EINTR))
				p[i].fd = -1;
			else if (k > 0 && room)
				*lengths[i] += (size_t)k;
		}
	}
	return true;
}

/* Waits for its end and returns its status. */
static int end_of(pid_t pid, int64_t until, struct hook_ran *ret)
{
	int status;
	pid_t r;

	while ((r = waitpid(pid, &status, ret->late ? 0 : WNOHANG)) == 0 ||
	       (r < 0 && errno == EINTR)) {
		const struct timespec nap = { 0, 1000000 };

		if (r == 0 && sys_now_ms() >= until) {
			ret->late = true;
			(void)kill(-pid, SIGKILL);
		}
		(void)nanosleep(&nap, NULL);
	}
	if (r < 0)
		return -errno;
	ret->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	return 0;
}

/* Puts the message into an unnamed file, positioned at its beginning. */
static int input(const char *text, size_t n)
{
	int fd = memfd_create("pol-doctor", MFD_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (io_write_all(fd, text, n) < 0 || lseek(fd, 0, SEEK_SET) < 0) {
		(void)close(fd);
		return -EIO;
	}
	return fd;
}

static void shut(int *fds, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (fds[i] >= 0)
			(void)close(fds[i]);
}

int hook_run_line(enum hook_agent agent, const char *command, const char *text,
		  size_t n, unsigned seconds, struct hook_ran *ret)
{
	int64_t until = sys_now_ms() + (int64_t)seconds * 1000;
	int fds[5] = { -1, -1, -1, -1, -1 }, r = -ENOMEM;
	pid_t pid;

	*ret = (struct hook_ran){ .out = calloc(1, HOOK_RUN_MAX + 1),
				  .err = calloc(1, HOOK_RUN_MAX + 1) };
	if (!ret->out || !ret->err)
		return r;
	fds[4] = input(text, n);
	if (fds[4] < 0)
		return fds[4];
	if (pipe2(fds, O_CLOEXEC) < 0 || pipe2(fds + 2, O_CLOEXEC) < 0 ||
	    (pid = fork()) < 0) {
		r = -errno;
		shut(fds, 5);
		return r;
	}
	if (pid == 0)
		become(agent, command, fds[4], fds[1], fds[3]);
	(void)setpgid(pid, pid);
	shut((int[]){ fds[1], fds[3], fds[4] }, 3);
	if (!read_both(fds[0], fds[2], until, ret)) {
		ret->late = true;
		(void)kill(-pid, SIGKILL);
	}
	shut((int[]){ fds[0], fds[2] }, 2);
	return end_of(pid, until, ret);
}

void hook_run_release(struct hook_ran *r)
{
	free(r->out);
	free(r->err);
	*r = (struct hook_ran){ .out = NULL };
}
