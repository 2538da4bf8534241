/*
 * Finds the standard library next to the program, and decides whether somebody else may
 * write it.
 */
#include "compiler/sema/library.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compiler/base/str.h"

/* Relative to the parent of the executable's folder. */
#define PLACE "/share/pol/stdlib-policies"

/*
 * May the group replace it?  In a folder with the sticky bit, nobody can replace a file
 * of somebody else.
 */
static bool group_may(const struct stat *st)
{
	return (st->st_mode & S_IWGRP) &&
	       !(S_ISDIR(st->st_mode) && (st->st_mode & S_ISVTX));
}

static bool others_may(const struct stat *st)
{
	return (st->st_mode & S_IWOTH) &&
	       !(S_ISDIR(st->st_mode) && (st->st_mode & S_ISVTX));
}

static bool is_owner(const struct library *l, uid_t uid)
{
	for (size_t i = 0; i < l->owners.n; i++)
		if (l->owners.v[i] == uid)
			return true;
	return false;
}

static bool is_group(const struct library *l, gid_t gid)
{
	for (size_t i = 0; i < l->groups.n; i++)
		if (l->groups.v[i] == gid)
			return true;
	return false;
}

/*
 * Removes the last component of the path; "/x" becomes "/", and for "/" it returns
 * false.
 */
static bool cut_last(char *path)
{
	char *slash = strrchr(path, '/');

	if (!slash || !path[1])
		return false;
	slash[slash == path] = '\0';
	return true;
}

/* Finds who may write the executable at `path`, or put another file in its place. */
static void find_holders(struct library *l, struct arena *a, char *path)
{
	VEC_PUSH(a, &l->owners, 0);
	VEC_PUSH(a, &l->owners, geteuid());
	do {
		struct stat st;

		if (lstat(path, &st) != 0)
			continue; /* it was replaced meanwhile: skip its owner */
		if (!is_owner(l, st.st_uid))
			VEC_PUSH(a, &l->owners, st.st_uid);
		if (group_may(&st) && !is_group(l, st.st_gid))
			VEC_PUSH(a, &l->groups, st.st_gid);
	} while (cut_last(path));
}

struct library *library_own(struct arena *a)
{
	struct library *l = ARENA_NEW(a, struct library);
	char self[PATH_MAX], folder[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (n <= 0 || self[0] != '/') {
		errno = n < 0 ? errno : ENOENT;
		return NULL;
	}
	self[n] = '\0';
	*l = (struct library){ 0 };
	memcpy(folder, self, (size_t)n + 1);
	(void)cut_last(folder);
	(void)cut_last(folder);
	l->dir = arena_printf(a, "%s" PLACE, folder[1] ? folder : "");
	find_holders(l, a, self);
	return l;
}

/*
 * Returns NULL if only those who may replace the program may write the path, else says
 * what is wrong.
 */
static const char *look_at(const struct library *l, struct arena *a, const char *path)
{
	struct stat st;

	if (lstat(path, &st) != 0)
		return arena_printf(a, "'%s' cannot be looked at: %s", path,
				    strerror(errno));
	if (!is_owner(l, st.st_uid))
		return arena_printf(a, "'%s' belongs to uid %u, who cannot replace the "
				    "program", path, st.st_uid);
	if (S_ISLNK(st.st_mode)) /* a link's mode means nothing */
		return NULL;
	if (others_may(&st))
		return arena_printf(a, "'%s' is writable by everybody (mode %04o)", path,
				    (unsigned)st.st_mode & 07777);
	if (group_may(&st) && !is_group(l, st.st_gid))
		return arena_printf(a, "'%s' is writable by group %u (mode %04o), who "
				    "cannot replace the program", path, st.st_gid,
				    (unsigned)st.st_mode & 07777);
	return NULL;
}

static bool was_fine(const struct library *l, const char *path)
{
	for (size_t i = 0; i < l->fine.n; i++)
		if (strcmp(l->fine.v[i], path) == 0)
			return true;
	return false;
}

/* Checks `path` and every folder above it. */
static const char *look_up(struct library *l, struct arena *a, const char *path)
{
	char at[PATH_MAX];
	size_t n = strlen(path);

	if (n >= sizeof(at))
		return arena_printf(a, "'%s' is too long", path);
	memcpy(at, path, n + 1);
	do {
		const char *why;

		if (was_fine(l, at))
			break; /* it and everything above it was checked before */
		why = look_at(l, a, at);
		if (why)
			return why;
	} while (cut_last(at));
	VEC_PUSH(a, &l->fine, str_dup(a, str_from(path)).p);
	memcpy(at, path, n + 1);
	if (cut_last(at))
		VEC_PUSH(a, &l->fine, str_dup(a, str_from(at)).p);
	return NULL;
}

const char *library_writer(struct library *l, struct arena *a, const char *real)
{
	const char *why = look_up(l, a, l->dir); /* the path's symbolic links too */

	return why ? why : look_up(l, a, real);
}
