/*
 * The file of --record: decided requests, one JSON object a line (doc/traffic.md,
 * doc/schema/traffic.json), for `polc diff --traffic`.  This writes it; polc reads it with
 * runtime/query/query_request.h, because a record has the keys of a request to polquery.
 */
#ifndef RUNTIME_TRAFFIC_TRAFFIC_H
#define RUNTIME_TRAFFIC_TRAFFIC_H

#include <sys/types.h>

#include "runtime/bundle/reader.h"
#include "runtime/decide/output.h"
#include "runtime/libpol/pol.h"

/* The first bytes of each line; the number is the version of the format. */
#define TRAFFIC_VERSION 1
#define TRAFFIC_BEGINS "{\"record\":1,"

struct json;

struct traffic {
	struct output file; /* fd -1: nothing is recorded */
	const char *by;  /* the program: "polquery", "polrun" */
	struct json *json;
	char *text;      /* what stays of a command without its secrets; malloc'ed */
	size_t cap;
	char shown[200]; /* the file's name, escaped */
};

/* A traffic that records nothing: traffic_put() succeeds. */
#define TRAFFIC_NONE { .file = OUTPUT_NONE }

/*
 * Opens the file for appending as output_open() does.  Fails also if it is
 * no regular file, somebody else's, writable by others (runtime/base/writers.h), or if its last line is not
 * whole or its first one is no record.  0 or -errno.
 */
int traffic_open(struct traffic *t, const char *path, const char *by,
		 const struct decide_ctx *c, struct rt_err *err);
void traffic_close(struct traffic *t);
/*
 * Appends a request, as it was decided, and its decision with one call.  0 or -errno: it is
 * not recorded, or only a part of its line is, and the caller must not go on as if it were.
 */
int traffic_put(struct traffic *t, const struct bundle *b, const struct pol_request *q,
		const struct decision *d, struct rt_err *err);

#endif
