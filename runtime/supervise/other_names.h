/*
 * Finds the denied name of a file that has several names (hard links).
 *
 * A run can make a second name of a file in a brokered tree.  When the user later gives the first name a
 * denied place (`mv draft .git/hooks/pre-commit`), a later run could write the file by the second name, which
 * is allowed.  So before a file with several names is opened for writing, its number is looked for at the names
 * that rules without a wildcard deny, and in the directories that have such a name.  Few files that are written have
 * several names.
 */
#ifndef RUNTIME_SUPERVISE_OTHER_NAMES_H
#define RUNTIME_SUPERVISE_OTHER_NAMES_H

#include <limits.h>
#include <stdint.h>

#include "runtime/broker/broker.h"
#include "runtime/sandbox/sandbox_view.h"

#define OTHER_NAMES_MOST 20000u /* directory entries */
#define OTHER_NAMES_MS 100
#define OTHER_NAMES_DEEP 64

/* `root_fd`: the run's "/".  1: *ret_rule denies ret_path, a name inside of the file `fd` (O_PATH); 0: none does;
 * -E2BIG: there are more entries, or a directory cannot be listed. */
int other_names_find(const struct sandbox_view *view, const struct broker_rules *rules, int root_fd, int fd,
		     char ret_path[PATH_MAX], uint32_t *ret_rule);

#endif
