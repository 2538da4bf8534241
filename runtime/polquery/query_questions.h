/*
 * The open questions of polquery serve: which client asks, which clients answer, and
 * what each of them is told.  It knows no sockets: what it says goes through `send`.
 */
#ifndef RUNTIME_POLQUERY_QUERY_QUESTIONS_H
#define RUNTIME_POLQUERY_QUERY_QUESTIONS_H

#include <stddef.h>

#include "runtime/polquery/query_message.h"

enum {
	QUERY_MAX_QUESTIONS = 64,
	QUERY_MAX_ANSWERERS = 16,
	QUERY_MAX_QUESTION = 16 * 1024, /* bytes, as it is passed on */
};

struct query_open {
	uint64_t number;
	unsigned asker;
	int64_t until_ms;
	char *text; /* malloc'ed: the line that answerers get */
	size_t n;
};

struct query_questions {
	/* Gives a client a line.  It must not call this module: a client that is lost is
	 * reported by query_questions_leave() later. */
	void (*send)(void *to, unsigned client, const char *text, size_t n);
	void *to;
	unsigned answerers[QUERY_MAX_ANSWERERS];
	size_t nanswerers;
	struct query_open open[QUERY_MAX_QUESTIONS];
	size_t nopen;
	uint64_t last; /* number of the last question; none is used twice */
};

void query_questions_init(struct query_questions *q,
			  void (*send)(void *to, unsigned client, const char *text, size_t n),
			  void *to);
void query_questions_release(struct query_questions *q);
/*
 * A message of a client (not QUERY_NO_MESSAGE) at the time `now_ms`.  Everybody whom it
 * concerns gets his line, this client included.  False: it is refused, and nothing
 * has happened.
 */
bool query_questions_take(struct query_questions *q, unsigned client,
			  const struct query_message *m, int64_t now_ms,
			  struct rt_err *err);
/* The client has gone.  A question without anybody who could answer it is denied. */
void query_questions_leave(struct query_questions *q, unsigned client);
/* Denies the questions whose time is over. */
void query_questions_expire(struct query_questions *q, int64_t now_ms);
/* Milliseconds until there is something to expire; -1: there is nothing. */
int query_questions_timeout(const struct query_questions *q, int64_t now_ms);
/* Does the client wait for an answer?  Then its next lines wait, too. */
bool query_questions_waits(const struct query_questions *q, unsigned client);
bool query_questions_answers(const struct query_questions *q, unsigned client);

#endif
