/*
 * The look at a name that is denied in a brokered tree.  No run writes by such a name.  But
 * a process of the host may put a file there that the run can write all the same:
 *
 * - one that it has had open for writing (git's .git/config.lock, an editor's temporary
 *   file): held.h knows these;
 * - one from a tree that it writes without the broker, while it has it open for writing, or
 *   a directory from there;
 * - one that any process has open for writing: another run may have opened it by an allowed name, and
 *   passed the descriptor to this one (a socket in a tree that both write);
 * - one with another name (a hard link), or a symbolic link: the other name may be allowed.
 *
 * At a name that was absent when the run began only a file counts that is surely open for writing (and what
 * held.h knows): the user's programs make such names while a run goes on, as directories, as links, and of
 * files with other names (`ln -s AGENTS.md CLAUDE.md`).
 *
 * Then the wall has gone.  What a program makes has such a second name, or is open for
 * writing, for a short time: for WALLS_DOUBT_MS it is looked at again and again, unless held.h knows it.
 */
#ifndef RUNTIME_SUPERVISE_WALLS_NAME_H
#define RUNTIME_SUPERVISE_WALLS_NAME_H

#include "runtime/sandbox/sandbox_view.h"
#include "runtime/supervise/held.h"

#define WALLS_DOUBT_MS 1000

/* The run that the names are of. */
struct walls_run {
	const struct sandbox_view *view;
	const struct held *held; /* what it has had open for writing; may be NULL */
	bool strict;             /* it has no Landlock rules */
};

enum walls_name { WALLS_NAME_STANDS, WALLS_NAME_DOUBT, WALLS_NAME_GONE };

/* `fd` (O_PATH) is what is at the name now, -1 nothing; *id is what was there at the last
 * look, and is set if the name stands.  With `first` it is only noted; `absent`: nothing was there when the
 * run began.  0 or -errno. */
int walls_name_look(const struct walls_run *w, int fd, bool first, bool absent, uint64_t *id,
		    enum walls_name *ret);

#endif
