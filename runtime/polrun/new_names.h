/*
 * Names that are new after a run, and that a program outside may read or run unasked.
 *
 * Known: a name that programs read where the floor does not keep it, and that the run has
 * made or changed: a CLAUDE.md, a .claude, a .vscode in a folder below the project, which an
 * agent or an editor that works there takes; and a row `told` of
 * stdlib-policies/names.tsv, whose path begins at the top of the project; those below .git also
 * in the other repositories and worktrees that are found below it.
 *
 * Unknown: at the top of the project a new name that begins with a dot, or that looks like a
 * configuration or a text for agents, and what is new in a folder there whose name begins with
 * a dot.  The next program reads names that no list has yet.
 *
 * What builds, package managers and git make themselves is left out (ordinary.def), and
 * so is what lies in folders of packages and in repositories that are new, which are
 * named as a whole.
 */
#ifndef RUNTIME_POLRUN_NEW_NAMES_H
#define RUNTIME_POLRUN_NEW_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "runtime/base/repo.h"
#include "runtime/bundle/reader.h"

#define NEW_NAMES_MOST 4096u /* of one list */

struct name_list {
	char **v; /* relative to the project; malloc'ed, as each of them */
	size_t n, cap;
	bool cut; /* there were more, or no memory for them */
};

struct floor_name {
	const char *text; /* of the bundle, from '/' on; not terminated */
	size_t len;
};

struct new_names {
	const struct bundle *b;
	struct floor_name *floor; /* what the floor keeps at the top of the project */
	size_t nfloor;
	uint64_t last[64]; /* bits of the last components of these and of the rows `told` */
	struct timespec begun;
	struct name_list top;   /* the names at the top before the run, sorted */
	struct name_list known; /* found by new_names_meet() */
	/* the folder in which new_names_meet() was last */
	char dir[4096];
	size_t in_floor; /* as much of it is a name of the floor below the project; 0:
			    none */
	bool in_packages, in_told;
};

/* Lists what lies at the top of the project before the run. */
void new_names_begin(struct new_names *n, const struct bundle *b, int project);
/* Looks at one name while the project is searched for repositories after the run
 * (repo_meet). */
void new_names_meet(void *new_names, int dirfd, const char *dir, const char *name);
/* Did the run make or change the name of the floor that is the i-th of n->floor, at the top of the folder `dir` ("":
 * `fd` itself)?  `ret` has PATH_MAX bytes, for its path from `fd` on.  What cannot be looked at counts as changed. */
bool new_names_changed(const struct new_names *n, size_t i, int fd, const char *dir, char *ret);
/* Did the run make or change, in the repository or worktree's administrative files at `dir`, the folder of the i-th row
 * `told` below .git, from which git takes what it does later?  `ret` as above. */
bool new_names_git_state(struct new_names *n, size_t i, int fd, const char *dir, char *ret);
size_t new_names_git_states(void);
/*
 * Finds links in repositories that the run has made or moved: a repo_meet, whose argument is this.  Git writes
 * through a link, as into logs/HEAD, where a line ends with the subject of a commit.
 */
struct new_links {
	const struct new_names *names;
	int top;                /* of the search */
	struct name_list found; /* released by the caller */
};
void new_links_meet(void *new_links, int fd, const char *dir, const char *name);
/* Lists the unknown names; *ret is empty before, and released by the caller. */
void new_names_end(const struct new_names *n, int project, struct name_list *ret);
void new_names_release(struct new_names *n);
void name_list_release(struct name_list *l);

#endif
