/*
 * Runs `git config --list`, outside of the sandbox and before the run.  It reads files that
 * no run can write, and HEAD and refs of no repository.  A filter takes execve away from it:
 * whatever its settings say, it runs nothing.
 *
 * A start of git takes 2 ms, so the answer is kept, together with a digest of what every
 * file held that git has read or that it looked for, of the environment and of the program.
 * The caller reads those files in each run anyway; so the digest is of what they hold, and
 * not of times, which are too coarse for a change that follows another at once.
 */
#include "runtime/sandbox/git_ask.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/own_filter.h"
#include "runtime/base/sys.h"
#include "runtime/base/writers.h"
#include "runtime/sandbox/remembered.h"

enum { GIT_WAIT_MS = 1000, GIT_ANSWER_MAX = 1 << 20, GIT_ARGS = 2 * 256 + 16 };

/* --- which git ------------------------------------------------------------------------ */

static bool is_setting(const char *entry)
{
	/* GIT_CONFIG alone would have `git config` read nothing but that file; GIT_TRACE… would
	 * write into the user's traces, LD_… load what a run may have written */
	return !strncmp(entry, "GIT_CONFIG_", 11) || !strncmp(entry, "XDG_CONFIG_HOME=", 16) ||
	       !strncmp(entry, "HOME=", 5);
}

/* Could a run have written it, or put it there? */
static bool is_from_run(const struct view_in *in, const char *path, int fd)
{
	char link[40], real[4096], *slash;
	struct stat st;
	ssize_t n;

	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, real, sizeof(real) - 1);
	if (n <= 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || writers_others(NULL, fd, &st) ||
	    (st.st_uid != 0 && st.st_uid != geteuid()))
		return true;
	real[n] = '\0';
	if (view_may_write(in, path) == VIEW_ALLOW || view_may_write(in, real) == VIEW_ALLOW)
		return true;
	slash = strrchr(real, '/');
	*slash = '\0';
	return view_may_write(in, real[0] ? real : "/") == VIEW_ALLOW;
}

void git_ask_begin(struct git_ask *a, const struct view_in *in)
{
	const char *dirs = getenv("PATH");

	*a = (struct git_ask){ .in = in, .git = -1 };
	for (char **e = environ; e && *e; e++)
		if (is_setting(*e)) {
			if (a->nenv + 2 >= sizeof(a->envp) / sizeof(a->envp[0]))
				return;
			a->envp[a->nenv++] = *e;
		}
	a->envp[a->nenv++] = "LC_ALL=C";
	for (; !in->prefix[0] && dirs && *dirs && a->git < 0; dirs += *dirs == ':') {
		size_t n = strcspn(dirs, ":");
		int fd;

		if (dirs[0] == '/' && snprintf(a->path, sizeof(a->path), "%.*s/git", (int)n, dirs) <
					      (int)sizeof(a->path)) {
			fd = sys_open(a->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0);
			if (fd >= 0 && !is_from_run(in, a->path, fd))
				a->git = fd;
			else if (fd >= 0)
				(void)close(fd);
		}
		dirs += n;
	}
}

void git_ask_end(struct git_ask *a)
{
	if (a->git >= 0)
		(void)close(a->git);
	a->git = -1;
}

void git_ask_hash(const struct git_ask *a, crypto_generichash_state *h)
{
	struct stat st = { 0 };
	char program[200];

	(void)fstat(a->git, &st);
	(void)snprintf(program, sizeof(program), "%s %ju %ju %jd %jd.%09ld %jd.%09ld", POL_VERSION,
		       (uintmax_t)st.st_dev, (uintmax_t)st.st_ino, (intmax_t)st.st_size,
		       (intmax_t)st.st_mtim.tv_sec, st.st_mtim.tv_nsec,
		       (intmax_t)st.st_ctim.tv_sec, st.st_ctim.tv_nsec);
	(void)crypto_generichash_update(h, (const unsigned char *)program, strlen(program) + 1);
	(void)crypto_generichash_update(h, (const unsigned char *)a->path, strlen(a->path) + 1);
	(void)crypto_generichash_update(h, (const unsigned char *)a->in->project,
					strlen(a->in->project) + 1);
	for (size_t i = 0; i < a->nenv; i++)
		(void)crypto_generichash_update(h, (const unsigned char *)a->envp[i],
						strlen(a->envp[i]) + 1);
}

/* --- asking --------------------------------------------------------------------------- */

static int confine(void)
{
	static const int starts[] = { SYS_execve };
	struct own_filter f = { .n = 0 };

	OWN_FILTER_ADD(&f, LOAD(arch));
	OWN_FILTER_ADD(&f, JEQ(AUDIT_ARCH_X86_64, 1, 0));
	OWN_FILTER_ADD(&f, KILL);
	OWN_FILTER_ADD(&f, LOAD(nr));
	/* x32 has an execve of its own */
	OWN_FILTER_ADD(&f, JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1));
	OWN_FILTER_ADD(&f, KILL);
	own_filter_calls(&f, starts, 1, (struct sock_filter)REFUSE);
	OWN_FILTER_ADD(&f, ALLOW);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return -errno;
	return own_filter_load(&f);
}

static _Noreturn void become_git(const struct git_ask *a, const char *const *argv, int out)
{
	int null = sys_open("/dev/null", O_RDWR | O_CLOEXEC, 0);

	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == 0 && null >= 0 && setsid() >= 0 &&
	    chdir(a->in->project) == 0 && dup2(null, 0) >= 0 && dup2(null, 2) >= 0 &&
	    dup2(out, 1) >= 0 && sys_close_range(3, ~0u, CLOSE_RANGE_CLOEXEC) == 0 && confine() == 0)
		(void)sys_execveat(a->git, "", (char *const *)(uintptr_t)argv,
				   (char *const *)(uintptr_t)a->envp, AT_EMPTY_PATH);
	_exit(127);
}

/* Reads to the end of the pipe, and no longer than a second. */
static int read_answer(int fd, struct git_answer *ret)
{
	int64_t end = sys_now_ms() + GIT_WAIT_MS;

	ret->text = malloc(GIT_ANSWER_MAX + 1);
	ret->len = 0;
	if (!ret->text)
		return -ENOMEM;
	for (;;) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		int64_t left = end - sys_now_ms();
		ssize_t n;

		if (left <= 0 || ret->len == GIT_ANSWER_MAX)
			return left <= 0 ? -ETIMEDOUT : -EFBIG;
		if (SYS_RETRY(poll(&p, 1, (int)left)) <= 0)
			continue;
		n = SYS_RETRY(read(fd, ret->text + ret->len, GIT_ANSWER_MAX - ret->len));
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		ret->len += (size_t)n;
	}
	ret->text[ret->len] = '\0';
	return 0;
}

static int run_git(const struct git_ask *a, const char *const *argv, struct git_answer *ret)
{
	int out[2], status = 0, r;
	pid_t pid;

	if (pipe2(out, O_CLOEXEC) != 0)
		return -errno;
	pid = fork();
	if (pid == 0)
		become_git(a, argv, out[1]);
	r = pid < 0 ? -errno : 0;
	(void)close(out[1]);
	if (r == 0)
		r = read_answer(out[0], ret);
	(void)close(out[0]);
	if (pid > 0) {
		if (r < 0)
			(void)kill(pid, SIGKILL);
		if (SYS_RETRY(waitpid(pid, &status, 0)) != pid || status != 0)
			r = r < 0 ? r : -ECHILD;
	}
	if (r < 0) {
		free(ret->text);
		ret->text = NULL;
	}
	return r;
}

int git_ask_now(const struct git_ask *a, char *const *files, size_t n, struct git_answer *ret)
{
	static const char *const words[] = { "config", "--list", "-z", "--show-origin", "--includes",
					     NULL };
	const char *argv[GIT_ARGS] = { "git", "--git-dir=/dev/null" };
	AUTO_FREE char *texts = NULL;
	size_t k = 2, need = 1;
	char *at;

	*ret = (struct git_answer){ .text = NULL };
	for (size_t i = 0; i < n; i++)
		need += strlen(files[i]) + sizeof("include.path=");
	texts = malloc(need);
	if (!texts || a->git < 0 || 2 * n + 16 > GIT_ARGS)
		return texts ? -ENOENT : -ENOMEM;
	at = texts;
	for (size_t i = 0; i < n; i++) {
		argv[k++] = "-c";
		argv[k++] = at;
		at += snprintf(at, need - (size_t)(at - texts), "include.path=%s", files[i]) + 1;
	}
	memcpy(argv + k, words, sizeof(words));
	return run_git(a, argv, ret);
}

/* --- what is kept --------------------------------------------------------------------- */

bool git_ask_kept(const struct git_ask *a, struct git_answer *ret)
{
	size_t len;
	char *text = remembered_read(a->in->remembered, "git", a->in->project, GIT_ANSWER_MAX, &len);

	if (!text || len < GIT_ASK_STAMP) {
		free(text);
		return false;
	}
	memcpy(ret->stamp, text, GIT_ASK_STAMP);
	ret->stamp[GIT_ASK_STAMP] = '\0';
	ret->len = len - GIT_ASK_STAMP;
	memmove(text, text + GIT_ASK_STAMP, ret->len + 1);
	ret->text = text;
	return true;
}

void git_ask_keep(const struct git_ask *a, const struct git_answer *answer)
{
	const struct remembered_part parts[] = { { answer->stamp, GIT_ASK_STAMP }, { answer->text, answer->len } };

	remembered_write(a->in->remembered, "git", a->in->project, parts, 2);
}
