/* Decides whether the folder of the cache is the caller's own, and how long files stay in
 * it. */
#include "runtime/polrun/cache_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/place.h"
#include "runtime/base/sys.h"
#include "runtime/state/state_dir.h"

enum { HOUR = 3600, MONTH = 30 * 24 * HOUR };

/* The nearest directory above that exists decides whose the new ones are: root makes none
 * in another user's home, who could then replace it. */
static int check_above(const char *dir, const char *shown, struct rt_err *err)
{
	char at[PATH_MAX];
	size_t n = strlen(dir);
	struct stat st;

	memcpy(at, dir, n + 1);
	while (stat(at, &st) != 0) {
		if (errno != ENOENT || n <= 1)
			return rt_fail_errno(err, errno, "'%s'", shown);
		while (n > 1 && at[n - 1] != '/')
			n--;
		while (n > 1 && at[n - 1] == '/')
			n--;
		at[n] = '\0';
	}
	if (st.st_uid == 0 || st.st_uid == getuid())
		return 0;
	return rt_fail(err, EPERM, "compiled policies would be kept in '%s', and a directory "
		       "above it belongs to uid %u: set HOME or XDG_CACHE_HOME to a directory "
		       "of your own (sudo -H), or name a bundle with -b", shown,
		       (unsigned)st.st_uid);
}

static int check_dir(int fd, const char *shown, struct rt_err *err)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return rt_fail_errno(err, errno, "'%s'", shown);
	if (st.st_uid != getuid())
		return rt_fail(err, EPERM, "'%s', where compiled policies are kept, belongs to "
			       "uid %u: set XDG_CACHE_HOME, or name a bundle with -b", shown,
			       (unsigned)st.st_uid);
	if (st.st_mode & 077)
		return rt_fail(err, EPERM, "'%s', where compiled policies are kept, is open to "
			       "others (mode %04o): remove it, or chmod 0700", shown,
			       (unsigned)st.st_mode & 07777);
	return 0;
}

/* A home that nobody can write is no mistake (a container's, a service's), so the text says
 * what to do. */
static int make(const char *dir, const char *shown, struct rt_err *err)
{
	struct rt_err why = { 0 };

	if (check_above(dir, shown, err) < 0)
		return -err->err;
	if (state_dir_make(dir, &why) == 0)
		return 0;
	return rt_fail(err, why.err, "compiled policies would be kept in '%s', which cannot be "
		       "made (%s): set XDG_CACHE_HOME to a directory of your own, or name a bundle "
		       "with -b", shown, strerror(why.err));
}

int cache_dir_open(const struct cache_want *w, const char *dir, struct rt_err *err)
{
	static const int how = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	char shown[200], real[PATH_MAX];
	int fd = sys_open(dir, how, 0), r;

	io_escape(shown, sizeof(shown), dir, strlen(dir));
	if (fd < 0 && errno == ENOENT) {
		r = make(dir, shown, err);
		if (r < 0)
			return r;
		fd = sys_open(dir, how, 0);
	}
	if (fd < 0)
		return rt_fail_errno(err, errno, "'%s', where compiled policies are kept", shown);
	r = check_dir(fd, shown, err);
	if (r == 0 && !realpath(dir, real))
		r = rt_fail_errno(err, errno, "'%s'", shown);
	/* what lies in the project came with it, or a run has written it */
	if (r == 0 && (place_is_below(real, w->project) || place_is_below(w->project, real)))
		r = rt_fail(err, EPERM, "'%s', where compiled policies are kept, lies in the "
			    "project: set XDG_CACHE_HOME to another directory", shown);
	if (r < 0) {
		(void)close(fd);
		return r;
	}
	return fd;
}

bool cache_dir_read(int dir, const char *name, struct cache_index *ret)
{
	AUTO_CLOSE int fd = sys_openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY |
						   O_NONBLOCK, 0);
	struct stat st;
	char *text;
	size_t len;

	if (fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_uid != getuid() ||
	    (st.st_mode & 077) || io_read_all(fd, CACHE_MAX_INDEX, &text, &len) < 0)
		return false;
	if (strlen(text) != len) {
		free(text);
		return false;
	}
	return cache_index_read(text, ret);
}

void cache_dir_temp(char ret[CACHE_TEMP])
{
	(void)snprintf(ret, CACHE_TEMP, "t.%08" PRIx32 "%08" PRIx32, randombytes_random(),
		       randombytes_random());
}

int cache_dir_write(int dir, const char *name, const char *text, size_t len)
{
	char temp[CACHE_TEMP];
	int fd, r;

	cache_dir_temp(temp);
	fd = sys_openat(dir, temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	r = io_write_all(fd, text, len);
	if (close(fd) != 0 && r == 0)
		r = -errno;
	if (r == 0 && renameat(dir, temp, dir, name) != 0)
		r = -errno;
	if (r < 0)
		(void)unlinkat(dir, temp, 0);
	return r;
}

void cache_dir_prune(int dir)
{
	int fd = sys_openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	time_t now = time(NULL);
	struct dirent *e;
	struct stat st;

	if (!d) {
		if (fd >= 0)
			(void)close(fd);
		return;
	}
	while ((e = readdir(d)) != NULL) {
		bool temp = strncmp(e->d_name, "t.", 2) == 0;

		if (fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    !S_ISDIR(st.st_mode) && st.st_mtime < now - (temp ? HOUR : MONTH))
			(void)unlinkat(fd, e->d_name, 0);
	}
	(void)closedir(d);
}
