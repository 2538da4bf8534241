/* Decides which directory is the project of a place. */
#include "runtime/base/place.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/base/io.h"

bool place_is_below(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	if (strcmp(dir, "/") == 0)
		return true;
	return strncmp(path, dir, n) == 0 && (!path[n] || path[n] == '/');
}

/* 1, 0 or -errno. */
static int is_marked(const char *dir)
{
	static const char *const marks[] = { ".pol", ".git" };
	char path[PATH_MAX];
	struct stat st;

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		if ((size_t)snprintf(path, sizeof(path), "%s/%s", dir, marks[i]) >=
		    sizeof(path))
			continue;
		if (lstat(path, &st) == 0)
			return 1;
		if (errno != ENOENT && errno != ENOTDIR && errno != EACCES)
			return -errno;
	}
	return 0;
}

char *place_project(const char *from, const char *home)
{
	const char *top = place_is_below(from, home) ? home : "/";
	AUTO_FREE char *dir = strdup(from);
	char *slash;

	if (!dir)
		return NULL;
	while (strcmp(dir, top) != 0 && strcmp(dir, "/") != 0) {
		int marked = is_marked(dir);

		if (marked > 0)
			return io_steal_ptr(&dir);
		if (marked < 0) {
			errno = -marked;
			return NULL;
		}
		slash = strrchr(dir, '/');
		slash[slash == dir] = '\0';
	}
	return strdup(from);
}
