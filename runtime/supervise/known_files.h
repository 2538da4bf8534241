/*
 * Which files a run has had open for writing, by number (device, inode, time of birth).
 */
#ifndef RUNTIME_SUPERVISE_KNOWN_FILES_H
#define RUNTIME_SUPERVISE_KNOWN_FILES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "runtime/supervise/numbers.h"

struct known_files {
	struct numbers had; /* by known_files_number() */
	bool forgot; /* there were too many: whatever is asked for may be one of them */
};

/* A number for the file, never 0.  `st` with STATX_INO and STATX_BTIME. */
uint64_t known_files_number(const struct statx *st);
/* The run may have had this file open for writing; 0: any file. */
void known_files_add(struct known_files *k, uint64_t number);
/* Has the run had this file open for writing, or may it have? */
bool known_files_may_have(const struct known_files *k, const struct statx *st);
/* Is it known that it has?  Not of a file that came when there were too many. */
bool known_files_has(const struct known_files *k, const struct statx *st);

#endif
