/*
 * The folder for what polrun remembers from run to run.  It is below the user's home,
 * and no sandbox can write it:
 *
 *   ${XDG_STATE_HOME:-~/.local/state}/pol             0700, the caller's own
 */
#ifndef RUNTIME_STATE_STATE_DIR_H
#define RUNTIME_STATE_STATE_DIR_H

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "runtime/base/err.h"

/* Bytes of PATH_MAX that are reserved for the name of a file in the folder. */
enum { STATE_DIR_SPARE = 15 };

/*
 * Writes the folder's path, which has no "..".  `home` is absolute; `xdg` is
 * XDG_STATE_HOME or NULL, and is ignored if it is not absolute, as the standard says.
 * False: too long.
 */
bool state_dir_path(const char *home, const char *xdg, char out[PATH_MAX]);
/* The same for another one of the user's folders: `rest` is "/.cache" or "/.config", `xdg`
 * the variable that stands for it. */
bool state_dir_place(const char *home, const char *rest, const char *xdg, char out[PATH_MAX]);
/* The same for the calling user, from the environment and /etc/passwd as in polrun. */
int state_dir_own(char dir[PATH_MAX], struct rt_err *err);
/* The same, whatever XDG_STATE_HOME says: some clients take variables of their hooks from a file
 * of the project (.env), which a run may have written. */
int state_dir_of_home(char dir[PATH_MAX], struct rt_err *err);
/*
 * Makes the folder and the missing directories above it, with mode 0700 and the owner
 * of the directory that exists.  0, also if it exists; -errno.
 */
int state_dir_make(const char *dir, struct rt_err *err);
/* Is it the caller's own, and may no group write it either?  polrun makes what is in the state with mode 0700
 * and 0600 whatever the umask is, so that nobody needs the user's private group (writers.h) here. */
bool state_dir_is_own(const struct stat *st);
#define STATE_NOT_OWN "it must be this user's, and chmod go-w"
/* Runs of one user order by this file the calls that make names and move directories. */
#define STATE_NAMES_LOCK "names.lock"
/* Each run of a user locks this file for as long as it lives (left_open.h). */
#define STATE_OPEN_LOCK "open.lock"
/* Held by a process that reads or makes records of what runs have left (left_store.h). */
#define STATE_RECORDS_LOCK "records.lock"
/*
 * Opens one of these files for flock(2).  Its mode is 0200, and no rule lets a run write it: so no
 * run can open it, and keep the lock from others.  A descriptor or -errno.
 */
int state_dir_lock(const char *dir, const char *name, struct rt_err *err);
/* Opens the list of left_open.h, with mode 0600.  A descriptor or -errno. */
int state_dir_open_list(const char *dir, struct rt_err *err);
/*
 * The same for runs of all users: root makes this file where users share trees.  A descriptor,
 * -ENOENT if it is not there or its mode does not include this user, or -errno with an error.
 */
#define STATE_SHARED_LOCK "/var/lib/pol/names.lock"
int state_dir_shared_lock(struct rt_err *err);

/* Makes a new directory NAME.XXXXXX in the user's state, where no run can write, unlike in a
 * TMPDIR within the project.  0 or -errno. */
int state_dir_temp(const char *name, char dir[PATH_MAX], struct rt_err *err);

#endif
