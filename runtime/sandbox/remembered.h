/*
 * What a run keeps for the next one because it is slow to find out again: git's answers (git_ask.h), what a
 * search for repositories has seen (runtime/base/repo_known.h).  It lies in a folder of the user's state
 * that no run can write.  Nothing depends on it: what is missing or damaged is found out again.
 */
#ifndef RUNTIME_SANDBOX_REMEMBERED_H
#define RUNTIME_SANDBOX_REMEMBERED_H

#include <stdbool.h>
#include <stddef.h>

struct remembered_part {
	const void *p;
	size_t n;
};

/*
 * `kind` is what is kept, `about` what it is about.  A file has one of 256 names for each kind, so that the
 * folder does not grow: what it says is to tell whether it is about the same.  `dir` may be NULL: nothing is kept.
 * Returns malloc'ed bytes with a NUL behind them, or NULL.
 */
char *remembered_read(const char *dir, const char *kind, const char *about, size_t most, size_t *ret_n);
/* Exchanges the file.  A failure is silent. */
void remembered_write(const char *dir, const char *kind, const char *about, const struct remembered_part *v, size_t n);

#endif
