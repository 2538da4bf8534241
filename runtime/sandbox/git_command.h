/*
 * Finds the files that a command in git's configuration names.  git gives it to a shell, so that a
 * name can be quoted, begin with a variable, or be relative to a folder that the command changes to.
 */
#ifndef RUNTIME_SANDBOX_GIT_COMMAND_H
#define RUNTIME_SANDBOX_GIT_COMMAND_H

#include "runtime/sandbox/git_repo.h"

/*
 * Adds to the list of `g` each file that is there and that a word of `text` can name, relative to
 * `base` or to a folder that another word names; also a name with a '/' that begins a command, that is
 * the first operand of one, or that begins with '.', '/' or '~', and is not there yet.  With `command`
 * false the text is of a setting that need not be a command: only programs among these files are
 * added, and of an `alias` of git's own commands names that begin so.  0, or a negative error in
 * g->err.
 */
int git_command_add_paths(struct git_repo *g, const char *base, const char *text, bool command,
			  bool alias);

#endif
