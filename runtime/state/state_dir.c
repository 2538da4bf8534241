/* Decides where the user's state is kept, and who owns a folder that is made for it. */
#include "runtime/state/state_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/passwd.h"
#include "runtime/base/place.h"
#include "runtime/base/sys.h"

bool state_dir_place(const char *home, const char *rest, const char *xdg, char out[PATH_MAX])
{
	int n = xdg && xdg[0] == '/' ? snprintf(out, PATH_MAX, "%s/pol", xdg) :
				       snprintf(out, PATH_MAX, "%s%s/pol", home, rest);

	if (n <= 0 || n >= PATH_MAX - STATE_DIR_SPARE)
		return false;
	place_make_plain(out);
	return true;
}

bool state_dir_path(const char *home, const char *xdg, char out[PATH_MAX])
{
	return state_dir_place(home, "/.local/state", xdg, out);
}

static int own_dir(const char *xdg, char dir[PATH_MAX], struct rt_err *err)
{
	const char *home = getenv("HOME");
	char real[PATH_MAX];
	struct passwd_entry pw;

	if ((!home || !home[0]) && passwd_lookup(NULL, getuid(), &pw) > 0)
		home = pw.home;
	if (!home || home[0] != '/')
		return rt_fail(err, ENOENT, "no home directory: HOME is not set and "
			       "/etc/passwd has no entry for this user");
	if (realpath(home, real))
		home = real;
	if (!state_dir_path(home, xdg, dir))
		return rt_fail(err, ENAMETOOLONG, "XDG_STATE_HOME or HOME is too long");
	return 0;
}

int state_dir_own(char dir[PATH_MAX], struct rt_err *err)
{
	return own_dir(getenv("XDG_STATE_HOME"), dir, err);
}

int state_dir_of_home(char dir[PATH_MAX], struct rt_err *err)
{
	return own_dir(NULL, dir, err);
}

/* Opens one component.  If it has to be made, it gets the owner of the directory that
 * holds it. */
static int make_one(int at, const char *name, int *ret_fd)
{
	struct stat st;
	int fd = -1, r = 0;
	bool made;

	if (fstat(at, &st) != 0)
		return -errno;
	made = mkdirat(at, name, 0700) == 0;
	if (!made && errno != EEXIST)
		return -errno;
	fd = sys_openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (made && geteuid() == 0 && st.st_uid != 0)
		r = fchown(fd, st.st_uid, st.st_gid) == 0 ? 0 : -errno;
	if (r < 0)
		(void)close(fd);
	else
		*ret_fd = fd;
	return r;
}

static int make_rest(int at, char *rest)
{
	AUTO_CLOSE int fd = at;

	while (*rest) {
		size_t n = strcspn(rest, "/");
		char *name = rest;
		int next = -1, r;

		rest += n;
		if (*rest)
			*rest++ = '\0';
		if (!n)
			continue;
		r = make_one(fd, name, &next);
		if (r < 0)
			return r;
		(void)close(fd);
		fd = next;
	}
	return 0;
}

int state_dir_make(const char *dir, struct rt_err *err)
{
	char path[PATH_MAX], rest[PATH_MAX], shown[200];
	size_t n = strlen(dir);
	int fd = -1, r;

	io_escape(shown, sizeof(shown), dir, n);
	if (n >= sizeof(path))
		return rt_fail_errno(err, ENAMETOOLONG, "'%s'", shown);
	memcpy(path, dir, n + 1);
	/* find the longest prefix that exists */
	while (n > 0) {
		fd = sys_open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
		if (fd >= 0 || errno != ENOENT || n == 1)
			break;
		while (n > 0 && path[n - 1] != '/')
			n--;
		while (n > 1 && path[n - 1] == '/')
			n--;
		path[n] = '\0';
	}
	if (fd < 0)
		return rt_fail_errno(err, errno, "'%s'", shown);
	memcpy(rest, dir + n, strlen(dir + n) + 1);
	r = make_rest(fd, rest);
	return r < 0 ? rt_fail_errno(err, -r, "making '%s'", shown) : 0;
}

bool state_dir_is_own(const struct stat *st)
{
	return st->st_uid == geteuid() && !(st->st_mode & (S_IWGRP | S_IWOTH));
}

int state_dir_shared_lock(struct rt_err *err)
{
	int fd = sys_open(STATE_SHARED_LOCK, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);
	struct stat st;

	if (fd < 0)
		return errno == ENOENT || errno == ENOTDIR || errno == EACCES ?
			       -ENOENT :
			       rt_fail_errno(err, errno, STATE_SHARED_LOCK);
	/* a run that could read it could take the lock, and keep it */
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == 0 && !(st.st_mode & 0444))
		return fd;
	(void)close(fd);
	return rt_fail(err, EPERM, STATE_SHARED_LOCK
		       ": it must be a file of root's that nobody may read (mode 0222, or 0220 with a group)");
}

static int open_shared(const char *dir, const char *name, int flags, mode_t mode, struct rt_err *err)
{
	AUTO_CLOSE int at = -1;
	AUTO_CLOSE int fd = -1;
	int r = state_dir_make(dir, err);
	struct stat st, top;

	if (r < 0)
		return r;
	at = sys_open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	if (at < 0 || fstat(at, &top) != 0)
		return rt_fail_errno(err, errno, "%s", dir);
	if ((geteuid() != 0 && top.st_uid != geteuid()) || (top.st_mode & 022))
		return rt_fail(err, EPERM, "%s: somebody else can write it: " STATE_NOT_OWN, dir);
	fd = sys_openat(at, name, flags | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, mode);
	if (fd < 0 || fstat(fd, &st) != 0)
		return rt_fail_errno(err, errno, "%s/%s", dir, name);
	/* another user who could open it could keep its lock, and with it all runs of this user */
	if (!S_ISREG(st.st_mode) || st.st_nlink != 1 || (st.st_mode & 07777 & ~mode) ||
	    (st.st_uid != geteuid() && st.st_uid != top.st_uid))
		return rt_fail(err, EPERM, "%s/%s: it must be a file of this user's with mode 0%o", dir, name,
			       (unsigned)mode);
	/* root's run for another user must not keep that user's own runs from it */
	if (geteuid() == 0 && st.st_uid != top.st_uid && fchown(fd, top.st_uid, (gid_t)-1) != 0)
		return rt_fail_errno(err, errno, "%s/%s", dir, name);
	return io_steal_fd(&fd);
}

int state_dir_lock(const char *dir, const char *name, struct rt_err *err)
{
	return open_shared(dir, name, O_WRONLY, 0200, err);
}

int state_dir_open_list(const char *dir, struct rt_err *err)
{
	return open_shared(dir, "open.list", O_RDWR | O_APPEND, 0600, err);
}

int state_dir_temp(const char *name, char dir[PATH_MAX], struct rt_err *err)
{
	struct stat st;
	size_t n;
	int r = state_dir_own(dir, err);

	if (r == 0)
		r = state_dir_make(dir, err);
	if (r < 0)
		return r;
	if (lstat(dir, &st) != 0)
		return rt_fail_errno(err, errno, "%s", dir);
	if (!S_ISDIR(st.st_mode) || (geteuid() != 0 && st.st_uid != geteuid()) || (st.st_mode & 022))
		return rt_fail(err, EPERM, "%s: somebody else can write it: " STATE_NOT_OWN, dir);
	n = strlen(dir);
	if (snprintf(dir + n, PATH_MAX - n, "/%s.XXXXXX", name) >= (int)(PATH_MAX - n))
		return rt_fail_errno(err, ENAMETOOLONG, "a directory in the user's state");
	return mkdtemp(dir) ? 0 : rt_fail_errno(err, errno, "%s", dir);
}
