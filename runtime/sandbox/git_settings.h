/*
 * A crude reader of git's configuration.  It does not follow git's syntax, which differs
 * between versions: it takes whatever could be a setting, on any line and in any section, and
 * each file that is included, whatever the condition: a run may change the branch or the remote
 * on which the condition depends.
 */
#ifndef RUNTIME_SANDBOX_GIT_SETTINGS_H
#define RUNTIME_SANDBOX_GIT_SETTINGS_H

#include "runtime/sandbox/git_repo.h"

/* Takes one setting, whose name is SECTION.NAME or SECTION.SUB.NAME.  An included file is
 * relative to `dir`. */
int git_settings_take_named(struct git_repo *g, const char *key, const char *dir,
			    const char *value);
/* Takes the settings, and the programs, that variables of the environment hold. */
int git_settings_take_environment(struct git_repo *g);
/* Reads the files that are still to be read, and those that they include. */
int git_settings_read_files(struct git_repo *g);
/* Adds the names of the hooks and programs that the values taken so far name.  Call it when all
 * files have been read: a value is relative to each folder in which git may work. */
int git_settings_add_paths(struct git_repo *g);
/* Frees the values. */
void git_settings_release(struct git_repo *g);

#endif
