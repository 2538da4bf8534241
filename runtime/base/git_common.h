/*
 * Finds the root GIT_COMMON_DIR: the repository of a worktree or a submodule, which lies outside of the
 * project.  There .git is a file with the line "gitdir: DIR" (gitrepository-layout(5)).
 *
 * The file alone says nothing: an archive can hold one, and a run can make one in a folder without .git,
 * that names any repository of the user's.  So the repository has to name the project, too.  `git worktree
 * add` writes the worktree's .git into gitdir(5), `git submodule` the submodule's folder into core.worktree
 * of its configuration, and no run may write either (floor.pol).
 *
 * Nor does a repository that is the content of a project say anything: a folder of a clone can look like one.
 */
#ifndef RUNTIME_BASE_GIT_COMMON_H
#define RUNTIME_BASE_GIT_COMMON_H

#include <limits.h>
#include <sys/types.h>

/*
 * `project` and `home` are physical paths.  0, and in ret the physical path of the repository: what `git rev-parse
 * --git-common-dir` says.  -ENOENT: .git is no file that leads to a directory.  -EPERM: the repository does
 * not name the project, it or a file that says so does not belong to `uid`, the project or HOME lies in it, or it is a
 * project or lies in the files of one, whose .git does not lead there.
 */
int git_common_find(const char *project, const char *home, uid_t uid, char ret[PATH_MAX]);

#endif
