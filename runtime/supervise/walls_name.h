/*
 * Looks at a name that is denied in a brokered directory.  The broker opens no file for writing by
 * such a name.  But a process of the host can rename an object to it that the run can write all
 * the same:
 *
 * - a file that the run has had open for writing (git's .git/config.lock, an editor's temporary
 *   file): held.h keeps a list of these;
 * - a file or a directory from a tree that the run writes without the broker; a file only while it
 *   is open for writing, or if the run has no Landlock rules;
 * - a file that any process has open for writing: another run may have opened it by an allowed name,
 *   and passed the descriptor to this run (a socket in a tree that both runs write);
 * - a file with a second hard link, or a symbolic link: the rules may allow the other name.
 *
 * Such an object means that the protection of the name is lost.  But a file that a program of the user
 * makes may have a second link, or be open for writing, for a short time.  So a file that is not in the
 * list of held.h is undecided for WALLS_DOUBT_MS, in which it is looked at again and again.
 *
 * If the name was absent when the run began, only a regular file counts, and only if the kernel says that
 * it is open for writing.  The user's programs make such names while a run goes on, also as
 * directories, symbolic links (`ln -s AGENTS.md CLAUDE.md`) and hard links.
 */
#ifndef RUNTIME_SUPERVISE_WALLS_NAME_H
#define RUNTIME_SUPERVISE_WALLS_NAME_H

#include "runtime/sandbox/sandbox_view.h"
#include "runtime/supervise/held.h"

#define WALLS_DOUBT_MS 1000

/* The run whose rules deny the names. */
struct walls_run {
	const struct sandbox_view *view;
	const struct held *held; /* the files that it has had open for writing; may be NULL */
	bool strict;             /* it has no Landlock rules, so more objects count */
};

enum walls_name { WALLS_NAME_STANDS, WALLS_NAME_DOUBT, WALLS_NAME_GONE };

/* `fd` (O_PATH) is the object that has the name now; -1: none has.  *id is the number of the object that had it
 * at the last look, and is set to the new one's if *ret is WALLS_NAME_STANDS.  With `first` the object is only noted.
 * `absent`: no object had the name when the run began.  0 or -errno. */
int walls_name_look(const struct walls_run *w, int fd, bool first, bool absent, uint64_t *id,
		    enum walls_name *ret);

#endif
