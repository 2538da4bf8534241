/*
 * Asks about connections while a run goes on.  The supervisor may neither open a terminal
 * nor wait for a person, so a process of its own does: it takes a struct gate_question
 * and answers with a struct gate_message, one after the other.  Who answers is the same
 * as for commands (ask.h), with one difference: an answer holds for the rest of the run,
 * so that a program that connects again is not asked again.  With a socket, programs there
 * answer for the person, except where only a person may answer.
 */
#ifndef RUNTIME_APPROVALS_ASK_NET_H
#define RUNTIME_APPROVALS_ASK_NET_H

#include <sys/types.h>

#include "runtime/approvals/ask.h"
#include "runtime/egress/gate.h"

struct ask_net {
	const struct decide_ctx *ctx;
	enum ask_mode mode;
	bool yes;
	const char *session, *dir; /* as in struct ask */
	const char *socket;        /* polquery's, which is asked instead of the terminal, or
	                              NULL; absolute */
	uint32_t hold_ms;          /* a question ends after this time */
};

/*
 * Starts the process; it ends when the socket hangs up.  Returns the socket
 * (SOCK_SEQPACKET, close-on-exec, not blocking) or -errno.
 */
int ask_net_start(const struct ask_net *in, pid_t *ret_pid, struct rt_err *err);
/* Closes the socket and waits for the process: it gives the terminal back first. */
void ask_net_end(int sock, pid_t pid);

#endif
