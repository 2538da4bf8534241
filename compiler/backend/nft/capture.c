/*
 * Decides whether the kernel takes the rules as they were written.  A bundle gets
 * only what libnftables sent and what makes the same ruleset when it is loaded again.
 * polnft-record does both; this file starts it and judges its answer.
 */
#include "compiler/backend/nft/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "compiler/backend/nft/model.h"
#include "compiler/backend/nft/record.h"
#include "runtime/base/io.h"
#include "runtime/base/own.h"
#include "runtime/base/sys.h"
#include "runtime/bundle/format.h"
#include "runtime/bundle/nft_batch.h"

/* Some ten thousand elements take a second. */
#define SECONDS 120

/* --- polnft-record runs ----------------------------------------------------------- */

static void __attribute__((noreturn)) child_fail(int out, const char *what)
{
	struct record_answer r = { .verdict = RECORD_REFUSED };

	memcpy(r.magic, RECORD_MAGIC, sizeof(r.magic));
	(void)snprintf(r.why, sizeof(r.why), "%s: %s", what, strerror(errno));
	_exit(io_write_all(out, &r, sizeof(r)) < 0);
}

/* Becomes the program; an alarm outlives the exec and kills it if it takes too long. */
static void __attribute__((noreturn))
become(int program, int in, int out, unsigned seconds)
{
	char *argv[] = { (char *)(uintptr_t)RECORD_PROGRAM, NULL };
	char *envp[] = { NULL };
	sigset_t none;

	/* polc may have been started without the descriptors 0 to 2 */
	program = fcntl(program, F_DUPFD_CLOEXEC, 3);
	in = fcntl(in, F_DUPFD_CLOEXEC, 3);
	out = fcntl(out, F_DUPFD_CLOEXEC, 3);
	if (program < 0 || in < 0 || out < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0)
		child_fail(out, "descriptors of " RECORD_PROGRAM);
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	(void)signal(SIGALRM, SIG_DFL);
	(void)alarm(seconds);
	(void)sys_execveat(program, "", argv, envp, AT_EMPTY_PATH);
	child_fail(1, "executing " RECORD_PROGRAM);
}

/* A file that holds the documents, so that nobody waits for a reader; -1 with errno. */
static int documents(struct str json)
{
	AUTO_CLOSE int fd = memfd_create(PB_NFT_JSON, MFD_CLOEXEC);
	int r = fd < 0 ? -errno : io_write_all(fd, json.p, json.n);

	if (r < 0)
		errno = -r;
	return r < 0 || lseek(fd, 0, SEEK_SET) < 0 ? -1 : io_steal_fd(&fd);
}

/* NULL, or why there is no complete answer.  *ret_answer is malloc'ed. */
static const char *ask(struct arena *a, int program, unsigned seconds, struct str json,
		       char **ret_answer, size_t *ret_n)
{
	AUTO_CLOSE int in = documents(json);
	int p[2], status = 0, r;
	pid_t pid;

	if (in < 0 || pipe2(p, O_CLOEXEC) != 0)
		return strerror(errno);
	pid = fork();
	if (pid == 0)
		become(program, in, p[1], seconds);
	r = errno;
	(void)close(p[1]);
	if (pid < 0) {
		(void)close(p[0]);
		return strerror(r);
	}
	r = io_read_all(p[0], PB_MAX_BUNDLE, ret_answer, ret_n);
	(void)close(p[0]);
	if (r < 0)
		(void)kill(pid, SIGKILL);
	/* where SIGCHLD is ignored there is no status: then the answer alone counts */
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (r == -EFBIG)
		return RECORD_PROGRAM " does not end its answer";
	if (r < 0)
		return arena_printf(a, "reading from " RECORD_PROGRAM ": %s",
				    strerror(-r));
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
		return arena_printf(a, RECORD_PROGRAM " took longer than %u s", seconds);
	if (WIFSIGNALED(status))
		return arena_printf(a, RECORD_PROGRAM " was killed: %s",
				    strsignal(WTERMSIG(status)));
	if (status != 0)
		return arena_printf(a, RECORD_PROGRAM " ended with status %d",
				    WEXITSTATUS(status));
	return NULL;
}

/* --- its answer ------------------------------------------------------------------------ */


static enum nft_capture_result refused(struct arena *a, const char **ret_why,
				       const char *what)
{
	*ret_why = arena_printf(a, "%s", what);
	return NFT_REFUSED;
}

/* Do both listings say what the documents said?  (A listing has no fixed order.) */
static const char *compare(struct arena *a, struct str json, const struct str listing[2],
			   struct str *ret_version)
{
	struct model want, is;
	const char *why = model_read(a, json, &want);

	for (unsigned i = 0; !why && i < 2; i++) {
		why = model_read(a, listing[i], &is);
		if (why)
			break;
		*ret_version = is.version;
		why = model_differs(a, &want, &is);
		if (why)
			why = arena_printf(a, "the kernel lists something else%s: %s",
					   i ? " after the replay" : "", why);
	}
	return why;
}

static enum nft_capture_result take(struct arena *a, const char *bytes, size_t n,
				    struct str json, struct nft_captured *ret,
				    const char **ret_why)
{
	struct rt_err err = { .err = 0 };
	struct str listing[2];
	struct record_answer r;
	const char *why;

	if (n < sizeof(r) || memcmp(bytes, RECORD_MAGIC, sizeof(r.magic)) != 0)
		return refused(a, ret_why,
			       RECORD_PROGRAM " gave no answer that polc understands");
	memcpy(&r, bytes, sizeof(r));
	r.why[sizeof(r.why) - 1] = '\0';
	if (n != sizeof(r) + (size_t)r.batch + r.listing[0] + r.listing[1])
		return refused(a, ret_why, "the answer of " RECORD_PROGRAM
					   " has another length than it says");
	if (r.verdict != RECORD_DONE) {
		*ret_why = arena_printf(a, "%s", r.why);
		return r.verdict == RECORD_NO_NAMESPACE ? NFT_NO_NAMESPACE : NFT_REFUSED;
	}
	bytes += sizeof(r);
	ret->batch = str_dup(a, (struct str){ bytes, r.batch });
	listing[0] = str_dup(a, (struct str){ bytes + r.batch, r.listing[0] });
	listing[1] = str_dup(a, (struct str){ bytes + r.batch + r.listing[0],
					      r.listing[1] });
	if (nft_batch_check(ret->batch.p, ret->batch.n, &err) < 0)
		return refused(a, ret_why, err.text);
	why = compare(a, json, listing, &ret->version);
	return why ? refused(a, ret_why, why) : NFT_CAPTURED;
}

enum nft_capture_result nft_capture_by(struct arena *a, int program, unsigned seconds,
				       struct str json, struct nft_captured *ret,
				       const char **ret_why)
{
	AUTO_FREE char *answer = NULL;
	const char *why;
	size_t n = 0;

	*ret = (struct nft_captured){ .batch = STR_NULL };
	why = ask(a, program, seconds, json, &answer, &n);
	return why ? refused(a, ret_why, why) : take(a, answer, n, json, ret, ret_why);
}

enum nft_capture_result nft_capture(struct arena *a, struct str json,
				    struct nft_captured *ret, const char **ret_why)
{
	struct rt_err err = { .err = 0 };
	AUTO_CLOSE int program = own_open("polc", RECORD_PROGRAM, &err);

	if (program >= 0)
		return nft_capture_by(a, program, SECONDS, json, ret, ret_why);
	*ret = (struct nft_captured){ .batch = STR_NULL };
	*ret_why = arena_printf(a, "%s", err.text);
	return NFT_NO_PROGRAM;
}
