/*
 * Loads the rules of a limited network into the run's own namespace: either the
 * messages that the bundle holds, or through polnft, which is executed while the root
 * is still the host's root.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"
#include "runtime/bundle/nft_load.h"
#include "runtime/sandbox/plan.h"

/* Writes the reason in the way in which polnft does. */
static void __attribute__((noreturn)) not_polnft(int peer, const char *what)
{
	char line[128];
	int n = snprintf(line, sizeof(line), "%s: %s\n", what, strerror(errno));

	(void)!write(peer, line, (size_t)n);
	_exit(125);
}

static void __attribute__((noreturn)) become_polnft(int program, int peer)
{
	char *argv[] = { (char *)(uintptr_t) "polnft", NULL };
	char *envp[] = { NULL };

	/* polnft reads documents from 0 and writes errors to 2 */
	for (int fd = 0; fd <= 2; fd++)
		if (SYS_RETRY(dup2(peer, fd)) < 0)
			not_polnft(peer, "its descriptors");
	(void)sys_execveat(program, "", argv, envp, AT_EMPTY_PATH);
	not_polnft(peer, "executing it");
}

/* -EPIPE: polnft ended early and has written the reason. */
static int send_documents(int sock, const char *p, size_t left)
{
	int r = 0;

	while (left && r == 0) {
		ssize_t n = SYS_RETRY(send(sock, p, left, MSG_NOSIGNAL));

		if (n < 0) {
			r = errno == ECONNRESET ? -EPIPE : -errno;
		} else {
			p += n;
			left -= (size_t)n;
		}
	}
	if (shutdown(sock, SHUT_WR) < 0)
		return -errno;
	return r;
}

/* Reads the first line that polnft printed. */
static void read_reason(int sock, char *out, size_t cap)
{
	char raw[256];
	size_t have = 0;
	ssize_t n;

	while (have < sizeof(raw) &&
	       (n = read(sock, raw + have, sizeof(raw) - have)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			break;
		have += (size_t)n;
	}
	for (size_t i = 0; i < have; i++)
		if (raw[i] == '\n')
			have = i;
	io_escape(out, cap, raw, have);
}

static int by_polnft(const struct init *in, const struct plan_op *op, struct rt_err *err)
{
	char why[300] = "";
	int pair[2], status = 0, r;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return step_fail(err, STEP_NFT, errno, "socketpair");
	pid = fork();
	if (pid == 0)
		become_polnft(op->fd, pair[1]);
	(void)close(pair[1]);
	if (pid < 0) {
		r = errno;
		(void)close(pair[0]);
		return step_fail(err, STEP_NFT, r, "fork of polnft");
	}
	r = send_documents(pair[0], plan_at(in->plan, op->other), op->len);
	/* polnft must not load a part of the documents */
	if (r < 0 && r != -EPIPE)
		(void)kill(pid, SIGKILL);
	else
		read_reason(pair[0], why, sizeof(why));
	(void)close(pair[0]);
	/* if the status is unknown, treat it as a failure */
	if (SYS_RETRY(waitpid(pid, &status, 0)) < 0)
		return step_fail(err, STEP_NFT, errno, "waiting for polnft");
	if (r < 0 && !why[0])
		return step_fail(err, STEP_NFT, -r, "sending to polnft");
	if (r == 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	return step_fail(err, STEP_NFT, EINVAL, "polnft: %s",
			 why[0] ? why : "it ended without a word");
}

int step_nft(struct init *in, const struct plan_op *op, struct rt_err *err)
{
	int r;

	if (op->flags & PLAN_F_GIVEN)
		return by_polnft(in, op, err);
	r = nft_load(plan_at(in->plan, op->other), op->len, err);
	if (r < 0 && err)
		(void)snprintf(err->step, sizeof(err->step), "%s",
			       step_table[STEP_NFT].name);
	return r;
}
