/* Opens the lock that orders the names which runs make. */
#include "runtime/polrun/names_order.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/state/state_dir.h"

/* By the mode of the project: its files are shared with other users, whose runs have no lock of this user's.
 * (A group of the user's own is not such a group.) */
static bool others_write(const char *project)
{
	struct stat st;

	return stat(project, &st) == 0 &&
	       ((st.st_mode & S_IWOTH) || ((st.st_mode & S_IWGRP) && st.st_gid != getegid()));
}

int names_order_open(const char *state, const char *project, FILE *notes)
{
	struct rt_err err = { 0 };
	int fd = state_dir_shared_lock(&err);

	if (fd >= 0)
		return fd;
	if (fd != -ENOENT)
		fprintf(notes, "polrun: what this run makes is not ordered with runs of other users: %s\n", err.text);
	else if (others_write(project))
		fprintf(notes, "polrun: other users write the project, and what their runs make is not ordered with "
			"this one: %s is absent\n", STATE_SHARED_LOCK);
	fd = state_dir_lock(state, STATE_NAMES_LOCK, &err);
	if (fd < 0)
		fprintf(notes, "polrun: what this run makes is not ordered with other runs of the project: %s\n",
			err.text);
	return fd < 0 ? -1 : fd;
}
