/*
 * Opens the files that polrun and polquery write because the user named them (--report,
 * --record), and finds the directory of the socket that polquery makes.  A run may be able to write on the way to such a file, and may still be alive,
 * so it could choose which file is overwritten.
 */
#ifndef RUNTIME_DECIDE_OUTPUT_H
#define RUNTIME_DECIDE_OUTPUT_H

#include <limits.h>

#include "runtime/decide/decide.h"

struct output {
	int fd;
	int dir;                     /* O_PATH, the directory that holds the file */
	char real[PATH_MAX];         /* the physical path of the file */
	bool made;                   /* the file did not exist */
};

#define OUTPUT_NONE { .fd = -1, .dir = -1 }

/*
 * Opens `path` with `flags`, and makes the file (mode 0600) if there is none.  Every
 * component is opened from the directory before it.  A symbolic link is followed only where
 * no run can have made it: root owns the link and its directory, only root may write that
 * directory, and the policy does not let a run write the link's name.  The last name is
 * never a link.
 *
 * Refuses (EPERM) a name that a rule of the floor denies writing in either scope (the file
 * is written outside of the sandbox), or that any rule denies in a tree that the run may
 * write: what is read-only there is so for a reason.
 *
 * Without a policy (`c` is NULL, polc) no rule is asked.  A link is refused if it lies in a project,
 * or in a directory in which every user may make links.  A link that only root could make is
 * followed for every other user.
 *
 * `kind` is the word for messages ("report").  0 or -errno.
 */
int output_open(struct output *o, const char *kind, const char *path, int flags,
		const struct decide_ctx *c, struct rt_err *err);
/* As output_open(), but only opens the directory and judges the name: o->fd is -1.  o->real ends
 * with the name in that directory. */
int output_find(struct output *o, const char *kind, const char *path,
		const struct decide_ctx *c, struct rt_err *err);
/* Refuses a file that this rule keeps from being written; -EPERM. */
int output_refuse(const char *kind, const char *path, const struct bundle *b, uint32_t rule,
		  struct rt_err *err);
/* Refuses (ESTALE) a file that is no longer at its name: another run can have moved it, and put
 * one of its own there. */
int output_check_kept(const struct output *o, const char *kind, struct rt_err *err);
/* True if both are one file, or if that cannot be found out. */
bool output_same(const struct output *a, const struct output *b);
/* Removes the file if output_open() made it, and closes everything. */
void output_remove(struct output *o);
void output_close(struct output *o);

#endif
