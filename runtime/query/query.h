/*
 * Answers requests under one bundle: one line of JSON in, one line of JSON out.
 * doc/polquery.md and doc/schema/query-*.json define their contents.
 */
#ifndef RUNTIME_QUERY_QUERY_H
#define RUNTIME_QUERY_QUERY_H

#include "runtime/bundle/reader.h"
#include "runtime/libpol/pol_own.h"
#include "runtime/query/query_request.h"
#include "runtime/query/query_setting.h"
#include "runtime/query/query_where.h"
#include "runtime/decide/output.h"
#include "runtime/traffic/traffic.h"

struct json; /* runtime/base/json.h: json-c uses some of the same names */

enum { QUERY_MAX_LINE = 16 * 1024 * 1024 };

struct query {
	struct bundle *b;
	uint8_t scope; /* for requests that name no scope */
	struct query_reader *reader;
	struct query_settings settings;
	struct query_where where;
	struct pol_ctx ctx; /* its block grows to the longest line asked so far */
	struct json *out;
	struct traffic *traffic; /* the caller's; NULL: nothing is recorded */
};

/*
 * Decides a parsed request, and records it; the result is in q->ctx.  0, or -EINVAL: no
 * decision, or one that cannot be recorded.
 */
int query_decide(struct query *q, const struct query_request *r, struct rt_err *err);
/*
 * Is the caller let write `path`, a link on the way to it or what it leads to, without a person who is
 * asked?  A relative path begins at polquery's own directory.  `where` gives the project and the
 * scope.  0, or -EINVAL: that is not known.
 */
int query_may_write(struct query *q, const struct query_request *where, const char *path, bool *ret,
		    struct rt_err *err);
/* Enough for query_decide() only; release it with query_release() as well. */
void query_init_decide(struct query *q, struct bundle *b, uint8_t scope);
/* The caller still owns `b`.  0 or -errno. */
int query_init(struct query *q, struct bundle *b, uint8_t scope, struct rt_err *err);
void query_release(struct query *q);
/* Opens the record for what is decided from now on; the caller closes `t`.  0 or -errno. */
int query_record(struct query *q, struct traffic *t, const char *path, struct rt_err *err);
/* Finds where a socket of this name may be made (runtime/decide/output.h). */
int query_find_socket(struct query *q, const char *path, struct output *ret, struct rt_err *err);
/*
 * Answers one line of `n` bytes; line[n] is NUL.  The answer is always one line of JSON
 * with its newline, valid until the next call.  NULL only if memory runs out.
 */
const char *query_answer(struct query *q, const char *line, size_t n, size_t *ret_n);
/* The second half of query_answer(): the line is loaded in q->reader (query_request_load). */
const char *query_answer_loaded(struct query *q, size_t *ret_n);
/* The answer to the line in q->reader that says what is wrong with it. */
const char *query_refuse(struct query *q, const struct rt_err *err, size_t *ret_n);
/* The answer to a line that was discarded because it has more than `most` bytes. */
const char *query_too_long(struct query *q, size_t most, size_t *ret_n);

#endif
