/* Opens the files by which runs know of one another, and says what holds without them. */
#include "runtime/polrun/other_runs.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/writers.h"
#include "runtime/state/state_dir.h"

/* By the mode of the project: its files are shared with other users, whose runs have no lock of this user's.
 * (A group of the user's own is not such a group, and root's is taken for root's own.) */
static bool others_write(const char *project)
{
	struct stat st;

	if (stat(project, &st) != 0 || (st.st_mode & S_IWOTH))
		return true;
	return !(st.st_gid == 0 && getegid() == 0) && writers_others(project, -1, &st);
}

int other_runs_open_lock(const char *dir, const char *project, char ret_lost[OTHER_RUNS_LOST])
{
	struct rt_err err = { 0 };
	int fd = state_dir_shared_lock(&err);

	ret_lost[0] = '\0';
	if (fd >= 0)
		return fd;
	if (fd != -ENOENT)
		(void)snprintf(ret_lost, OTHER_RUNS_LOST, "what this run makes is not ordered with runs of other users: "
			       "%s", err.text);
	else if (others_write(project))
		(void)snprintf(ret_lost, OTHER_RUNS_LOST, "other users write the project, and what their runs make is "
			       "not ordered with this one: %s is absent", STATE_SHARED_LOCK);
	fd = state_dir_lock(dir, STATE_NAMES_LOCK, &err);
	if (fd < 0)
		(void)snprintf(ret_lost, OTHER_RUNS_LOST, "what this run makes is not ordered with other runs of the "
			       "project: %s", err.text);
	return fd;
}

void other_runs_open_list(const char *dir, int *ret_list, int *ret_lock, char ret_lost[OTHER_RUNS_LOST])
{
	struct rt_err err = { 0 };

	ret_lost[0] = '\0';
	*ret_list = state_dir_open_list(dir, &err);
	*ret_lock = *ret_list < 0 ? -1 : state_dir_lock(dir, STATE_OPEN_LOCK, &err);
	if (*ret_lock >= 0)
		return;
	(void)snprintf(ret_lost, OTHER_RUNS_LOST, "what other runs of the project leave open is not known: %s",
		       err.text);
	if (*ret_list >= 0)
		(void)close(*ret_list);
	*ret_list = -1;
}
