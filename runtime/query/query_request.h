/*
 * A request as polquery takes it: one JSON object on one line.  Strict: every
 * key is known for its kind and stands there once, every value has its type.
 */
#ifndef RUNTIME_QUERY_QUERY_REQUEST_H
#define RUNTIME_QUERY_QUERY_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/err.h"

enum query_kind { QUERY_COMMAND, QUERY_ARGV, QUERY_FILE, QUERY_NET, QUERY_UNIX,
		  QUERY_SYSCALL, QUERY_TOOL, QUERY_SETTING, QUERY_KIND_COUNT };

/* Texts are the parser's: they live until the next request. */
struct query_request {
	enum query_kind kind;
	const char *line; /* command */
	size_t line_n;
	const char **argv; /* argv; NULL-terminated */
	size_t argc;
	uint8_t op;        /* file: a pb_op bit */
	const char *path;  /* file, unix: plain; unix: without the '@' */
	bool abstract;
	bool udp, is_addr; /* net */
	uint8_t addr[16];  /* v4 is v4-mapped */
	const char *host;
	uint16_t port;
	const char *name;  /* tool, setting, syscall */
	uint64_t args[6];
	const char *cwd, *project, *home, *tmpdir, *session; /* plain, or NULL */
	const char *role;
	uint8_t scope;     /* enum pb_scope, or 0: not said */
};

struct query_reader;

/* NULL without memory. */
struct query_reader *query_reader_new(void);
void query_reader_free(struct query_reader *r);
/*
 * Reads `n` bytes, line[n] being NUL; both stay in use until the next call.
 * False with a message that names the key, where one is at fault.
 */
bool query_request_read(struct query_reader *r, const char *line, size_t n,
			struct query_request *ret, struct rt_err *err);
/* The value of 'id' as it was written, also of a request that was refused;
 * NULL where there is none or the line is no JSON. */
const char *query_request_id(const struct query_reader *r, size_t *ret_n);

#endif
