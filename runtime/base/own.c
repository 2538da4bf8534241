/* Decides where our programs find each other, and which file is not taken for one. */
#include "runtime/base/own.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"

int own_open_path(const char *self, const char *name, char *ret_path, struct rt_err *err)
{
	static const char *const places[] = { "", "../libexec/pol/" };
	char folder[PATH_MAX], path[OWN_PATH];
	ssize_t n = readlink("/proc/self/exe", folder, sizeof(folder) - 1);
	char *slash;

	if (n <= 0)
		return rt_fail_errno(err, errno, "/proc/self/exe (is /proc mounted?)");
	folder[n] = '\0';
	slash = strrchr(folder, '/');
	if (!slash)
		return rt_fail(err, ENOENT, "%s does not know where it lies", self);
	*slash = '\0';
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		AUTO_CLOSE int fd = -1;
		struct stat st;

		(void)snprintf(path, sizeof(path), "%s/%s%s", folder, places[i], name);
		fd = sys_open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY, 0);
		if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
			continue;
		if (fd < 0 || fstat(fd, &st) != 0)
			return rt_fail_errno(err, errno, "%s in '%.200s'", name, folder);
		if (!S_ISREG(st.st_mode) || (st.st_mode & S_IWOTH))
			return rt_fail(err, EPERM,
				       "%s in '%.200s' is not a file that only its "
				       "owner can write", name, folder);
		memcpy(ret_path, path, strlen(path) + 1);
		return io_steal_fd(&fd);
	}
	return rt_fail(err, ENOENT, "%s is neither in '%.150s' nor in "
		       "../libexec/pol of it: %s is not installed completely", name,
		       folder, self);
}

int own_open(const char *self, const char *name, struct rt_err *err)
{
	char path[OWN_PATH];

	return own_open_path(self, name, path, err);
}
