/*
 * The lines of polquery serve that are no requests: a run asks about a connection, and
 * other clients answer for the person.  doc/polquery.md and doc/schema/query-message.json
 * define them.  They are read as strictly as requests.
 */
#ifndef RUNTIME_POLQUERY_QUERY_MESSAGE_H
#define RUNTIME_POLQUERY_QUERY_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/base/err.h"

struct json_object;

enum query_message_kind {
	QUERY_NO_MESSAGE, /* a request, or nothing known */
	QUERY_ANSWERS,    /* the client answers questions */
	QUERY_QUESTION,   /* the client asks one */
	QUERY_SAID,       /* an answer */
};

/* The object owns all texts. */
struct query_question {
	const char *proto, *host;
	const char *program, *reason; /* NULL: null */
	uint64_t port, hold_ms;
	const char *id, *level;       /* of the rule */
	const char *file, *text;      /* NULL: null */
	uint64_t line;                /* 0: null */
};

struct query_message {
	enum query_message_kind kind;
	struct query_question question;
	/* QUERY_SAID */
	uint64_t number;
	bool allow, session;
};

/*
 * Reads the object of a line.  Whatever has a 'kind' is a request.  False with a message
 * that names the key: it is no request, and no correct message either.
 */
bool query_message_read(struct json_object *doc, struct query_message *ret,
			struct rt_err *err);

#endif
