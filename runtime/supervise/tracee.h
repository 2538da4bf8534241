/* Reading a traced caller: its memory, its directories, its paths.  All of it
 * is racy and is used for messages only. */
#ifndef RUNTIME_SUPERVISE_TRACEE_H
#define RUNTIME_SUPERVISE_TRACEE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "runtime/supervise/trace.h"

/* Bytes read, at most len; 0 where the memory is not there. */
size_t tracee_read(pid_t pid, uint64_t addr, void *buf, size_t len);
/* A NUL-terminated string; false where it is absent or longer than cap. */
bool tracee_string(pid_t pid, uint64_t addr, char *buf, size_t cap);
/*
 * `raw` as the caller means it: absolute, inside the sandbox, links resolved
 * as far as it exists there.  *ret_exists: all of it exists inside.  False where
 * it cannot be told, and where this call has had its share: t->given_up.
 */
bool tracee_path(struct trace *t, pid_t pid, int dirfd, const char *raw,
		 bool follow, char out[PATH_MAX], bool *ret_exists);

#endif
