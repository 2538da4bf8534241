/* One question and one answer at a time, each a struct below (look.h). */
#include "runtime/approvals/look.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime/approvals/ask_confine.h"
#include "runtime/approvals/caller.h"
#include "runtime/approvals/pause.h"
#include "runtime/base/err.h"
#include "runtime/base/sys.h"

enum what { LOOK_CALLER, LOOK_GROUP, LOOK_STOP, LOOK_STANDS, LOOK_GO_ON };

struct question {
	uint32_t what;
	int32_t init, pgrp;
	uint16_t source, port;
};
struct answer {
	bool yes;
	char text[300];
};

static void settle(const struct question *q, struct pause *held, struct answer *a)
{
	switch ((enum what)q->what) {
	case LOOK_CALLER:
		caller_find(q->init, q->source, q->port, a->text, sizeof(a->text));
		return;
	case LOOK_GROUP:
		a->yes = pause_owns_group(q->init, q->pgrp);
		return;
	case LOOK_STOP:
		a->yes = pause_end(held) && pause_begin(held, q->init);
		return;
	case LOOK_STANDS:
		a->yes = pause_stands(held);
		return;
	case LOOK_GO_ON:
		a->yes = pause_end(held);
		return;
	}
}

static void __attribute__((noreturn)) serve(int sock)
{
	struct pause held = { .init = 0 };
	struct question q;

	while (SYS_RETRY(recv(sock, &q, sizeof(q), 0)) == (ssize_t)sizeof(q)) {
		struct answer a = { false, "" };

		settle(&q, &held, &a);
		if (SYS_RETRY(send(sock, &a, sizeof(a), MSG_NOSIGNAL)) < 0)
			break;
	}
	(void)pause_end(&held);
	_exit(0);
}

int look_start(int close_fd)
{
	struct rt_err err;
	int pair[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -errno;
	pid = fork();
	if (pid == 0) {
		(void)close(close_fd);
		(void)close(pair[0]);
		/* neither ^C at a question nor a reader of the command's errors waits for it */
		if (setpgid(0, 0) < 0 || SYS_RETRY(dup2(0, 2)) < 0 || look_confine(&err) < 0)
			_exit(125);
		serve(pair[1]);
	}
	(void)close(pair[1]);
	if (pid < 0) {
		int e = errno;

		(void)close(pair[0]);
		return -e;
	}
	return pair[0];
}

static struct answer ask(int sock, const struct question *q)
{
	struct answer a = { false, "" };

	if (sock < 0 || SYS_RETRY(send(sock, q, sizeof(*q), MSG_NOSIGNAL)) < 0 ||
	    SYS_RETRY(recv(sock, &a, sizeof(a), 0)) != (ssize_t)sizeof(a))
		a = (struct answer){ false, "" };
	a.text[sizeof(a.text) - 1] = '\0';
	return a;
}

void look_caller(int sock, pid_t init, uint16_t source, uint16_t port, char *out, size_t cap)
{
	const struct question q = {
		.what = LOOK_CALLER, .init = init, .source = source, .port = port
	};
	const struct answer a = ask(sock, &q);

	(void)snprintf(out, cap, "%s", a.text);
}

bool look_owns_group(int sock, pid_t init, pid_t pgrp)
{
	const struct question q = { .what = LOOK_GROUP, .init = init, .pgrp = pgrp };

	return ask(sock, &q).yes;
}

bool look_stop(int sock, pid_t init)
{
	const struct question q = { .what = LOOK_STOP, .init = init };

	return ask(sock, &q).yes;
}

bool look_stands(int sock)
{
	const struct question q = { .what = LOOK_STANDS };

	return ask(sock, &q).yes;
}

bool look_go_on(int sock)
{
	const struct question q = { .what = LOOK_GO_ON };

	return ask(sock, &q).yes;
}
