/*
 * A request to polquery: one JSON object on one line.  Parsing is strict: every key
 * must be known for the kind and occur once, and every value must have the right type.
 */
#ifndef RUNTIME_QUERY_QUERY_REQUEST_H
#define RUNTIME_QUERY_QUERY_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/err.h"

enum query_kind { QUERY_COMMAND, QUERY_ARGV, QUERY_FILE, QUERY_NET, QUERY_UNIX,
		  QUERY_SYSCALL, QUERY_TOOL, QUERY_SETTING, QUERY_KIND_COUNT };

/* The parser owns all texts; they are valid until the next request. */
struct query_request {
	enum query_kind kind;
	const char *line; /* command */
	size_t line_n;
	const char **argv; /* argv; NULL-terminated */
	size_t argc;
	uint8_t op;        /* file: a pb_op bit */
	const char *path;  /* file: plain path; unix: plain path, or name without the '@' */
	bool abstract;
	bool udp, is_addr; /* net */
	uint8_t addr[16];  /* an IPv4 address is v4-mapped */
	const char *host;
	uint16_t port;
	const char *name;  /* tool, setting, syscall */
	uint64_t args[6];
	const char *cwd, *project, *home, *tmpdir, *session; /* plain paths, or NULL */
	const char *role;
	uint8_t scope;     /* enum pb_scope, or 0: not given */
	/* records only: the caller's agent, a plain path or NULL; enum pb_effect */
	const char *agent;
	const char *git_common; /* records only: see git_common.h */
	uint8_t effect;
};

struct query_reader;
struct json_object;

/* NULL if memory runs out. */
struct query_reader *query_reader_new(void);
void query_reader_free(struct query_reader *r);
/*
 * Reads `n` bytes (line[n] is NUL); the line and the request stay in use until the next
 * call.  False with a message, which names the key if one is to blame.
 */
bool query_request_read(struct query_reader *r, const char *line, size_t n,
			struct query_request *ret, struct rt_err *err);
/*
 * The same in two steps, for a caller who may take the line for something else.  The
 * object is that of the last line that was loaded; never NULL after a success.
 */
bool query_request_load(struct query_reader *r, const char *line, size_t n,
			struct rt_err *err);
struct json_object *query_request_object(const struct query_reader *r);
bool query_request_take(struct query_reader *r, struct query_request *ret,
			struct rt_err *err);
/*
 * Takes a loaded line as a record of --record (runtime/traffic/traffic.h): a request with
 * what was decided.  False with a message if it is none, or one of another version.
 */
bool query_request_take_record(struct query_reader *r, struct query_request *ret,
			       struct rt_err *err);
/* The value of 'id' as it was written, even if the request was refused.  NULL if there
 * is none or the line is not JSON. */
const char *query_request_id(const struct query_reader *r, size_t *ret_n);

#endif
