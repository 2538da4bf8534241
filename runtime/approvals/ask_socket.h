/*
 * Asks about a connection at a socket (polquery serve, doc/polquery.md) instead of at a
 * terminal.  Only two texts are a yes, byte by byte.  Anything else is a no: another
 * text, a hang-up, a server of another user, an answer that comes too late.
 */
#ifndef RUNTIME_APPROVALS_ASK_SOCKET_H
#define RUNTIME_APPROVALS_ASK_SOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/err.h"
#include "runtime/decide/decide.h"

enum { ASK_SOCKET_LINE = 16 * 1024 }; /* most bytes of a question, with its newline */

enum ask_socket_answer { ASK_SOCKET_NO, ASK_SOCKET_RUN, ASK_SOCKET_SESSION };

struct ask_socket_question {
	const struct bundle *b;
	uint32_t rule;
	bool udp;
	const char *host;    /* a name, or an address without brackets */
	uint16_t port;
	const char *program; /* "": not known; is escaped here */
	uint32_t hold_ms;
};

/*
 * Connects to PATH, sends the question and waits for the answer, until CLOCK_MONOTONIC
 * is `until_ms` or `hangup` hangs up.  If the answer is no because nobody could be asked
 * in the right way, `err` says why.
 */
enum ask_socket_answer ask_socket(const char *path, const struct ask_socket_question *q,
				  int hangup, int64_t until_ms, struct rt_err *err);
/* The line that is sent.  0: it does not fit. */
size_t ask_socket_line(const struct ask_socket_question *q, char *buf, size_t cap);
/* The answer on a connected socket that is not blocking. */
enum ask_socket_answer ask_socket_hear(int fd, int hangup, int64_t until_ms,
				       struct rt_err *err);

#endif
