/*
 * Which changes of a repository's configuration a run may make.  A run must not write .git/config,
 * since git runs what it names.  But git itself writes there what names nothing to run: the
 * branch that another one follows, the address of a remote, the user's name.
 *
 * Both texts must be written as git writes them: lines of `[section]`, `[section "name"]` and
 * `key = value`, without a quote, a backslash or a comment behind a value.  Such lines have one meaning for
 * every version of git; of any other text nobody here knows what git reads.
 */
#ifndef RUNTIME_SUPERVISE_GIT_CHANGE_H
#define RUNTIME_SUPERVISE_GIT_CHANGE_H

#include <stdbool.h>
#include <stddef.h>

#define GIT_CHANGE_MOST 65536u /* bytes of a text */

struct git_change {
	bool unread;   /* one of the texts is not written so */
	char key[128]; /* the first that the run may not change; "" if it is none */
};

/* May `is` take the place of `was` (both without a NUL at their end)?  No memory is no.  `here`: the name
 * of this machine; "": it is not known. */
bool git_change_may(const char *was, size_t nwas, const char *is, size_t nis, const char *here,
		    struct git_change *ret);

#endif
