/*
 * Does a file system tell "A" from "a"?  Where it does not, ".ENV" is the file that a rule about
 * ".env" means, and no rule that decides names one by one holds.
 */
#ifndef RUNTIME_BASE_FOLDS_H
#define RUNTIME_BASE_FOLDS_H

#include <stdbool.h>

/* Always, or unless it was mounted in a way that nobody uses: FAT, exFAT, NTFS, CIFS, HFS. */
bool folds_by_type(long f_type);
/* Do names of the directory exist in the other case as well, as the same object?  The first
 * ones that have a letter are tried; an empty directory says no. */
bool folds_by_names(int dir);
/*
 * The directory (O_PATH will do): by its type; by its flag (chattr +F, of ext4, f2fs, tmpfs);
 * and where only another machine or program knows (NFS, FUSE, 9p …) by its names.  1, 0, or
 * -errno if it cannot be looked at.  0 as well for one that is closed to the caller, who can reach
 * no name in it.  A directory below may differ: only the flag of that one tells.
 */
int folds_case(int dir);

#endif
