/*
 * One run's asker without the run: starts it as polrun does, puts the same question to it
 * twice, and prints the two answers.
 *   asker BUNDLE STATE-DIR tty|deny [SOCKET [SESSION]]
 * An answer is "yes", "no", "gone" (the asker has ended: the supervisor takes that as no)
 * or "silent" (nothing for 20 s); "refused" alone where it could not be started.  In the
 * variant faults one of its calls fails, as POL_FAULT says (tests/faults/askers.py).
 */
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime/approvals/ask_net.h"
#include "runtime/bundle/reader.h"

enum { HOLD_MS = 10000, WAIT_MS = 20000 };

static const char *answer_to(int sock, pid_t init, uint32_t id)
{
	struct gate_question q = { .init_pid = init,
				   .record = { .type = GATE_ASK, .id = id, .port = 443, .count = 1 } };
	struct pollfd p = { sock, POLLIN, 0 };
	struct gate_message m;
	ssize_t n;

	(void)strcpy(q.record.name, "a.example");
	if (send(sock, &q, sizeof(q), MSG_NOSIGNAL) < 0)
		return "gone";
	if (poll(&p, 1, WAIT_MS) <= 0)
		return "silent";
	n = recv(sock, &m, sizeof(m), 0);
	if (n != (ssize_t)sizeof(m))
		return "gone";
	return m.type == GATE_ANSWER && m.id == id && m.value == GATE_YES ? "yes" : "no";
}

/* In the place of the run, which is stopped for a question: all of its process namespace. */
static int run_first(void *arg)
{
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	(void)close(*(int *)arg);
	while (pause() < 0)
		;
	return 0;
}

int main(int argc, char **argv)
{
	static char stack[1 << 16];
	struct bundle b = { 0 };
	struct decide_ctx ctx = { .b = &b, .scope = PB_SANDBOX };
	struct rt_err err = { 0 };
	struct ask_net in = { .ctx = &ctx, .hold_ms = HOLD_MS };
	const char *first, *second;
	pid_t pid, init;
	int sock, ready[2];
	char c;

	if (argc < 4 || bundle_open(argv[1], &b, &err) < 0) {
		(void)fprintf(stderr, "usage: asker BUNDLE STATE-DIR tty|deny [SOCKET [SESSION]] (%s)\n",
			      err.text);
		return 2;
	}
	in.dir = argv[2];
	in.mode = strcmp(argv[3], "tty") == 0 ? ASK_TTY : ASK_DENY;
	in.socket = argc > 4 && argv[4][0] ? argv[4] : NULL;
	in.session = argc > 5 ? argv[5] : NULL;
	if (pipe(ready) < 0 ||
	    (init = clone(run_first, stack + sizeof(stack), CLONE_NEWUSER | CLONE_NEWPID | SIGCHLD,
			  &ready[1])) < 0) {
		perror("asker: a process namespace");
		return 2;
	}
	/* it has asked for its end before we can have ours */
	(void)close(ready[1]);
	(void)(read(ready[0], &c, 1) + close(ready[0]));
	sock = ask_net_start(&in, &pid, &err);
	if (sock < 0) {
		puts("answers: refused");
		(void)kill(init, SIGKILL);
		return 0;
	}
	first = answer_to(sock, init, 1);
	second = answer_to(sock, init, 2);
	ask_net_end(sock, pid);
	printf("answers: %s %s\n", first, second);
	(void)kill(init, SIGKILL);
	bundle_release(&b);
	return 0;
}
