/*
 * The folder of what is remembered from run to run, below the user's home, which no
 * sandbox can write:
 *
 *   ${XDG_STATE_HOME:-~/.local/state}/pol             0700, the caller's own
 */
#ifndef RUNTIME_STATE_STATE_DIR_H
#define RUNTIME_STATE_STATE_DIR_H

#include <limits.h>
#include <stdbool.h>

#include "runtime/base/err.h"

/* Bytes of PATH_MAX that are left for the name of a file in it. */
enum { STATE_DIR_SPARE = 15 };

/*
 * The folder's path.  `home` is absolute; `xdg` is XDG_STATE_HOME or NULL; as the standard has
 * it, one that is not absolute does not count.  It has no "..".  False: too long.
 */
bool state_dir_path(const char *home, const char *xdg, char out[PATH_MAX]);
/* The same for who calls, by this environment and /etc/passwd, as polrun has it. */
int state_dir_own(char dir[PATH_MAX], struct rt_err *err);
/*
 * Makes the folder with what is missing above it, as 0700, for the owner of
 * what is there already.  0, also where it exists; -errno.
 */
int state_dir_make(const char *dir, struct rt_err *err);

#endif
