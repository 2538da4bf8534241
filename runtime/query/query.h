/*
 * Answers requests under one bundle: a line of JSON in, a line of JSON out.
 * doc/polquery.md and doc/schema/query-*.json say what stands in them.
 */
#ifndef RUNTIME_QUERY_QUERY_H
#define RUNTIME_QUERY_QUERY_H

#include "runtime/bundle/reader.h"
#include "runtime/libpol/pol_own.h"
#include "runtime/query/query_request.h"
#include "runtime/query/query_setting.h"
#include "runtime/query/query_where.h"

struct json; /* runtime/base/json.h, whose names are also json-c's */

enum { QUERY_MAX_LINE = 16 * 1024 * 1024 };

struct query {
	struct bundle *b;
	uint8_t scope; /* of requests that say none */
	struct query_reader *reader;
	struct query_settings settings;
	struct query_where where;
	struct pol_ctx ctx; /* its block grows with the longest line that was asked */
	struct json *out;
};

/* Decides a request that has been read, in q->ctx.  0 or -EINVAL: no decision. */
int query_decide(struct query *q, const struct query_request *r, struct rt_err *err);
/* For query_decide() alone; released as the other. */
void query_init_decide(struct query *q, struct bundle *b, uint8_t scope);
/* `b` stays the caller's.  0 or -errno. */
int query_init(struct query *q, struct bundle *b, uint8_t scope, struct rt_err *err);
void query_release(struct query *q);
/*
 * The answer to one line of `n` bytes, line[n] being NUL: always one line of
 * JSON with its newline, which lives until the next call; NULL only without
 * memory.
 */
const char *query_answer(struct query *q, const char *line, size_t n, size_t *ret_n);
/* The answer to a line that was not kept because it has more than `most` bytes. */
const char *query_too_long(struct query *q, size_t most, size_t *ret_n);

#endif
