/*
 * What programs read beside the files that a line names: their settings in HOME, their variables,
 * and the file of the project that says what they run.  As their manuals say; no fact of the policy:
 * it decides only what a message after a failed run names.
 */
#ifndef RUNTIME_POLRUN_KNOWN_READS_H
#define RUNTIME_POLRUN_KNOWN_READS_H

#include "runtime/entry/entry.h"

struct known_reads {
	const char *program; /* its base name */
	bool fetching;       /* it reads `files` and `vars` only where it fetches or sends */
	const char *files;   /* below HOME, each behind a blank */
	const char *vars;    /* variables, each behind a blank; one with a '*' is a beginning */
	const char *here;    /* in the working directory: what it runs stands there; NULL */
};

/* What a program has fetched, and does not use unless it can write in it. */
struct known_cache {
	const char *program;
	const char *path;   /* below HOME */
	const char *policy; /* that lets it be written */
};

/* NULL: nothing is known of the program of this part. */
const struct known_reads *known_reads_of(const struct cmd_part *p);
/* NULL: the program has no such cache. */
const struct known_cache *known_cache_of(const struct known_reads *k);
/* Does the part do what `fetching` speaks of? */
bool known_reads_apply(const struct known_reads *k, const struct cmd_part *p);
/* The next name of such a list, from *at; false: there is none. */
bool known_reads_next(const char **at, const char **ret, size_t *ret_n);

#endif
