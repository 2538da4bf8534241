/* Reads a traced caller's memory, directories and paths.  All of it is racy and is used
 * for messages only. */
#ifndef RUNTIME_SUPERVISE_TRACEE_H
#define RUNTIME_SUPERVISE_TRACEE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "runtime/supervise/trace.h"

/* Returns the number of bytes read, at most len; 0 if the memory is not mapped. */
size_t tracee_read(pid_t pid, uint64_t addr, void *buf, size_t len);
/* Reads a NUL-terminated string; false if there is none or it is longer than cap. */
bool tracee_string(pid_t pid, uint64_t addr, char *buf, size_t cap);
/*
 * Resolves `raw` as the caller means it: absolute, inside the sandbox, with links
 * resolved as far as the path exists there.  *ret_exists: all of it exists inside.
 * False if it cannot be resolved, or if this call has used up its share (t->given_up).
 */
bool tracee_path(struct trace *t, pid_t pid, int dirfd, const char *raw,
		 bool follow, char out[PATH_MAX], bool *ret_exists);

#endif
